"""Is the published release authentic? What the registry serves is read once; each check puts one question to it.

Each result says both: what the program makes of it, and what Terraform would say to the whole release.
"""

import time
from collections.abc import Callable
from dataclasses import replace

from django.conf import settings

from portal.core.translation import gettext_noop
from verification.checks.rules.shared_reads import find_newest_release, list_published_releases
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result
from verification.releases import QUESTIONS, TERRAFORM, TITLE, Report, unchanged_archives, verify
from verification.releases.artifacts import file_names
from verification.releases.artifacts.remarks import fail
from verification.releases.inspection import Reader, Release
from verification.releases.summaries import result
from verification.sources import Sources
from verification.sources.errors import SourceError
from verification.sources.registry.protocol import RegistryProtocol

PUBLISHING_URL = "https://developer.hashicorp.com/terraform/registry/providers/publishing"
ARCHIVES_KEY = "release.archives"  # what the next run finds in known
EXCLUDED_IDS = ("release.listed", "release.platforms")  # asked of the registry's own pages: registry.listed, .platforms
ADVICE_BY_CHECK = {
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
TIMEOUT_SECONDS = 120  # for reading a whole release, its archives included
CLOCK_TOLERANCE_SECONDS = 120  # a release may be signed while the run goes on, by a machine whose clock is ahead
NO_PROVIDER_RESULT = Result(Outcome.FAIL, "No repository is named yet, so there is no release to look at.")


def read_report(subject: Subject, sources: Sources) -> Report:
    """The release with all that is said of it, read once in a run. Raises nothing: outages are in the report."""
    full_name = f"{subject.namespace}/{subject.provider}"
    version = subject.version or subject.tag.removeprefix("v")
    return sources.read(f"release:{full_name}:{version}", lambda: _verify_release(subject, sources, version))


def _verify_release(subject: Subject, sources: Sources, version: str) -> Report:
    seconds = getattr(settings, "RELEASE_SECONDS", TIMEOUT_SECONDS)
    protocol = RegistryProtocol(sources.registry.base_url, sources.web, seconds)
    now = max(subject.now.timestamp(), time.time()) + CLOCK_TOLERANCE_SECONDS
    reader = Reader(protocol, subject.namespace, subject.provider, now)
    reader.known_archives = unchanged_archives.usable(
        subject.known.get(ARCHIVES_KEY), _list_asset_identities(subject, sources), subject.now
    )
    return verify(reader, version)


def _list_asset_identities(subject: Subject, sources: Sources) -> dict[str, str]:
    """What tells the files of the releases on GitHub apart; nothing where GitHub does not say, so all is read anew."""
    try:
        return unchanged_archives.identities(
            asset for release in sources.github.releases(subject.repository) for asset in release.assets
        )
    except SourceError:
        return {}


def build_terraform_evidence(report: Report) -> Evidence:
    """What Terraform would do with the release on the platform that is judged, and with which words."""
    decision = report.terraform
    if decision.accepts is None or decision.outage:
        return Evidence("Terraform would", f"say something that we could not settle. {decision.message}".strip())
    if decision.accepts:
        return Evidence("Terraform would", f"install it on {report.platform}")
    return Evidence("Terraform would", f"refuse it on {report.platform}: {decision.message}")


def build_release_state(release: Release) -> tuple[tuple[str, str], ...]:
    """Which bytes were looked at."""
    checksums_reply = next(
        (platform.sums for platform in release.platforms if platform.sums and platform.sums.ok), None
    )
    digest = checksums_reply.answer.sha256 if checksums_reply and checksums_reply.answer else ""
    return (("version", release.version), *((("checksums", digest),) if digest else ()))


def add_terraform_evidence(check_result: Result, report: Report) -> Result:
    """A result with Terraform's word and with what was looked at."""
    return replace(
        check_result,
        evidence=(*check_result.evidence, build_terraform_evidence(report)),
        looked_at=build_release_state(report.release),
    )


def _build_check(id: str, docstring: str) -> Callable[[Subject, Sources], Result]:
    """The check that puts one of verification.releases' questions, in these words."""

    def ask(subject: Subject, sources: Sources) -> Result:
        if not (subject.namespace and subject.provider):
            return NO_PROVIDER_RESULT
        report = read_report(subject, sources)
        check_result = next(entry.result for entry in report.checks if entry.id == id)
        return add_terraform_evidence(
            _add_archive_observations(check_result, report, subject, sources)
            if id == "release.archive"
            else check_result,
            report,
        )

    ask.__doc__ = docstring
    return ask


def _add_archive_observations(check_result: Result, report: Report, subject: Subject, sources: Sources) -> Result:
    """The archives that were read, so that they need not be fetched again as long as they are the same files."""
    previous_archives, identities = subject.known.get(ARCHIVES_KEY), _list_asset_identities(subject, sources)
    return replace(
        check_result,
        observations={
            ARCHIVES_KEY: unchanged_archives.plain(report.release.platforms, identities, previous_archives, subject.now)
        },
    )


for _id, _title, _words in (
    *((id, title, question.__doc__ or "") for id, title, question in QUESTIONS if id not in EXCLUDED_IDS),
    (TERRAFORM, TITLE, "Terraform would install the release on every platform that is listed."),
):
    register_check(_id, title=_title, advice=ADVICE_BY_CHECK[_id], help=PUBLISHING_URL)(_build_check(_id, _words))


@register_check(
    "release.files",
    title=gettext_noop("Files of the release"),
    advice=gettext_noop(
        "Upload the archives, SHA256SUMS, its binary signature and the manifest under the published names."
    ),
    help=PUBLISHING_URL,
)
def check_release_files(subject: Subject, sources: Sources) -> Result:
    """The files of the release on GitHub are complete and named as the registry expects them."""
    if not subject.repository:
        return NO_PROVIDER_RESULT
    releases = list_published_releases(subject, sources)
    requested_tag = subject.tag or (f"v{subject.version}" if subject.version else "")
    release = (
        next((candidate for candidate in releases if candidate.tag == requested_tag), None)
        if requested_tag
        else find_newest_release(releases)
    )
    if release is None:
        return Result(Outcome.FAIL, f"There is no release {requested_tag or 'with a version as its tag'} on GitHub.")
    remarks = file_names.remarks([asset.name for asset in release.assets], subject.provider, release.tag[1:])
    remarks += tuple(fail("empty", f"{asset.name} is empty.") for asset in release.assets if asset.size == 0)
    evidence = (
        Evidence("Release", release.tag, release.html_url),
        *(Evidence("Remark", remark.text) for remark in remarks),
    )
    check_result = result(list(remarks), f"{release.tag} has its {len(release.assets)} files.", evidence)
    return replace(check_result, looked_at=(("release", release.tag),))
