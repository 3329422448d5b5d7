"""A provider with five planted faults becomes green: by real commits, and by a real new release that carries them."""

from typing import Any

from tests.fakes import signed
from tests.fakes.github.server import Repo, license_text
from tests.fakes.registry import Provider
from tests.journeys.walk import Walk
from verification.checks.models import CheckResult

REPOSITORY = "acme/terraform-provider-rocket"
FAULTS = {
    "repository.license": "A reviewer decides: Line",  # a sentence behind the license's text
    "release.files": "There is no terraform-provider-rocket_1.0.0_SHA256SUMS.sig.",
    "release.protocols": "The manifest names other protocols than the registry.",
    "keys.registered": "Signed by a key that is not registered for this provider.",
    "release.archive": "The checksum of the archive doesn't match the signed one. The archive was replaced.",
}
MANIFEST = '{"version": 1, "metadata": {"protocol_versions": ["6.0"]}}'
DEMANDS = ("TP-LIC", "TP-SRC", "TP-REL", "TP-AUTH", "TP-KEY", "TP-PUB")
CONSEQUENCES = {  # what follows from an unregistered key: there is no verdict without a key
    "release.signature",
    "release.key",
    "release.terraform",
    "keys.rotation",
    "keys.personal",
}


def faulty() -> signed.Signed:
    """Version 1.0.0: its manifest is older than its code, its key is nobody's, and its archive came later."""
    release = signed.release("rocket", "1.0.0", signer=signed.key("Bob Bolt <bob@old.example>"), keys=[signed.key()])
    release.protocols = ("6.0",)
    archive = next(name for name in release.files if name.endswith(".zip"))
    before = release.answer("", "linux_amd64")["shasum"]
    release.files[archive] = signed.build_zip(
        {"terraform-provider-rocket_v1.0.0": signed.program("linux", "amd64") + b"new"}
    )
    release.package = {"shasum": before}
    return release


def put_on_github(github: Any, release: signed.Signed, *, without: str = "nothing") -> None:
    number = github.release(REPOSITORY, f"v{release.version}")
    for name, content in release.files.items():
        if not name.endswith(without):
            github.asset(REPOSITORY, number, f"v{release.version}", name, content)


def open_checks(walk: Walk) -> set[str]:
    """What the last run did not pass, of what must pass: the hints about its code apart."""
    check_keys = {key for id in DEMANDS for key in walk.row.edition.requirement(id).checks}
    newest = CheckResult.objects.filter(integration=walk.row, key__in=check_keys).newest()
    return {result.key for result in newest if result.outcome not in ("pass", "warn")}


def look_again(walk: Walk) -> set[str]:
    page = walk.partner.go(f"/checks/{walk.row.uuid}/")
    page.press("Run checks again").sees("Checks are running")  # asked for without leaving the page
    walk.background()
    walk.partner.go(f"/checks/{walk.row.uuid}/")
    return open_checks(walk)


def test_five_faults_are_mended_one_by_one(walk: Walk, github: Any, registry: Any) -> None:
    github.seed(Repo(REPOSITORY, "Rockets as code.", releases=()))
    github.commit(REPOSITORY, "LICENSE", license_text("MPL-2.0") + "\nNot for production use.\n")
    first = faulty()
    put_on_github(github, first, without=".sig")
    provider = Provider("acme/rocket", protocols=("6.0",), releases={"1.0.0": first})
    registry.publish(provider)
    walk.begin(
        "Do you want users to manage resources on your platform",
        repository=REPOSITORY,
        name="Rocket",
        category="Networking",
        offering="Open Source",
    )

    partner = walk.partner.go(f"/checks/{walk.row.uuid}/")
    partner.sees(*FAULTS.values()).sees(
        "Terraform would refuse it on linux_amd64: archive has incorrect checksum"
    ).shot("five-faults")
    assert open_checks(walk) >= set(FAULTS)
    assert open_checks(walk) <= {*FAULTS, *CONSEQUENCES, "registry.protocols"}  # the same fault, seen from the registry

    # a commit alone changes nothing that is released
    github.commit(REPOSITORY, "LICENSE", license_text("MPL-2.0"))
    github.commit(REPOSITORY, "terraform-registry-manifest.json", MANIFEST)
    assert "repository.license" in look_again(walk)

    # the second release carries both, under its right names and whole; it is still signed by a key of nobody's
    second = signed.release("rocket", "1.0.1", protocols=("6.0",), signer=signed.key("Bob Bolt <bob@old.example>"))
    second.keys = first.keys
    put_on_github(github, second)
    provider.versions, provider.releases["1.0.1"] = ("1.0.0", "1.0.1"), second
    assert look_again(walk) == {"keys.registered", *CONSEQUENCES}
    partner.sees(FAULTS["keys.registered"]).sees(
        "Terraform would refuse it on linux_amd64: authentication signature from unknown"
    )

    third = signed.release("rocket", "1.0.2", protocols=("6.0",))
    put_on_github(github, third)
    provider.versions, provider.releases["1.0.2"] = ("1.0.0", "1.0.1", "1.0.2"), third
    assert look_again(walk) == set()
    partner.sees_not(*FAULTS.values()).sees("Terraform would install it.").shot("five-faults-mended")
    statuses = {state.status for state in walk.row.fulfillments.filter(requirement_id__in=DEMANDS)}
    assert statuses <= {"pass", "warn"}
