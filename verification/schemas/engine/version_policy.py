"""Does the number of a new version admit what it changes? Semantic versioning, as Terraform's users rely on it."""

from dataclasses import dataclass
from typing import Any

from verification.schemas.engine.diff import Difference
from verification.terraform.versions import Version

STEPS = ("none", "patch", "minor", "major")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which step the changes need, which one was taken, and a sentence."""

    needed: str
    taken: str
    admits: bool
    sentence: str

    def as_data(self) -> dict[str, Any]:
        return {"needed": self.needed, "taken": self.taken, "admits": self.admits, "sentence": self.sentence}


def verdict(old: Version, new: Version, found: Difference) -> Verdict:
    """Whether users who let minor versions pass may be surprised. A version before 1.0.0 may break in its minor."""
    taken = _taken(old, new)
    needed = _needed(found, old)
    if not found.changes:
        return Verdict(needed, taken, True, f"Nothing in the schema has changed from {old} to {new}.")
    if new < old:
        return Verdict(needed, taken, True, f"{new} is older than {old}: nothing is promised in this direction.")
    if old.is_prerelease or new.is_prerelease:
        return Verdict(needed, taken, True, "A version before its release promises nothing yet.")
    if STEPS.index(taken) >= STEPS.index(needed):
        return Verdict(needed, taken, True, f"The {taken} step from {old} to {new} admits these changes.")
    if found.breaking:
        words = "a new minor version while it begins with 0" if old.major == 0 else "a new major version"
        text = f"{old} to {new} is a {taken} step, but what breaks needs {words}."
        return Verdict(needed, taken, False, text)
    text = f"{old} to {new} is a {taken} step; what is new is usually a minor one. Nobody's configuration breaks."
    return Verdict(needed, taken, True, text)


def _taken(old: Version, new: Version) -> str:
    for step, before, after in zip(("major", "minor", "patch"), old.numbers, new.numbers, strict=True):
        if before != after:
            return step
    return "none"


def _needed(found: Difference, old: Version) -> str:
    if found.breaking:
        return "minor" if old.major == 0 else "major"
    if found.adds:
        return "minor" if old.major else "patch"
    return "patch" if found.changes else "none"
