"""Why is a release not in the registry? The likely cause, from what the release itself shows."""

from collections.abc import Sequence
from dataclasses import dataclass

from verification.outcomes import Outcome
from verification.releases.artifacts import file_names
from verification.sources.github.client import Release
from verification.sources.published_versions import versions_in
from verification.terraform.versions import BadVersion, Version, parse

TAG_FORM = "Its tag is not of the form v1.2.3."
NO_FILES = "It has no files: build, sign and upload them, as with GoReleaser."
UNSEEN = (
    "Its files look complete: the signature may not fit a key that the registry has, or the webhook for releases does "
    "not work."
)


@dataclass(frozen=True, slots=True)
class Missing:
    """A release that is not in the registry. `is_certain`: the release itself shows the cause."""

    release: Release
    cause: str
    is_certain: bool


def missing(releases: Sequence[Release], versions: tuple[str, ...], name: str) -> tuple[Missing, ...]:
    """The published releases that are no version in the registry, newest first as GitHub orders them."""
    there = set(versions_in(versions))
    return tuple(_explained(release, name) for release in releases if not _is_there(release, there))


def _is_there(release: Release, there: set[Version]) -> bool:
    try:
        return release.tag.startswith("v") and parse(release.tag[1:]) in there
    except BadVersion:
        return False


def _explained(release: Release, name: str) -> Missing:
    if release.draft:
        return Missing(release, "It is a draft.", True)
    if not file_names.TAG.fullmatch(release.tag):
        return Missing(release, TAG_FORM, True)
    if not release.assets:
        return Missing(release, NO_FILES, True)
    filenames = {asset.name for asset in release.assets}
    remarks = file_names.remarks(filenames, name, release.tag[1:])
    wrong = next((remark for remark in remarks if remark.outcome == Outcome.FAIL), None)
    return Missing(release, wrong.text if wrong else UNSEEN, wrong is not None)
