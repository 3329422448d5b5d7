"""Types of checks: a subject goes in, a result comes out.

A check is a function `(subject, sources) -> Result`, described in a content file. It gets plain values and clients (see
verification.sources.Sources), never a database row or a socket. A check doesn't catch the errors of a source if it has
no text for them: the runner turns outages into ERROR, "not found" into FAIL, and what a source withholds into a
reviewer's decision.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from integrations.programs.schema import LicensePolicy
from portal.core.content_files import Content, load_section
from verification.outcomes import Result

# Prefix of keys in Subject.known for values that a reviewer accepted. The key of the check follows.
ACCEPTED_KEY_PREFIX = "accepted:"
NO_LICENSE_POLICY = LicensePolicy("")


@dataclass(frozen=True, slots=True)
class Subject:
    """Inspected integration as plain values.

    `repository` is "owner/name"; `repository_id` and `repository_owner_id` were recorded at submission, None if
    unknown. `namespace` and `provider` are the registry's names.

    `tag` ("v1.2.3") selects a release; blank: the newest one. `category` and `tier` are keys of the edition;
    `listing_status` is the integration's listing status. `siblings` are the repositories, "owner/name", of the
    partner's other integrations in the program. `answers` has the partner's answers from forms: requirement id to
    question key to plain value (find_answer()). `known` has what earlier runs recorded through Result.observations,
    `now` is the time of the run.
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
    licenses: LicensePolicy = NO_LICENSE_POLICY
    tag: str = ""
    category: str = ""
    tier: str = ""
    listing_status: str = ""
    homepage: str = ""
    siblings: tuple[str, ...] = ()
    answers: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    known: Mapping[str, Any] = field(default_factory=dict)
    now: datetime = field(default_factory=lambda: datetime.now(UTC))

    def get_accepted_value(self, key: str) -> str:
        """Return the value that a reviewer accepted permanently for the check of that key, blank if none."""
        return str(self.known.get(f"{ACCEPTED_KEY_PREFIX}{key}", ""))

    def find_answer(self, key: str) -> object:
        """Return the first answer to a question of that key, such as "summary" or "documentation"; "" if none."""
        # Keys of questions mean the same in every form, so the first answer is as good as any.
        return next((form_answers[key] for form_answers in self.answers.values() if form_answers.get(key)), "")


def build_repository_key(repository: str, number: int | None) -> str:
    """Return what identifies a repository: its number, which outlives renames, or its name if that is unknown."""
    return str(number or repository.lower())[:80]


# With any arguments, because this module can't import the clients that checks get.
CheckFunction = Callable[..., Result]
CONTENT_FOLDER = Path(__file__).parent / "content"
CONTENT_PATH = CONTENT_FOLDER / "checks.yaml"


class CheckDescription(Content):
    """Texts and settings of a check.

    Attributes:
        expectation: What must be true for the check to pass.
        max_age_days: How long a result counts. By default, one missed night is fine, and two aren't.
        help: URL of a page with more information, blank for the check's own help page.
        accepts: What a reviewer can accept permanently. If `inspected_revisions` has a pair of that name, a button
            offers it, and Subject.get_accepted_value() gives its value to the next run.
    """

    key: str
    title: str
    expectation: str
    advice: str
    details: str = ""
    version: int = 1
    max_age_days: int = 2
    help: str = ""
    accepts: str = ""

    @property
    def max_age(self) -> timedelta:
        return timedelta(days=self.max_age_days)


class Check(CheckDescription):
    """Registered check: a description with the function that runs it."""

    run: CheckFunction = field(kw_only=True)


CHECKS: dict[str, Check] = {}


@cache
def load_descriptions() -> dict[str, CheckDescription]:
    """Return the descriptions of all checks by key."""
    return {
        description.key: description
        for description in load_section(CONTENT_PATH, "checks", tuple[CheckDescription, ...])
    }


def get_description(key: str) -> CheckDescription:
    """Return the description of a check. The description of a removed check has no texts."""
    return CHECKS.get(key) or CheckDescription(key=key, title=key, expectation="", advice="", version=0)


def register_check(
    key: str, decorate: Callable[[CheckFunction], CheckFunction] = lambda run: run
) -> Callable[[CheckFunction], CheckFunction]:
    """Register the function as the check of that key. Raises ValueError if the key is taken or not described.

    Args:
        decorate: Decorator that reads what the function gets besides subject and sources.
    """

    def register(check: CheckFunction) -> CheckFunction:
        # Of two checks with one key, the one that is imported later would silently replace the other.
        if key in CHECKS:
            raise ValueError(f"Two checks have the key {key}.")
        if key not in load_descriptions():
            raise ValueError(f"{CONTENT_PATH} doesn't describe the check {key}.")
        run = decorate(check)
        CHECKS[key] = Check(**asdict(load_descriptions()[key]), run=run)
        return run

    return register
