"""Verdicts on good and faulty releases compared with `terraform init` against a registry that serves them."""

import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport
from tests.verification.releases import faults, terraform
from tests.verification.releases.artifacts.keyring import GPG, build_test_keyring
from tests.verification.releases.conftest import NOW
from tests.verification.releases.release_registry import Release, ReleaseRegistry
from verification.releases import install_simulation, verify
from verification.releases.inspection import ReleaseReader
from verification.sources.http.client import OutboundClient
from verification.sources.registry.protocol import RegistryProtocol
from verification.terraform.messages import TerraformDecision

REFERENCE = "The installed Terraform and its messages"
NOT_RUN = "Terraform and gpg are needed: Terraform verifies the releases, gpg signs them"
SHORT_RELEASES = 15
ReleaseBuilder = Callable[[str], Release]
TABLES: tuple[dict[str, ReleaseBuilder], ...] = (faults.INSTALL, faults.QUERY, faults.VERSIONS)
# Terraform chooses no version 0.0.0, whatever the constraint says
VERSION_ZERO: dict[str, ReleaseBuilder] = {"version-zero": lambda name: Release(name, version="0.0.0")}


def run(options: RunOptions) -> SuiteReport:
    """Compare every release of the tables, or a sample; the words of a refusal count too."""
    if not terraform.is_available() or GPG is None:
        return SuiteReport(REFERENCE, 0, not_run=NOT_RUN)
    together = {name: make for table in (*TABLES, VERSION_ZERO) for name, make in table.items()}
    alone = dict(faults.CRASH)  # Terraform crashes on them, and says nothing of others in the same run
    if not options.full:
        names = random.Random(options.seed).sample(sorted(together), SHORT_RELEASES)
        together = {name: together[name] for name in names} | VERSION_ZERO
        alone = {}
    keyring = build_test_keyring()
    registry = ReleaseRegistry(keyring)
    try:
        # as long as Terraform is told to wait for a registry here
        with patch.object(install_simulation, "RESPONSE_TIMEOUT_SECONDS", 1.0):
            groups = [together, *({name: make} for name, make in alone.items())]
            disagreements = tuple(each for group in groups for each in compare(registry, group))
    finally:
        registry.stop()
        keyring.close()
    figures = (("Releases on which Terraform crashes", str(len(alone))),)
    return SuiteReport(REFERENCE, len(together) + len(alone), disagreements, figures=figures)


def compare(registry: ReleaseRegistry, makes: dict[str, ReleaseBuilder]) -> Iterator[Disagreement]:
    """Yield the releases of one run of Terraform whose verdict or reason differs."""
    releases = {name: make(name) for name, make in makes.items()}
    answers = {name: evaluate(registry, release) for name, release in releases.items()}
    with tempfile.TemporaryDirectory() as folder:
        versions = {name: "0.0.0" if name in VERSION_ZERO else "1.0.0" for name in releases}
        output = terraform.find_refusals(Path(folder) / "run", registry.url, versions)
    for name, answer in answers.items():
        refusal = output.get(name, "")
        if answer.accepts is not (refusal == "") or answer.message not in refusal:
            yield Disagreement(name, f"{answer.verdict}: {answer.message}", refusal or "accept")


def evaluate(registry: ReleaseRegistry, release: Release) -> TerraformDecision:
    """Return what the portal says that Terraform does with a release."""
    registry.publish(release)
    protocol = RegistryProtocol(registry.url, OutboundClient(loopback=True))
    reader = ReleaseReader(protocol, "acme", release.name, NOW, host=terraform.HOST)
    return verify(reader, "0.0.0" if release.version == "0.0.0" else "1.0.0").terraform


SUITE = Suite("releases", "Releases of providers", run)
