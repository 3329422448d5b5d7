"""What is a check? Its vocabulary: subject in, result out. Standard library only.

A check is a function `(subject, sources) -> Result` with its words, its version and how long its answer is fresh.
It sees plain values and clients, never a row of the database and never a socket.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
ACCEPTED = "accepted:"  # a check's key behind it: what a person of the program took for right, in Subject.known


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
    """One thing seen: what it is, what it said, and where to see it. `at`: when the source said so, if that matters."""

    label: str
    value: str
    url: str = ""
    at: datetime | None = None

    def as_dict(self) -> dict[str, str]:
        plain = {"label": self.label, "value": self.value, "url": self.url}
        return plain if self.at is None else plain | {"at": self.at.isoformat()}


@dataclass(frozen=True, slots=True)
class Result:
    """What a check says: the outcome, one sentence, what was seen, and which state of the world was looked at.

    `looked_at` pairs a thing with its revision: (("release", "v1.4.2"), ("commit", "9f3c1e…")).
    `advice` says what to do in this very case, in place of the check's own. `remember` holds plain values (texts,
    numbers, lists and mappings of them) that the next run finds in Subject.known; they are kept when the outcome is
    PASS, WARN or FAIL, and a key that is not named keeps its value. `absent` names what a source answered that it
    does not have: where it was seen before, the runner asks again a day later before it says so (a check may as
    well let NotFound pass). `retry_at`: with ERROR, from when on it makes sense to look again. `freeze` says why
    nothing may go on before a person has decided, as with a repository in other hands.
    """

    outcome: Outcome
    summary: str
    evidence: tuple[Evidence, ...] = ()
    looked_at: tuple[tuple[str, str], ...] = ()
    advice: str = ""
    remember: Mapping[str, Any] = field(default_factory=dict)
    absent: str = ""
    retry_at: datetime | None = None
    freeze: str = ""


def conflict(what: str, *claims: Evidence, looked_at: tuple[tuple[str, str], ...] = ()) -> Result:
    """Two sources contradict each other: shown with both and their times, decided by a person, never by us.

    Each claim's label names its source, its value what that source says, its `at` when it said so.
    """
    said = "; ".join(f"{claim.label} says {claim.value}" for claim in claims)
    summary = f"Two sources contradict each other about {what}: {said}. A person decides."
    return Result(Outcome.NOT_RUN, summary, claims, looked_at)


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Subject:
    """What is looked at, as plain values.

    `repository` is "owner/name"; `repository_id` and `repository_owner_id` are those recorded at the start,
    None when unknown. `namespace` and `provider` are the registry's names. Empty licence sets: no rule.

    `tag` and `version` ("v1.2.3" and "1.2.3") choose a release; blank: the newest one.
    `category`, `tier` and `tier_request` are keys of the edition, `standing` one of integrations' standings.
    `siblings` are the repositories, "owner/name", of the company's other integrations in the program.
    `answers` holds what the partner answered in forms: requirement id to question key to plain value; see answer().
    `known` holds what earlier runs recorded through Result.remember, `now` is the moment of the run.
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
    tag: str = ""
    version: str = ""
    category: str = ""
    tier: str = ""
    tier_request: str = ""
    standing: str = ""
    homepage: str = ""
    description: str = ""
    siblings: tuple[str, ...] = ()
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    known: Mapping[str, Any] = field(default_factory=dict)
    now: datetime = field(default_factory=_now)

    def accepted(self, key: str) -> str:
        """What a person of the program accepted for good of a check of that key; blank where nothing."""
        return str(self.known.get(f"{ACCEPTED}{key}", ""))

    def answer(self, key: str) -> Any:
        """The first answer to a question of that key ("summary", "documentation", "pull_request"); "" where none."""
        return next((given[key] for given in self.answers.values() if given.get(key)), "")


class Unreadable(Exception):
    """A source gave no usable answer. The text is a sentence fit to show."""


class NotFound(Unreadable):
    """The source answered that there is no such thing, or none that we may see."""


class Withheld(Unreadable):
    """The source answered that the law forbids it to show this (451): neither absent nor an outage, and a person's."""


class Denied(Unreadable):
    """The source answered that we may not see it."""


class Unavailable(Unreadable):
    """The source did not answer in a way that can be used: an outage, never the partner's fault.

    `until`: from when on it makes sense to ask again, where that is known.
    """

    def __init__(self, sentence: str = "", until: datetime | None = None) -> None:
        super().__init__(sentence)
        self.until = until


class Refused(Unreadable):
    """The portal does not take the address or its answer, and says why: the one who wrote the address can mend it."""


class Sources(Protocol):
    """The clients that a check reads from: see verification.sources.Sources.

    Each raises NotFound, Withheld, Denied, Unavailable or Refused, and a check lets pass what it has no word for: the
    runner makes an ERROR of it (of NotFound a FAIL, of Withheld a person's matter). What several checks need is read
    once, through read().
    """

    @property
    def github(self) -> Any:
        """verification.sources.github.GitHub, or a stand-in with the same methods."""

    @property
    def registry(self) -> Any:
        """verification.sources.registry.Registry: the public registry's own v1 and v2 answers."""

    @property
    def web(self) -> Any:
        """verification.sources.http.Outbound: for every address that a partner can influence."""

    def read(self, key: str, function: Callable[[], T]) -> T:
        """What the function answered the first time in this run; an Unreadable that it raised is raised again."""


Run = Callable[[Subject, Any], Result]
FRESH = timedelta(days=2)  # a night may be missed, two may not


@dataclass(frozen=True, slots=True)
class Check:
    """A registered check: its key, its words, its version, the function, how long an answer counts.

    `help` is the address of a page that says more, blank for the check's own place in the help pages. `accepts`
    names what a person of the program may accept for good: where `looked_at` holds a pair of that name, a button
    offers it, and Subject.accepted() tells the next run its value.
    """

    key: str
    title: str
    advice: str
    version: int
    run: Run
    fresh: timedelta = FRESH
    help: str = ""
    accepts: str = ""


CHECKS: dict[str, Check] = {}


def gettext_noop(words: str) -> str:
    """Marks words of a plain room, as Django's own does: a page translates them where it shows them."""
    return words


def check(
    key: str,
    *,
    title: str,
    advice: str,
    version: int = 1,
    fresh: timedelta = FRESH,
    help: str = "",
    accepts: str = "",
) -> Callable[[Run], Run]:
    """Register the function as the check of that key. Raises ValueError when the key is taken."""

    def register(run: Run) -> Run:
        known = CHECKS.get(key)
        if known is not None and known.run.__module__ != run.__module__:
            raise ValueError(f"Two checks are called {key}.")
        CHECKS[key] = Check(key, title, advice, version, run, fresh, help, accepts)
        return run

    return register
