"""Which versions does a constraint let pass? Semantic versions and constraint operators, as Terraform reads them.

Terraform takes a version before its release only where a constraint names exactly that version. Standard library only.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import total_ordering

VERSION = re.compile(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-(?!\+)([0-9A-Za-z.-]*))?(?:\+([0-9A-Za-z.-]*))?", re.ASCII)
STRICT = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)
LARGEST = 2**64 - 1
# Terraform reads a constraint twice, with hashicorp/go-version and with apparentlymart/go-versions. This is what both
# let through: one space after the operator at most, no empty identifier but the first one, and numbers of 63 bits.
CONSTRAINT = re.compile(
    r"[ \t\n\f\r]*(=|!=|>=|<=|>|<|~>)? ?"
    r"([0-9.]+(?:-(?:[0-9A-Za-z-]*(?:\.[0-9A-Za-z-]+)+|[0-9A-Za-z-]+|(?!\+)))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)"
    r"[ \t\n\f\r]*"
)
LARGEST_IN_CONSTRAINT = 2**63 - 1
FORM = "1.2.3"
MOST = 200


class BadVersion(ValueError):
    """The text is no version or no constraint. The message is a sentence fit to show."""


@total_ordering
@dataclass(frozen=True, slots=True)
class Version:
    """A semantic version. `before` are the words behind the hyphen; `build`, behind the plus, has no rank."""

    major: int
    minor: int
    patch: int
    before: tuple[str, ...] = ()
    build: str = ""

    @property
    def numbers(self) -> tuple[int, int, int]:
        return (self.major, self.minor, self.patch)

    @property
    def is_prerelease(self) -> bool:
        return bool(self.before)

    @property
    def is_unspecified(self) -> bool:
        """Whether it is 0.0.0, which Terraform never chooses: its version library takes that value for no version."""
        return self == Version(0, 0, 0)

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        text += f"-{'.'.join(self.before)}" if self.before else ""
        return text + (f"+{self.build}" if self.build else "")

    def __lt__(self, other: "Version") -> bool:
        return self.rank < other.rank

    @property
    def rank(self) -> tuple[object, ...]:
        """Sort key of Terraform's order, which differs from Semantic Versioning 2.0.0 for some pre-releases.

        Identifiers are compared in turn, and a last one comes before one that others follow: 1.0.0-beta comes before
        1.0.0-alpha.1. Numbers come before words, those with fewer digits first, leading zeros included.
        """
        last = len(self.before) - 1
        return (
            *self.numbers,
            not self.before,
            *((at != last, *_rank_word(word)) for at, word in enumerate(self.before)),
        )


def _rank_word(word: str) -> tuple[bool, int, str]:
    is_number = not word.strip("0123456789")
    return (not is_number, len(word) if is_number else 0, word)


def parse(text: str) -> Version:
    """The version as Terraform reads it: what is left out is 0, zeros in front do not count. Raises BadVersion."""
    return _parsed(text)[0]


def is_strict(text: str) -> bool:
    """Whether the text is a semantic version to the letter."""
    return STRICT.fullmatch(text) is not None


def _parsed(text: str) -> tuple[Version, int]:
    """The version and how many of its numbers were given."""
    found = VERSION.fullmatch(text) if len(text) <= MOST else None
    if text[:1] in {"v", "V"}:
        raise BadVersion(f"{text[:40]} begins with a “v”; write {text[1:40]}.")
    if found is None:
        raise BadVersion(f"“{text[:40]}” is not a version such as {FORM}.")
    given = sum(part is not None for part in found.groups()[:3])
    major, minor, patch = (int(part or 0) for part in found.groups()[:3])
    if max(major, minor, patch) > LARGEST:
        raise BadVersion(f"A number of “{text[:40]}” is too large.")
    return Version(major, minor, patch, tuple(found[4].split(".")) if found[4] else (), found[5] or ""), given


@dataclass(frozen=True, slots=True)
class Clause:
    """One operator and its version. `given` is how many numbers of the version were written."""

    operator: str
    version: Version
    given: int

    def lets_pass(self, version: Version) -> bool:
        return OPERATORS[self.operator](version, self)

    @property
    def upper_bound(self) -> Version:
        """The first release above what `~>` allows: the last but one of the numbers given is raised by one."""
        kept = self.version.numbers[: max(self.given - 1, 1)]
        major, minor, patch = (*kept[:-1], kept[-1] + 1, 0, 0)[:3]
        return Version(major, minor, patch)


def _pessimistic(version: Version, clause: Clause) -> bool:
    # a pre-release of the upper bound sorts below it and is let through where another clause names it
    return clause.version.rank <= version.rank < clause.upper_bound.rank


OPERATORS: dict[str, Callable[[Version, Clause], bool]] = {
    "=": lambda version, clause: version == clause.version,
    "!=": lambda version, clause: version != clause.version,
    ">": lambda version, clause: version.rank > clause.version.rank,
    "<": lambda version, clause: version.rank < clause.version.rank,
    ">=": lambda version, clause: version.rank >= clause.version.rank,
    "<=": lambda version, clause: version.rank <= clause.version.rank,
    "~>": _pessimistic,
}


@dataclass(frozen=True, slots=True)
class Constraint:
    """Clauses that must all hold."""

    text: str
    clauses: tuple[Clause, ...]

    def lets_pass(self, version: Version) -> bool:
        """Whether Terraform could choose the version."""
        if version.is_unspecified:
            return False
        named = any(c.operator == "=" and c.version == version for c in self.clauses)
        return (named or not version.is_prerelease) and all(clause.lets_pass(version) for clause in self.clauses)

    def newest(self, versions: Iterable[Version]) -> Version | None:
        """The version that Terraform would choose: the first of `find_ties`, where Terraform takes any."""
        return next(iter(self.find_ties(versions)), None)

    def find_ties(self, versions: Iterable[Version]) -> list[Version]:
        """Return the allowed versions of the highest rank. Where there are several, they differ in build metadata."""
        allowed = [version for version in versions if self.lets_pass(version)]
        best = max(allowed, default=None)
        return sorted({each for each in allowed if best and each.rank == best.rank}, key=str)


def constraint(text: str) -> Constraint:
    """The constraint, such as "~> 1.2, != 1.2.5". Raises BadVersion."""
    return Constraint(text, tuple(_clause(part) for part in text.split(",")))


def _clause(text: str) -> Clause:
    found = CONSTRAINT.fullmatch(text)
    if found is None:
        operators = ", ".join(OPERATORS)
        raise BadVersion(
            f"“{text[:40]}” is not a constraint. Write an operator ({operators}), at most one space, and a version."
        )
    version, given = _parsed(found[2])
    if max(version.numbers) > LARGEST_IN_CONSTRAINT:
        raise BadVersion(f"A number of “{text[:40]}” is too large.")
    return Clause(found[1] or "=", version, given)


def suggested(version: Version) -> str:
    """The constraint that lets later versions of the same series pass: by minor version, before 1.0 by patch."""
    if version.is_prerelease:
        return f"= {version}"
    if version.major == 0:
        return f"~> {version.major}.{version.minor}.{version.patch}"
    return f"~> {version.major}.{version.minor}"


def newest(versions: Sequence[str]) -> str:
    """The newest release; where there is none, the newest of those that come before one. Blank for none at all."""
    parsed: list[tuple[bool, Version, str]] = [
        (not v.is_prerelease, v, text) for text in versions for v in [parse(text)]
    ]
    return max(parsed, default=(False, Version(0, 0, 0), ""), key=lambda entry: entry[:2])[2]
