"""Semantic versioning policy: whether a version number allows the changes of a release."""

from dataclasses import dataclass

from verification.schemas.engine.diff import SchemaDifference
from verification.terraform.versions import Version

VERSION_STEPS = ("none", "patch", "minor", "major")


@dataclass(frozen=True, slots=True)
class VersionVerdict:
    """Version step that the changes require, the actual step, and a summary."""

    needed: str
    taken: str
    admits: bool
    summary: str


def evaluate_version(old: Version, new: Version, difference: SchemaDifference) -> VersionVerdict:
    """Evaluate the version step. Before 1.0.0, a minor version can contain breaking changes."""
    taken = _get_taken_step(old, new)
    needed = _get_needed_step(difference, old)
    is_breach = False
    if not difference.changes:
        summary = f"The schema didn't change from {old} to {new}."
    elif new < old:
        summary = f"{new} is older than {old}. Semantic versioning doesn't apply to downgrades."
    # Semantic Versioning 2.0.0, item 9: a prerelease might not satisfy the compatibility of its version.
    elif old.is_prerelease or new.is_prerelease:
        summary = "Semantic versioning allows any changes in prereleases."
    elif VERSION_STEPS.index(taken) >= VERSION_STEPS.index(needed):
        summary = f"The {taken} version step from {old} to {new} allows these changes."
    elif difference.breaking:
        is_breach = True
        words = "a new minor version before 1.0.0" if old.major == 0 else "a new major version"
        summary = f"{old} to {new} is a {taken} step, but breaking changes require {words}."
    else:
        # Not a breach: users of the new version lose nothing.
        summary = f"{old} to {new} is a {taken} step. Additions usually need a minor version. No configuration breaks."
    return VersionVerdict(needed, taken, not is_breach, summary)


def _get_taken_step(old: Version, new: Version) -> str:
    for step, before, after in zip(("major", "minor", "patch"), old.numbers, new.numbers, strict=True):
        if before != after:
            return step
    return "none"


def _get_needed_step(difference: SchemaDifference, old: Version) -> str:
    # Item 4 of Semantic Versioning allows any change before 1.0.0. By custom, a new minor version announces it.
    if difference.breaking:
        return "minor" if old.major == 0 else "major"
    if difference.adds:
        return "minor" if old.major else "patch"
    return "patch" if difference.changes else "none"
