"""Why is a release not in the registry? The likely cause, from what the release itself shows."""

from collections.abc import Sequence
from dataclasses import dataclass

from verification.outcomes import Outcome
from verification.releases.artifacts import file_names
from verification.sources.github.client import GitHubRelease
from verification.sources.published_versions import parse_versions
from verification.terraform.versions import InvalidVersionError, Version, parse_version

INVALID_TAG_CAUSE = "Its tag is not of the form v1.2.3."
NO_FILES_CAUSE = "It has no files: build, sign and upload them, as with GoReleaser."
UNKNOWN_CAUSE = (
    "Its files look complete: the signature may not fit a key that the registry has, or the webhook for releases does "
    "not work."
)


@dataclass(frozen=True, slots=True)
class MissingRelease:
    """A release that is not in the registry. `is_certain`: the release itself shows the cause."""

    release: GitHubRelease
    cause: str
    is_certain: bool


def list_missing_releases(
    releases: Sequence[GitHubRelease], versions: tuple[str, ...], name: str
) -> tuple[MissingRelease, ...]:
    """The published releases that are no version in the registry, newest first as GitHub orders them."""
    published_versions = set(parse_versions(versions))
    return tuple(
        _explain_missing_release(release, name)
        for release in releases
        if not _is_published(release, published_versions)
    )


def _is_published(release: GitHubRelease, published_versions: set[Version]) -> bool:
    try:
        return release.tag.startswith("v") and parse_version(release.tag[1:]) in published_versions
    except InvalidVersionError:
        return False


def _explain_missing_release(release: GitHubRelease, name: str) -> MissingRelease:
    if release.draft:
        return MissingRelease(release, "It is a draft.", True)
    if not file_names.TAG.fullmatch(release.tag):
        return MissingRelease(release, INVALID_TAG_CAUSE, True)
    if not release.assets:
        return MissingRelease(release, NO_FILES_CAUSE, True)
    filenames = {asset.name for asset in release.assets}
    remarks = file_names.remarks(filenames, name, release.tag[1:])
    failure = next((remark for remark in remarks if remark.outcome == Outcome.FAIL), None)
    return MissingRelease(release, failure.text if failure else UNKNOWN_CAUSE, failure is not None)
