"""Likely causes for a release that is missing from the registry, found in the release itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from verification.outcomes import Outcome
from verification.releases.artifacts import file_names
from verification.sources.github.responses import GitHubRelease
from verification.sources.published_versions import parse_versions
from verification.terraform.versions import Version, try_parse_version

INVALID_TAG_CAUSE = "The tag doesn't have the form v1.2.3."
NO_FILES_CAUSE = "The release has no files. Build, sign, and upload them, for example with GoReleaser."
UNKNOWN_CAUSE = (
    "The files look complete. The signature may not match a registered key, or the release webhook may be broken."
)


@dataclass(frozen=True, slots=True)
class MissingRelease:
    """A release that is missing from the registry. `is_certain`: the release itself shows the cause."""

    release: GitHubRelease
    cause: str
    is_certain: bool


def list_missing_releases(
    releases: Sequence[GitHubRelease], versions: tuple[str, ...], name: str
) -> tuple[MissingRelease, ...]:
    """Return the published releases that aren't versions in the registry, newest first in GitHub's order."""
    published_versions = set(parse_versions(versions))
    return tuple(
        _explain_missing_release(release, name)
        for release in releases
        if not _is_published(release, published_versions)
    )


def _is_published(release: GitHubRelease, published_versions: set[Version]) -> bool:
    return release.tag.startswith("v") and try_parse_version(release.tag[1:]) in published_versions


def _explain_missing_release(release: GitHubRelease, name: str) -> MissingRelease:
    if release.draft:
        return MissingRelease(release, "The release is a draft.", True)
    if not file_names.TAG.fullmatch(release.tag):
        return MissingRelease(release, INVALID_TAG_CAUSE, True)
    if not release.assets:
        return MissingRelease(release, NO_FILES_CAUSE, True)
    filenames = {asset.name for asset in release.assets}
    remarks = file_names.remarks(filenames, name, release.tag[1:])
    failure = next((remark for remark in remarks if remark.outcome == Outcome.FAIL), None)
    return MissingRelease(release, failure.text if failure else UNKNOWN_CAUSE, failure is not None)
