"""Checks that a release hasn't changed since the portal first read it: files, tag, and registry version."""

from collections.abc import Mapping
from dataclasses import replace

from portal.core.value_types import JsonObject
from verification.checks.rules.release import read_report, with_report
from verification.checks.rules.shared_reads import (
    find_newest_release,
    list_published_releases,
    read_code,
    require_repository,
)
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result, format_count
from verification.releases import Report
from verification.releases.artifacts.remarks import build_remark
from verification.releases.inspection import Release
from verification.releases.registry_package import Versions
from verification.releases.summaries import NOTHING_TO_CHECK, build_result, list_platforms
from verification.sources import Sources
from verification.sources.errors import SourceNotFoundError
from verification.sources.http import urls
from verification.sources.registry.protocol import RegistryReply
from verification.terraform.versions import Version, try_parse_version

# Keys in `known` that the next run reads.
DIGESTS_KEY, NEWEST_KEY, TAGS_KEY = "release.digests", "release.newest", "release.tags"
MAX_VERSIONS = 20  # number of versions whose digests and tags are kept


@register_check("release.unchanged")
@with_report
def check_files_unchanged(subject: Subject, sources: Sources, report: Report) -> Result:
    release, digests = report.release, collect_digests(report.release)
    if not digests:
        return NOTHING_TO_CHECK
    digests_by_version = _coerce_mapping(subject.known.get(DIGESTS_KEY))
    first_digests = _coerce_mapping(digests_by_version.get(release.version))
    changed_digests = {name: digest for name, digest in digests.items() if first_digests.get(name, digest) != digest}
    # Terraform's lock files contain checksums, but no signatures, so a new signature over the same list breaks no one.
    remarks = [
        build_remark("signed_again" if name.endswith(".sig") else "replaced", name=name) for name in changed_digests
    ]
    evidence = tuple(
        Evidence(name, f"{str(first_digests[name])[:12]} at first, now {digest[:12]}")
        for name, digest in changed_digests.items()
    )
    count = format_count(len(digests), "file")
    pass_summary = f"{count} unchanged." if first_digests else f"{count} recorded for later comparison."
    # The first digests win, so a replaced file is reported until a new version replaces the whole release.
    observations = _keep_last_entries({**digests_by_version, release.version: {**digests, **first_digests}})
    return replace(build_result(remarks, pass_summary, evidence), observations={DIGESTS_KEY: observations})


def collect_digests(release: Release) -> dict[str, str]:
    """Return the SHA-256 of every file of the release that was read, by its name."""
    digests: dict[str, str] = {}
    for platform in list_platforms(release):
        for reply in (platform.sums, platform.signature, platform.archive_reply):
            digests |= _get_digest(reply)
    return digests | _get_digest(release.manifest)


def _get_digest(reply: RegistryReply | None) -> dict[str, str]:
    if reply is None or not reply.ok or reply.response is None:
        return {}
    return {urls.get_file_name(reply.address)[:200]: reply.response.sha256}


@register_check("release.tag")
@require_repository
def check_tag_unchanged(subject: Subject, sources: Sources) -> Result:
    newest_release = find_newest_release(list_published_releases(subject, sources))
    tag_name = subject.tag or (newest_release.tag if newest_release else "")
    if not tag_name:
        return Result(Outcome.NOT_RUN, "No release found. Publish a release, then run the checks again.")
    try:
        commit = read_code(subject, sources, tag_name).commit
    except SourceNotFoundError:
        return Result(Outcome.FAIL, f"The repository has no tag {tag_name}.", missing_item=f"the tag {tag_name}")
    commits_by_tag = _coerce_mapping(subject.known.get(TAGS_KEY))
    # The first commit stays recorded, so moving the tag back ends the failure.
    first_commit, state = str(commits_by_tag.get(tag_name, commit)), (("tag", tag_name), ("commit", commit))
    observations = {TAGS_KEY: _keep_last_entries({**commits_by_tag, tag_name: first_commit})}
    if first_commit == commit:
        summary = f"{tag_name} points to the commit {commit[:7]}."
        return Result(Outcome.PASS, summary, (), state, observations=observations)
    summary = f"{tag_name} was moved to a different commit."
    evidence = (Evidence("First commit", first_commit), Evidence("Now", commit))
    return Result(Outcome.FAIL, summary, evidence, state, observations=observations)


@register_check("release.newest")
@require_repository
def check_newest_version(subject: Subject, sources: Sources) -> Result:
    report = read_report(subject, sources)
    versions = report.release.versions.value
    if versions is None:
        return report.get_result("release.listed")
    highest_version, known_newest = _find_highest_version(versions), str(subject.known.get(NEWEST_KEY, ""))
    previous_version = try_parse_version(known_newest)
    # Publishers can't remove versions from the registry themselves, so a lower newest version needs an explanation.
    if previous_version is not None and (highest_version is None or highest_version.rank < previous_version.rank):
        summary = f"The registry's newest version is {highest_version or 'none'}, but it was {known_newest} before."
        evidence = (Evidence("Highest version so far", known_newest), Evidence("Now", str(highest_version or "none")))
        return Result(Outcome.FAIL, summary, evidence, missing_item=f"the version {known_newest}")
    if highest_version is None:
        return Result(Outcome.FAIL, "The registry lists no version.")
    pass_summary, version = f"{highest_version} is the newest version so far.", str(highest_version)
    return Result(
        Outcome.PASS, pass_summary, inspected_revisions=(("version", version),), observations={NEWEST_KEY: version}
    )


def _find_highest_version(versions: Versions) -> Version | None:
    """Return the highest listed version. Releases rank above pre-releases."""
    parsed_versions = [
        version for entry in versions.entries if (version := try_parse_version(entry.version)) is not None
    ]
    return max(parsed_versions, key=lambda version: version.preference, default=None)


def _coerce_mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _keep_last_entries(entries: Mapping[str, object]) -> JsonObject:
    """Return the last entries, so that a new one is kept. The database decides on the order of the others."""
    return dict(list(entries.items())[-MAX_VERSIONS:])
