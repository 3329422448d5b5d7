"""Checks of the published release: its authenticity, and whether it has changed since the portal first read it.

The registry's files are read once and shared by the checks. Each result shows the program's verdict and what Terraform
would do with the release.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from django.conf import settings

from portal.core.value_types import JsonObject
from verification.checks.rules.shared_reads import (
    find_newest_release,
    list_published_releases,
    read_code,
    read_release,
    require_repository,
    with_value,
)
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result, format_count
from verification.releases import RULES, TERRAFORM_ID, Report, unchanged_archives, verify
from verification.releases.artifacts import file_names
from verification.releases.artifacts.remarks import Remark, build_remark
from verification.releases.inspection import Release, ReleaseReader
from verification.releases.registry_package import Versions
from verification.releases.summaries import NOTHING_TO_CHECK, build_result, list_platforms
from verification.sources import Sources
from verification.sources.errors import SourceError, SourceNotFoundError
from verification.sources.http import urls
from verification.sources.registry.protocol import RegistryProtocol, RegistryReply
from verification.terraform.versions import Version, try_parse_version

# Keys in `known` that the next run reads.
ARCHIVES_KEY = "release.archives"
DIGESTS_KEY = "release.digests"
NEWEST_KEY = "release.newest"
TAGS_KEY = "release.tags"
# The first two are covered by registry.listed and registry.platforms, and the last one has a check of its own.
EXCLUDED_IDS = ("release.listed", "release.platforms", "release.archive")
TIMEOUT_SECONDS = 120  # for reading a whole release with its archives
CLOCK_TOLERANCE_SECONDS = 120  # a release may be signed during the run by a machine whose clock is ahead
MAX_VERSIONS = 20  # number of versions whose digests and tags are kept


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
    stored = subject.known.get(ARCHIVES_KEY)
    identities = _list_asset_identities(subject, sources)
    reader.known_archives = unchanged_archives.load_current_archives(stored, identities, subject.now)
    return verify(reader, version)


def _list_asset_identities(subject: Subject, sources: Sources) -> dict[str, str]:
    """Return the identities of the release files on GitHub; empty if GitHub doesn't answer, so that all files are read
    again.
    """
    try:
        releases = sources.github.list_releases(subject.repository)
        return unchanged_archives.build_identities(asset for release in releases for asset in release.assets)
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
    digest = next((platform.sums.sha256 for platform in release.platforms if platform.sums and platform.sums.ok), "")
    return (("version", release.version), *((("checksums", digest),) if digest else ()))


def add_terraform_evidence(check_result: Result, report: Report) -> Result:
    """Add Terraform's verdict and the inspected state to a result. What an outage hid is an error, never missing.

    What a missing file hid counts as missing, too.
    """
    decision = report.terraform
    if check_result.outcome == Outcome.NOT_RUN and decision.outage:
        summary = f"We couldn't complete this check: {decision.message}"
        check_result = replace(check_result, outcome=Outcome.ERROR, summary=summary)
    elif check_result.outcome == Outcome.NOT_RUN and report.missing_item:
        summary = f"{check_result.summary} Terraform reports: {report.missing_item}"
        check_result = replace(check_result, summary=summary, missing_item=report.missing_item)
    return replace(
        check_result,
        evidence=(*check_result.evidence, build_terraform_evidence(report)),
        inspected_revisions=(*build_release_state(report.release), *check_result.inspected_revisions),
    )


with_report = with_value(require_repository(read_report), add_terraform_evidence)


def _build_check(id: str) -> Callable[[Subject, Sources], Result]:
    """Return the check for one rule of verification.releases."""
    return with_report(lambda subject, sources, report: report.results[id])


for _id in (*(id for id, _, _ in RULES if id not in EXCLUDED_IDS), TERRAFORM_ID):
    register_check(_id)(_build_check(_id))


@register_check("release.archive", with_report)
def check_release_archives(subject: Subject, sources: Sources, report: Report) -> Result:
    previous_archives = subject.known.get(ARCHIVES_KEY)
    identities = _list_asset_identities(subject, sources)
    # The next run doesn't fetch unchanged files again, even if this one has too little time for all of them.
    archives = unchanged_archives.dump_archives(report.release.platforms, identities, previous_archives, subject.now)
    observations = {ARCHIVES_KEY: archives} if identities else {}
    return replace(report.results["release.archive"], observations=observations)


@register_check("release.files", require_repository)
def check_release_files(subject: Subject, sources: Sources) -> Result:
    release = read_release(subject, sources)
    if release is None:
        return Result(Outcome.FAIL, f"GitHub has no release {subject.tag or 'with a version tag'}.")
    remarks = file_names.list_remarks([asset.name for asset in release.assets], subject.provider, release.tag[1:])
    remarks += tuple(build_remark("empty", name=asset.name) for asset in release.assets if asset.size == 0)
    remark_evidence = (Evidence("Remark", remark.text) for remark in remarks)
    evidence = (Evidence("Release", release.tag, release.html_url), *remark_evidence)
    check_result = build_result(remarks, f"{release.tag} has all {len(release.assets)} files.", evidence)
    return replace(check_result, inspected_revisions=(("release", release.tag),))


@register_check("release.unchanged", with_report)
def check_files_unchanged(subject: Subject, sources: Sources, report: Report) -> Result:
    release = report.release
    digests = collect_digests(release)
    if not digests:
        return NOTHING_TO_CHECK
    digests_by_version = subject.known.get(DIGESTS_KEY, {})
    first_digests = digests_by_version.get(release.version, {})
    changed_digests = {name: digest for name, digest in digests.items() if first_digests.get(name, digest) != digest}
    # Terraform's lock files contain checksums, but no signatures, so a new signature over the same list breaks no one.
    remarks = list[Remark]()
    evidence = list[Evidence]()
    for name, digest in changed_digests.items():
        remarks.append(build_remark("signed_again" if name.endswith(".sig") else "replaced", name=name))
        evidence.append(Evidence(name, f"{first_digests[name][:12]} at first, now {digest[:12]}"))
    count = format_count(len(digests), "file")
    pass_summary = f"{count} unchanged." if first_digests else f"{count} recorded for later comparison."
    # The first digests win, so a replaced file is reported until a new version replaces the whole release.
    observations = _keep_last_entries({**digests_by_version, release.version: {**digests, **first_digests}})
    # A file that an outage hides may have changed. Other checks report the files that don't exist.
    unread_replies = [reply for reply in _list_file_replies(release) if reply.is_inconclusive]
    check_result = build_result(remarks, pass_summary, tuple(evidence), unread_replies)
    return replace(check_result, observations={DIGESTS_KEY: observations})


def collect_digests(release: Release) -> dict[str, str]:
    """Return the SHA-256 of every file of the release that was read, by its name."""
    read_replies = (reply for reply in _list_file_replies(release) if reply.ok)
    return {urls.get_file_name(reply.address)[:200]: reply.sha256 for reply in read_replies}


def _list_file_replies(release: Release) -> list[RegistryReply]:
    """Return the replies for the files of the release."""
    platforms = list_platforms(release)
    replies = [reply for each in platforms for reply in (each.sums, each.signature, each.archive_reply)]
    return [reply for reply in (*replies, release.manifest) if reply is not None]


@register_check("release.tag", require_repository)
def check_tag_unchanged(subject: Subject, sources: Sources) -> Result:
    newest_release = find_newest_release(list_published_releases(subject, sources))
    tag_name = subject.tag or (newest_release.tag if newest_release else "")
    if not tag_name:
        return Result(Outcome.NOT_RUN, "No release found. Publish a release, then run the checks again.")
    try:
        commit = read_code(subject, sources, tag_name).commit
    except SourceNotFoundError:
        return Result(Outcome.FAIL, f"The repository has no tag {tag_name}.", missing_item=f"the tag {tag_name}")
    commits_by_tag = subject.known.get(TAGS_KEY, {})
    # The first commit stays recorded, so moving the tag back ends the failure.
    first_commit = commits_by_tag.get(tag_name, commit)
    state = (("tag", tag_name), ("commit", commit))
    observations = {TAGS_KEY: _keep_last_entries({**commits_by_tag, tag_name: first_commit})}
    if first_commit == commit:
        summary = f"{tag_name} points to the commit {commit[:7]}."
        return Result(Outcome.PASS, summary, (), state, observations=observations)
    summary = f"{tag_name} was moved to a different commit."
    evidence = (Evidence("First commit", first_commit), Evidence("Now", commit))
    return Result(Outcome.FAIL, summary, evidence, state, observations=observations)


@register_check("release.newest", require_repository)
def check_newest_version(subject: Subject, sources: Sources) -> Result:
    report = read_report(subject, sources)
    versions = report.release.versions.value
    if versions is None:
        return report.results["release.listed"]
    highest_version = _find_highest_version(versions)
    known_newest = subject.known.get(NEWEST_KEY, "")
    previous_version = try_parse_version(known_newest)
    # Publishers can't remove versions from the registry themselves, so a lower newest version needs an explanation.
    # By preference, because a pre-release replaces no release, and a release replaces every pre-release.
    if previous_version is not None and (
        highest_version is None or highest_version.preference < previous_version.preference
    ):
        summary = f"The registry's newest version is {highest_version or 'none'}, but it was {known_newest} before."
        evidence = (Evidence("Highest version so far", known_newest), Evidence("Now", str(highest_version or "none")))
        return Result(Outcome.FAIL, summary, evidence, missing_item=f"the version {known_newest}")
    if highest_version is None:
        return Result(Outcome.FAIL, "The registry lists no version.")
    pass_summary = f"{highest_version} is the newest version so far."
    version = str(highest_version)
    return Result(Outcome.PASS, pass_summary, (), (("version", version),), observations={NEWEST_KEY: version})


def _find_highest_version(versions: Versions) -> Version | None:
    """Return the highest listed version. Releases rank above pre-releases."""
    parsed_versions = (try_parse_version(entry.version) for entry in versions.entries)
    return max(filter(None, parsed_versions), key=lambda version: version.preference, default=None)


def _keep_last_entries(entries: Mapping[str, object]) -> JsonObject:
    """Return the last entries, so that a new one is kept. The database decides on the order of the others."""
    return dict(list(entries.items())[-MAX_VERSIONS:])
