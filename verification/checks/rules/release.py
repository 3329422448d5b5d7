"""Checks of the published release's authenticity. The registry's files are read once and shared by the checks.

Each result shows the program's verdict and what Terraform would do with the release.
"""

import time
from collections.abc import Callable
from dataclasses import replace

from django.conf import settings

from verification.checks.rules.shared_reads import read_release, require_repository, with_value
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result
from verification.releases import RULES, TERRAFORM_ID, Report, unchanged_archives, verify
from verification.releases.artifacts import file_names
from verification.releases.artifacts.remarks import build_remark
from verification.releases.inspection import Release, ReleaseReader
from verification.releases.summaries import build_result
from verification.sources import Sources
from verification.sources.errors import SourceError
from verification.sources.registry.protocol import RegistryProtocol

ARCHIVES_KEY = "release.archives"  # key in `known` that the next run reads
# The first two are covered by registry.listed and registry.platforms, and the last one has a check of its own.
EXCLUDED_IDS = ("release.listed", "release.platforms", "release.archive")
TIMEOUT_SECONDS = 120  # for reading a whole release with its archives
CLOCK_TOLERANCE_SECONDS = 120  # a release may be signed during the run by a machine whose clock is ahead


def read_report(subject: Subject, sources: Sources) -> Report:
    """Return the report on the release, read once per run. Never raises: outages are part of the report."""
    # The registry ignores case, and facts are read under its own spelling in the same run.
    full_name = f"{subject.namespace}/{subject.provider}".lower()
    version = subject.tag.removeprefix("v")
    return sources.read(f"release:{full_name}:{version}", lambda: _verify_release(subject, sources, version))


def _verify_release(subject: Subject, sources: Sources, version: str) -> Report:
    seconds = getattr(settings, "RELEASE_SECONDS", TIMEOUT_SECONDS)
    protocol = RegistryProtocol(sources.registry.base_url, sources.web, seconds)
    now = max(subject.now.timestamp(), time.time()) + CLOCK_TOLERANCE_SECONDS
    reader = ReleaseReader(protocol, subject.namespace, subject.provider, now)
    reader.known_archives = unchanged_archives.load_current_archives(
        subject.known.get(ARCHIVES_KEY), _list_asset_identities(subject, sources), subject.now
    )
    return verify(reader, version)


def _list_asset_identities(subject: Subject, sources: Sources) -> dict[str, str]:
    """Return the identities of the release files on GitHub; empty if GitHub doesn't answer, so that all files are read
    again.
    """
    try:
        return unchanged_archives.build_identities(
            asset for release in sources.github.list_releases(subject.repository) for asset in release.assets
        )
    except SourceError:
        return {}


def build_terraform_evidence(report: Report) -> Evidence:
    """Return what Terraform would do with the release on the given platform, in Terraform's words."""
    decision = report.terraform
    if decision.accepts is None or decision.outage:
        return Evidence("Terraform", f"We couldn't determine the result. {decision.message}".strip())
    if decision.accepts:
        return Evidence("Terraform", f"Would install the release on {report.platform}")
    return Evidence("Terraform", f"Would refuse the release on {report.platform}: {decision.message}")


def build_release_state(release: Release) -> tuple[tuple[str, str], ...]:
    """Return the inspected files as object and revision."""
    checksums_reply = next(
        (platform.sums for platform in release.platforms if platform.sums and platform.sums.ok), None
    )
    digest = checksums_reply.response.sha256 if checksums_reply and checksums_reply.response else ""
    return (("version", release.version), *((("checksums", digest),) if digest else ()))


def add_terraform_evidence(check_result: Result, report: Report) -> Result:
    """Add Terraform's verdict and the inspected state to a result. What an outage hid is an error, never missing."""
    decision = report.terraform
    if check_result.outcome == Outcome.NOT_RUN and decision.outage:
        summary = f"We couldn't complete this check: {decision.message}"
        check_result = Result(Outcome.ERROR, summary, check_result.evidence)
    return replace(
        check_result,
        evidence=(*check_result.evidence, build_terraform_evidence(report)),
        inspected_revisions=(*build_release_state(report.release), *check_result.inspected_revisions),
    )


with_report = with_value(require_repository(read_report), add_terraform_evidence)


def _build_check(id: str) -> Callable[[Subject, Sources], Result]:
    """Return the check for one rule of verification.releases."""
    return with_report(lambda subject, sources, report: report.get_result(id))


for _id in (*(id for id, _, _ in RULES if id not in EXCLUDED_IDS), TERRAFORM_ID):
    register_check(_id)(_build_check(_id))


@register_check("release.archive")
@with_report
def check_release_archives(subject: Subject, sources: Sources, report: Report) -> Result:
    previous_archives, identities = subject.known.get(ARCHIVES_KEY), _list_asset_identities(subject, sources)
    # The next run doesn't fetch unchanged files again. An outage changes nothing.
    archives = unchanged_archives.dump_archives(report.release.platforms, identities, previous_archives, subject.now)
    observations = {ARCHIVES_KEY: archives} if identities else {}
    return replace(report.get_result("release.archive"), observations=observations)


@register_check("release.files")
@require_repository
def check_release_files(subject: Subject, sources: Sources) -> Result:
    release = read_release(subject, sources)
    if release is None:
        return Result(Outcome.FAIL, f"GitHub has no release {subject.tag or 'with a version tag'}.")
    remarks = file_names.list_remarks([asset.name for asset in release.assets], subject.provider, release.tag[1:])
    remarks += tuple(build_remark("empty", name=asset.name) for asset in release.assets if asset.size == 0)
    evidence = (
        Evidence("Release", release.tag, release.html_url),
        *(Evidence("Remark", remark.text) for remark in remarks),
    )
    check_result = build_result(remarks, f"{release.tag} has all {len(release.assets)} files.", evidence)
    return replace(check_result, inspected_revisions=(("release", release.tag),))
