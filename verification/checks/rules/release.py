"""Is the published release authentic? What the registry serves is read once; each check puts one question to it.

Each result says both: what the program makes of it, and what Terraform would say to the whole release.
"""

import time
from collections.abc import Callable
from dataclasses import replace

from django.conf import settings

from portal.core.translation import gettext_noop
from verification.checks.rules.shared_reads import newest_of, published_releases
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.releases import QUESTIONS, TERRAFORM, TITLE, Report, unchanged_archives, verify
from verification.releases.artifacts import file_names
from verification.releases.artifacts.remarks import fail
from verification.releases.inspection import Reader, Release
from verification.releases.summaries import result
from verification.sources import Sources
from verification.sources.errors import Unreadable
from verification.sources.registry.protocol import RegistryProtocol

PUBLISHING = "https://developer.hashicorp.com/terraform/registry/providers/publishing"
ARCHIVES = "release.archives"  # what the next run finds in known
ELSEWHERE = ("release.listed", "release.platforms")  # asked of the registry's own pages: registry.listed, .platforms
ADVICE = {
    "release.packages": gettext_noop(
        "Name the archives terraform-provider-NAME_VERSION_OS_ARCH.zip and release again."
    ),
    "release.protocols": gettext_noop(
        "Name the protocol versions in terraform-registry-manifest.json and release it with the rest."
    ),
    "release.checksums": gettext_noop("Let the release tool write SHA256SUMS over all files; never edit it by hand."),
    "release.signature": gettext_noop(
        "Sign SHA256SUMS with an RSA key of 4096 bits that is registered, as a binary signature."
    ),
    "release.key": gettext_noop("Extend the key or register its successor, then upload the public key again."),
    "release.archive": gettext_noop("Never replace files of a release: publish a new version."),
    TERRAFORM: gettext_noop("Mend what the other checks of the release name, and publish a new version."),
}
SECONDS = 120  # for reading a whole release, its archives included
CLOCK_TOLERANCE_SECONDS = 120  # a release may be signed while the run goes on, by a machine whose clock is ahead
NO_PROVIDER = Result(Outcome.FAIL, "No repository is named yet, so there is no release to look at.")


def report_of(subject: Subject, sources: Sources) -> Report:
    """The release with all that is said of it, read once in a run. Raises nothing: outages are in the report."""
    wanted = f"{subject.namespace}/{subject.provider}"
    version = subject.version or subject.tag.removeprefix("v")
    return sources.read(f"release:{wanted}:{version}", lambda: _verified(subject, sources, version))


def _verified(subject: Subject, sources: Sources, version: str) -> Report:
    seconds = getattr(settings, "RELEASE_SECONDS", SECONDS)
    protocol = RegistryProtocol(sources.registry.base_url, sources.web, seconds)
    now = max(subject.now.timestamp(), time.time()) + CLOCK_TOLERANCE_SECONDS
    reader = Reader(protocol, subject.namespace, subject.provider, now)
    reader.seen = unchanged_archives.usable(subject.known.get(ARCHIVES), _identities(subject, sources), subject.now)
    return verify(reader, version)


def _identities(subject: Subject, sources: Sources) -> dict[str, str]:
    """What tells the files of the releases on GitHub apart; nothing where GitHub does not say, so all is read anew."""
    try:
        return unchanged_archives.identities(
            asset for r in sources.github.releases(subject.repository) for asset in r.assets
        )
    except Unreadable:
        return {}


def terraform_says(report: Report) -> Evidence:
    """What Terraform would do with the release on the platform that is judged, and with which words."""
    said = report.terraform
    if said.accepts is None or said.outage:
        return Evidence("Terraform would", f"say something that we could not settle. {said.message}".strip())
    if said.accepts:
        return Evidence("Terraform would", f"install it on {report.platform}")
    return Evidence("Terraform would", f"refuse it on {report.platform}: {said.message}")


def state_of(release: Release) -> tuple[tuple[str, str], ...]:
    """Which bytes were looked at."""
    listed = next((platform.sums for platform in release.platforms if platform.sums and platform.sums.ok), None)
    digest = listed.answer.sha256 if listed and listed.answer else ""
    return (("version", release.version), *((("checksums", digest),) if digest else ()))


def finished(found: Result, report: Report) -> Result:
    """A result with Terraform's word and with what was looked at."""
    return replace(found, evidence=(*found.evidence, terraform_says(report)), looked_at=state_of(report.release))


def _asked(id: str, words: str) -> Callable[[Subject, Sources], Result]:
    """The check that puts one of verification.releases' questions, in these words."""

    def ask(subject: Subject, sources: Sources) -> Result:
        if not (subject.namespace and subject.provider):
            return NO_PROVIDER
        report = report_of(subject, sources)
        found = next(answered.result for answered in report.checks if answered.id == id)
        return finished(_remembering(found, report, subject, sources) if id == "release.archive" else found, report)

    ask.__doc__ = words
    return ask


def _remembering(found: Result, report: Report, subject: Subject, sources: Sources) -> Result:
    """The archives that were read, so that they need not be fetched again as long as they are the same files."""
    before, known = subject.known.get(ARCHIVES), _identities(subject, sources)
    return replace(
        found, remember={ARCHIVES: unchanged_archives.plain(report.release.platforms, known, before, subject.now)}
    )


for _id, _title, _words in (
    *((id, title, question.__doc__ or "") for id, title, question in QUESTIONS if id not in ELSEWHERE),
    (TERRAFORM, TITLE, "Terraform would install the release on every platform that is listed."),
):
    check(_id, title=_title, advice=ADVICE[_id], help=PUBLISHING)(_asked(_id, _words))


@check(
    "release.files",
    title=gettext_noop("Files of the release"),
    advice=gettext_noop(
        "Upload the archives, SHA256SUMS, its binary signature and the manifest under the published names."
    ),
    help=PUBLISHING,
)
def files(subject: Subject, sources: Sources) -> Result:
    """The files of the release on GitHub are complete and named as the registry expects them."""
    if not subject.repository:
        return NO_PROVIDER
    published = published_releases(subject, sources)
    wanted = subject.tag or (f"v{subject.version}" if subject.version else "")
    chosen = next((r for r in published if r.tag == wanted), None) if wanted else newest_of(published)
    if chosen is None:
        return Result(Outcome.FAIL, f"There is no release {wanted or 'with a version as its tag'} on GitHub.")
    found = file_names.remarks([asset.name for asset in chosen.assets], subject.provider, chosen.tag[1:])
    found += tuple(fail("empty", f"{asset.name} is empty.") for asset in chosen.assets if asset.size == 0)
    shown = (Evidence("Release", chosen.tag, chosen.html_url), *(Evidence("Remark", remark.text) for remark in found))
    said = result(list(found), f"{chosen.tag} has its {len(chosen.assets)} files.", shown)
    return replace(said, looked_at=(("release", chosen.tag),))
