"""Semantic versioning policy: whether a version number permits the changes that it contains."""

from dataclasses import dataclass
from typing import Any

from verification.schemas.engine.diff import SchemaDifference
from verification.terraform.versions import Version

VERSION_STEPS = ("none", "patch", "minor", "major")


@dataclass(frozen=True, slots=True)
class VersionVerdict:
    """Which step the changes need, which one was taken, and a sentence."""

    needed: str
    taken: str
    admits: bool
    sentence: str

    def as_data(self) -> dict[str, Any]:
        return {"needed": self.needed, "taken": self.taken, "admits": self.admits, "sentence": self.sentence}


def evaluate_version(old: Version, new: Version, difference: SchemaDifference) -> VersionVerdict:
    """Whether users who let minor versions pass may be surprised. A version before 1.0.0 may break in its minor."""
    taken_step = _get_taken_step(old, new)
    needed_step = _get_needed_step(difference, old)
    if not difference.changes:
        return VersionVerdict(needed_step, taken_step, True, f"Nothing in the schema has changed from {old} to {new}.")
    if new < old:
        return VersionVerdict(
            needed_step, taken_step, True, f"{new} is older than {old}: nothing is promised in this direction."
        )
    if old.is_prerelease or new.is_prerelease:
        return VersionVerdict(needed_step, taken_step, True, "A version before its release promises nothing yet.")
    if VERSION_STEPS.index(taken_step) >= VERSION_STEPS.index(needed_step):
        return VersionVerdict(
            needed_step, taken_step, True, f"The {taken_step} step from {old} to {new} admits these changes."
        )
    if difference.breaking:
        words = "a new minor version while it begins with 0" if old.major == 0 else "a new major version"
        text = f"{old} to {new} is a {taken_step} step, but what breaks needs {words}."
        return VersionVerdict(needed_step, taken_step, False, text)
    text = f"{old} to {new} is a {taken_step} step; what is new is usually a minor one. Nobody's configuration breaks."
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
