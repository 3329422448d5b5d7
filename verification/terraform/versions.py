"""Semantic versions and constraints, as Terraform reads them.

Terraform selects a pre-release only if a constraint names exactly that version. Standard library only.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import total_ordering

VERSION_PATTERN = re.compile(
    r"(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-(?!\+)([0-9A-Za-z.-]*))?(?:\+([0-9A-Za-z.-]*))?", re.ASCII
)
STRICT_VERSION_PATTERN = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)
# Terraform panics above it, because its library parses numbers as uint64.
MAX_VERSION_NUMBER = 2**64 - 1
# Terraform reads a constraint twice, with hashicorp/go-version and with apparentlymart/go-versions. The pattern is
# what both accept: at most one space after the operator, no empty identifier but the first one, and 63-bit numbers.
CONSTRAINT_PATTERN = re.compile(
    r"[ \t\n\f\r]*(=|!=|>=|<=|>|<|~>)? ?"
    r"([0-9.]+(?:-(?:[0-9A-Za-z-]*(?:\.[0-9A-Za-z-]+)+|[0-9A-Za-z-]+|(?!\+)))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)"
    r"[ \t\n\f\r]*"
)
MAX_CONSTRAINT_NUMBER = 2**63 - 1
MAX_VERSION_CHARACTERS = 200


class InvalidVersionError(ValueError):
    """Invalid version or constraint. The message is a sentence for the user."""


@total_ordering
@dataclass(frozen=True, slots=True)
class Version:
    """Semantic version. `prerelease` holds the identifiers after the hyphen. `build` is ignored for the order."""

    major: int
    minor: int
    patch: int
    prerelease: tuple[str, ...] = ()
    build: str = ""

    @property
    def numbers(self) -> tuple[int, int, int]:
        return (self.major, self.minor, self.patch)

    @property
    def is_prerelease(self) -> bool:
        return bool(self.prerelease)

    @property
    def preference(self) -> tuple[bool, tuple[object, ...]]:
        """Sort key for the version that users get by default: releases come before pre-releases."""
        return not self.is_prerelease, self.rank

    @property
    def is_unspecified(self) -> bool:
        """Return whether it is 0.0.0. Terraform never selects it: its library uses it for a missing version."""
        return self == Version(0, 0, 0)

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        if self.prerelease:
            text += f"-{'.'.join(self.prerelease)}"
        return text + (f"+{self.build}" if self.build else "")

    def __lt__(self, other: "Version") -> bool:
        return self.rank < other.rank

    @property
    def rank(self) -> tuple[object, ...]:
        """Sort key of Terraform's order, which differs from Semantic Versioning 2.0.0 for some pre-releases.

        Identifiers are compared in turn, and a last one comes before one that others follow: 1.0.0-beta comes before
        1.0.0-alpha.1. Numbers come before words, those with fewer digits first, leading zeros included.
        """
        last = len(self.prerelease) - 1
        return (
            *self.numbers,
            not self.prerelease,
            *((at != last, *_build_word_rank(word)) for at, word in enumerate(self.prerelease)),
        )


def _build_word_rank(word: str) -> tuple[bool, int, str]:
    is_number = not word.strip("0123456789")
    return (not is_number, len(word) if is_number else 0, word)


def parse_version(text: str) -> Version:
    """Parse a version like Terraform. Missing numbers are 0, and leading zeros are ignored.

    Raises:
        InvalidVersionError: The text is not a version.
    """
    return _parse_parts(text)[0]


def try_parse_version(text: str) -> Version | None:
    """Return the version, or None for any other text."""
    try:
        return parse_version(text)
    except InvalidVersionError:
        return None


def is_strict(text: str) -> bool:
    """Return whether the text is a valid version by Semantic Versioning 2.0.0."""
    return STRICT_VERSION_PATTERN.fullmatch(text) is not None


def _parse_parts(text: str) -> tuple[Version, int]:
    """Return the version and the count of numbers in the text. Raises InvalidVersionError."""
    match = VERSION_PATTERN.fullmatch(text) if len(text) <= MAX_VERSION_CHARACTERS else None
    if text[:1] in {"v", "V"}:
        raise InvalidVersionError(f"{text[:40]} begins with a “v”; write {text[1:40]}.")
    if match is None:
        raise InvalidVersionError(f"“{text[:40]}” is not a version such as 1.2.3.")
    number_count = sum(part is not None for part in match.groups()[:3])
    major, minor, patch = (int(part or 0) for part in match.groups()[:3])
    if max(major, minor, patch) > MAX_VERSION_NUMBER:
        raise InvalidVersionError(f"A number of “{text[:40]}” is too large.")
    return Version(major, minor, patch, tuple(match[4].split(".")) if match[4] else (), match[5] or ""), number_count


@dataclass(frozen=True, slots=True)
class ConstraintClause:
    """Operator and version. `number_count` is the count of numbers in the text of the version."""

    operator: str
    version: Version
    number_count: int

    def allows(self, version: Version) -> bool:
        return OPERATORS[self.operator](version, self)


def _is_pessimistic_match(version: Version, clause: ConstraintClause) -> bool:
    """Return whether `~>` allows a version: the second to last number of the text can't increase."""
    # "~> 1" has no second to last number and means the same as "~> 1.0".
    prefix = clause.version.numbers[: max(clause.number_count - 1, 1)]
    major, minor, patch = (*prefix[:-1], prefix[-1] + 1, 0, 0)[:3]
    # A pre-release of the upper bound is lower than the bound, so it matches if another clause names it.
    return clause.version.rank <= version.rank < Version(major, minor, patch).rank


