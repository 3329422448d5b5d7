"""Semantic versioning policy: whether a version number allows the changes of a release."""

from dataclasses import dataclass

from verification.schemas.engine.diff import SchemaDifference
from verification.terraform.versions import Version

VERSION_STEPS = ("none", "patch", "minor", "major")


@dataclass(frozen=True, slots=True)
class VersionVerdict:
    """Version step that the changes require, the actual step, and a sentence."""

    needed: str
    taken: str
    admits: bool
    sentence: str


def evaluate_version(old: Version, new: Version, difference: SchemaDifference) -> VersionVerdict:
    """Evaluate the version step. Before 1.0.0, a minor version can contain breaking changes."""
    taken_step = _get_taken_step(old, new)
    needed_step = _get_needed_step(difference, old)
    if not difference.changes:
        return VersionVerdict(needed_step, taken_step, True, f"The schema didn't change from {old} to {new}.")
    if new < old:
        return VersionVerdict(
            needed_step,
            taken_step,
            True,
            f"{new} is older than {old}. Semantic versioning doesn't apply to downgrades.",
        )
    if old.is_prerelease or new.is_prerelease:
        return VersionVerdict(needed_step, taken_step, True, "Semantic versioning allows any changes in prereleases.")
    if VERSION_STEPS.index(taken_step) >= VERSION_STEPS.index(needed_step):
        return VersionVerdict(
            needed_step, taken_step, True, f"The {taken_step} version step from {old} to {new} allows these changes."
        )
    if difference.breaking:
        words = "a new minor version before 1.0.0" if old.major == 0 else "a new major version"
        text = f"{old} to {new} is a {taken_step} step, but breaking changes require {words}."
        return VersionVerdict(needed_step, taken_step, False, text)
    text = f"{old} to {new} is a {taken_step} step. Additions usually need a minor version. No configuration breaks."
    return VersionVerdict(needed_step, taken_step, True, text)


def _get_taken_step(old: Version, new: Version) -> str:
    for step, before, after in zip(("major", "minor", "patch"), old.numbers, new.numbers, strict=True):
        if before != after:
            return step
    return "none"


def _get_needed_step(difference: SchemaDifference, old: Version) -> str:
    if difference.breaking:
        return "minor" if old.major == 0 else "major"
    if difference.adds:
        return "minor" if old.major else "patch"
    return "patch" if difference.changes else "none"
