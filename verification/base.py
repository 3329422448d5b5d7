"""What is a check? Its vocabulary: subject in, result out. Standard library only.

A check is a function `(subject, sources) -> Result` with four attributes. It sees plain values and clients,
never a row of the database and never a socket.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Protocol


class Outcome(StrEnum):
    """What came of a check. ERROR is ours, never the partner's; silence is NOT_RUN, never PASS."""

    PASS = "pass"  # noqa: S105
    WARN = "warn"
    FAIL = "fail"
    ERROR = "error"
    NOT_RUN = "not_run"
    WAIVED = "waived"
    STALE = "stale"


WORST_FIRST = (
    Outcome.FAIL,
    Outcome.ERROR,
    Outcome.STALE,
    Outcome.NOT_RUN,
    Outcome.WARN,
    Outcome.WAIVED,
    Outcome.PASS,
)


def worst(outcomes: Iterable[str]) -> Outcome:
    """The outcome that decides for all of them; NOT_RUN where there are none."""
    present = set(outcomes)
    return next((o for o in WORST_FIRST if o in present), Outcome.NOT_RUN)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing seen: what it is, what it said, and where to see it."""

    label: str
    value: str
    url: str = ""

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Result:
    """What a check says: the outcome, one sentence, what was seen, and which state of the world was looked at.

    `looked_at` pairs a thing with its revision: (("release", "v1.4.2"), ("commit", "9f3c1e…")).
    """

    outcome: Outcome
    summary: str
    evidence: tuple[Evidence, ...] = ()
    looked_at: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Subject:
    """What is looked at, as plain values.

    `repository` is "owner/name"; `repository_id` and `repository_owner_id` are those recorded at the start,
    None when unknown. `namespace` and `provider` are the registry's names. Empty licence sets: no rule.
    """

    program: str
    edition: str
    product: str
    name: str
    repository: str = ""
    repository_id: int | None = None
    repository_owner_id: int | None = None
    repository_pattern: str = ""
    repository_hint: str = ""
    namespace: str = ""
    provider: str = ""
    licences_allowed: frozenset[str] = frozenset()
    licences_asked: frozenset[str] = frozenset()
    licence_summary: str = ""
    languages: tuple[str, ...] = ()


class Unreadable(Exception):
    """A source gave no usable answer. The text is a sentence fit to show."""


class NotFound(Unreadable):
    """The source answered that there is no such thing, or none that we may see."""


class Denied(Unreadable):
    """The source answered that we may not see it."""


class Unavailable(Unreadable):
    """The source did not answer in a way that can be used: an outage, never the partner's fault."""


class Refused(Unreadable):
    """The portal does not take the address or its answer, and says why: the one who wrote the address can mend it."""


class Sources(Protocol):
    """The clients that a check reads from: see verification.sources.Sources."""

    @property
    def github(self) -> Any: ...

    @property
    def registry(self) -> Any: ...


Run = Callable[[Subject, Any], Result]


@dataclass(frozen=True, slots=True)
class Check:
    """A registered check: its key, its words, its version, and the function."""

    key: str
    title: str
    advice: str
    version: int
    run: Run


CHECKS: dict[str, Check] = {}


def check(key: str, *, title: str, advice: str, version: int = 1) -> Callable[[Run], Run]:
    """Register the function as the check of that key. Raises ValueError when the key is taken."""

    def register(run: Run) -> Run:
        known = CHECKS.get(key)
        if known is not None and known.run.__module__ != run.__module__:
            raise ValueError(f"Two checks are called {key}.")
        CHECKS[key] = Check(key, title, advice, version, run)
        return run

    return register
