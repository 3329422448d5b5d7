"""What is a check? Its vocabulary: subject in, result out. Standard library only.

A check is a function `(subject, sources) -> Result` with its words, its version and how long its answer is fresh.
It sees plain values and clients, never a row of the database and never a socket.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeVar

from verification.outcomes import Result

T = TypeVar("T")
ACCEPTED_KEY_PREFIX = (
    "accepted:"  # a check's key behind it: what a person of the program took for right, in Subject.known
)


def _get_current_time() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Subject:
    """What is looked at, as plain values.

    `repository` is "owner/name"; `repository_id` and `repository_owner_id` are those recorded at the start,
    None when unknown. `namespace` and `provider` are the registry's names. Empty license sets: no rule.

    `tag` and `version` ("v1.2.3" and "1.2.3") choose a release; blank: the newest one.
    `category`, `tier` and `tier_request` are keys of the edition, `listing_status` one of integrations' standings.
    `siblings` are the repositories, "owner/name", of the company's other integrations in the program.
    `answers` holds what the partner answered in forms: requirement id to question key to plain value (find_answer()).
    `known` holds what earlier runs recorded through Result.observations, `now` is the moment of the run.
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
    allowed_licenses: frozenset[str] = frozenset()
    licenses_for_review: frozenset[str] = frozenset()
    license_summary: str = ""
    languages: tuple[str, ...] = ()
    tag: str = ""
    version: str = ""
    category: str = ""
    tier: str = ""
    tier_request: str = ""
    listing_status: str = ""
    homepage: str = ""
    description: str = ""
    siblings: tuple[str, ...] = ()
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    known: Mapping[str, Any] = field(default_factory=dict)
    now: datetime = field(default_factory=_get_current_time)

    def get_accepted_value(self, key: str) -> str:
        """What a person of the program accepted for good of a check of that key; blank where nothing."""
        return str(self.known.get(f"{ACCEPTED_KEY_PREFIX}{key}", ""))

    def find_answer(self, key: str) -> Any:
        """The first answer to a question of that key ("summary", "documentation", "pull_request"); "" where none."""
        return next((form_answers[key] for form_answers in self.answers.values() if form_answers.get(key)), "")


class SourcesProtocol(Protocol):
    """The clients that a check reads from: see verification.sources.Sources.

    Each raises NotFound, Withheld, Denied, Unavailable or Refused, and a check lets pass what it has no word for: the
    runner makes an ERROR of it (of NotFound a FAIL, of Withheld a person's matter). What several checks need is read
    once, through read().
    """

    @property
    def github(self) -> Any:
        """verification.sources.github.client.GitHub, or a stand-in with the same methods."""

    @property
    def registry(self) -> Any:
        """verification.sources.registry.client.Registry: the public registry's own v1 and v2 answers."""

    @property
    def web(self) -> Any:
        """verification.sources.http.client.Outbound: for every address that a partner can influence."""

    def read(self, key: str, function: Callable[[], T]) -> T:
        """What the function answered the first time in this run; an Unreadable that it raised is raised again."""


CheckFunction = Callable[[Subject, Any], Result]
DEFAULT_MAX_AGE = timedelta(days=2)  # a night may be missed, two may not


@dataclass(frozen=True, slots=True)
class Check:
    """A registered check: its key, its words, its version, the function, how long an answer counts.

    `help` is the address of a page that says more, blank for the check's own place in the help pages. `accepts`
    names what a person of the program may accept for good: where `looked_at` holds a pair of that name, a button
    offers it, and Subject.get_accepted_value() tells the next run its value.
    """

    key: str
    title: str
    advice: str
    version: int
    run: CheckFunction
    max_age: timedelta = DEFAULT_MAX_AGE
    help: str = ""
    accepts: str = ""


CHECKS: dict[str, Check] = {}


def register_check(
    key: str,
    *,
    title: str,
    advice: str,
    version: int = 1,
    max_age: timedelta = DEFAULT_MAX_AGE,
    help: str = "",
    accepts: str = "",
) -> Callable[[CheckFunction], CheckFunction]:
    """Register the function as the check of that key. Raises ValueError when the key is taken."""

    def register(run: CheckFunction) -> CheckFunction:
        registered_check = CHECKS.get(key)
        if registered_check is not None and registered_check.run.__module__ != run.__module__:
            raise ValueError(f"Two checks are called {key}.")
        CHECKS[key] = Check(key, title, advice, version, run, max_age, help, accepts)
        return run

    return register