OPERATORS: dict[str, Callable[[Version, ConstraintClause], bool]] = {
    # Only these two operators compare build metadata.
    "=": lambda version, clause: version == clause.version,
    "!=": lambda version, clause: version != clause.version,
    ">": lambda version, clause: version.rank > clause.version.rank,
    "<": lambda version, clause: version.rank < clause.version.rank,
    ">=": lambda version, clause: version.rank >= clause.version.rank,
    "<=": lambda version, clause: version.rank <= clause.version.rank,
    "~>": _is_pessimistic_match,
}


@dataclass(frozen=True, slots=True)
class VersionConstraint:
    """Clauses that a version must satisfy, all of them."""

    text: str
    clauses: tuple[ConstraintClause, ...]

    def allows(self, version: Version) -> bool:
        """Return whether Terraform could select the version."""
        if version.is_unspecified:
            return False
        is_named = any(clause.operator == "=" and clause.version == version for clause in self.clauses)
        return (is_named or not version.is_prerelease) and all(clause.allows(version) for clause in self.clauses)

    def find_newest(self, versions: Iterable[Version]) -> Version | None:
        """Return a version that Terraform would select, or None. If there are several, it can select any of them."""
        return next(iter(self.find_ties(versions)), None)

    def find_ties(self, versions: Iterable[Version]) -> list[Version]:
        """Return the allowed versions of the highest rank. If there are several, they differ in build metadata."""
        matches = [version for version in versions if self.allows(version)]
        best = max(matches, default=None)
        return sorted({each for each in matches if best and each.rank == best.rank}, key=str)


def parse_constraint(text: str) -> VersionConstraint:
    """Parse a constraint such as "~> 1.2, != 1.2.5". Raises InvalidVersionError."""
    return VersionConstraint(text, tuple(_parse_clause(part) for part in text.split(",")))


def _parse_clause(text: str) -> ConstraintClause:
    match = CONSTRAINT_PATTERN.fullmatch(text)
    if match is None:
        operators = ", ".join(OPERATORS)
        raise InvalidVersionError(
            f"“{text[:40]}” is not a constraint. Write an operator ({operators}), at most one space, and a version."
        )
    version, number_count = _parse_parts(match[2])
    if max(version.numbers) > MAX_CONSTRAINT_NUMBER:
        raise InvalidVersionError(f"A number of “{text[:40]}” is too large.")
    return ConstraintClause(match[1] or "=", version, number_count)


def suggest_constraint(version: Version) -> str:
    """Build a constraint that allows later minor versions, or later patch versions before 1.0."""
    if version.is_prerelease:
        return f"= {version}"
    # Before 1.0, every minor version may break its users (Semantic Versioning 2.0.0, item 4).
    if version.major == 0:
        return f"~> {version.major}.{version.minor}.{version.patch}"
    # The constraint that `terraform init` suggests (Configuring Providers).
    return f"~> {version.major}.{version.minor}"
