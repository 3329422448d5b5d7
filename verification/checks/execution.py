"""How are checks asked of a subject? In the portal, by preflight and by manage.py the same way, without a database."""

import logging
from collections.abc import Callable, Iterable
from typing import Any

import verification.checks.rules  # noqa: F401 - registers the checks
from integrations.programs.schema import Edition, Program
from portal.core.repository_urls import product_of
from verification.checks.types import CHECKS, Subject
from verification.outcomes import Outcome, Result
from verification.sources.errors import NotFound, Unreadable, Withheld

log = logging.getLogger(__name__)


class NotHere(Unreadable):
    """The source cannot know this by its nature, as a folder cannot know an owner: nobody's fault, and never a pass."""


def subject_of(
    program: Program,
    edition: Edition,
    repository: str,
    *,
    name: str = "",
    repository_id: int | None = None,
    repository_owner_id: int | None = None,
    **more: Any,
) -> Subject:
    """The subject that "owner/name" is in an edition of a program; the ids where they were recorded at the start.

    `more`: further fields of Subject.
    """
    owner, _, own_name = repository.partition("/")
    return Subject(
        program=program.key,
        edition=edition.date,
        product=program.product,
        name=name or product_of(own_name),
        repository=repository,
        repository_id=repository_id,
        repository_owner_id=repository_owner_id,
        repository_pattern=program.repository_pattern,
        repository_hint=program.repository_hint,
        namespace=owner,
        provider=product_of(own_name),
        licences_allowed=edition.licences.allow,
        licences_asked=edition.licences.ask,
        licence_summary=edition.licences.summary,
        languages=edition.licences.languages,
        **more,
    )


def keys_of(edition: Edition, category: str = "") -> tuple[str, ...]:
    """The checks that an edition asks for, tiers included, each once; of all categories where none is named."""
    requirements = (*edition.requirements(), *(r for tier in edition.tiers for r in tier.requirements))
    applying = (r for r in requirements if not (r.categories and category) or category in r.categories)
    return tuple(dict.fromkeys(key for r in applying for key in r.checks))


def hints_of(edition: Edition, category: str = "") -> frozenset[str]:
    """Those of the checks that nothing waits for: of optional requirements and of tiers alone."""
    waited = (r for r in edition.requirements() if not r.optional)
    needed = {key for r in waited if not (r.categories and category) or category in r.categories for key in r.checks}
    return frozenset(keys_of(edition, category)) - needed


def look(
    keys: Iterable[str], subject: Subject, sources: Any, begin: Callable[[str], None] = lambda key: None
) -> dict[str, Result]:
    """What each check says, in the order given; `begin` is told the key before each. Raises nothing of a check's."""
    found = {}
    for key in keys:
        begin(key)
        found[key] = safely(key, subject, sources)
    return found


def safely(key: str, subject: Subject, sources: Any) -> Result:
    """The check's result; whatever goes wrong on the way is ours."""
    if key not in CHECKS:
        return Result(Outcome.NOT_RUN, "The portal does not have this check; a person decides.")
    try:
        return CHECKS[key].run(subject, sources)
    except NotHere as reason:
        return Result(Outcome.NOT_RUN, f"Not looked at: {reason}")
    except NotFound as answer:
        return Result(Outcome.FAIL, str(answer), absent=str(answer))
    except Withheld as answer:
        return Result(Outcome.NOT_RUN, f"A person decides: {answer}", freeze=str(answer))
    except Unreadable as refusal:
        until = getattr(refusal, "until", None)
        return Result(Outcome.ERROR, f"We could not look: {refusal}", retry_at=until)
    except Exception:
        log.exception("check %s failed on %s", key, subject.repository)
        return Result(Outcome.ERROR, "We could not complete this check. The fault is ours.")


def as_dict(key: str, result: Result) -> dict[str, Any]:
    """A result as JSON, the same wherever it is printed."""
    check = CHECKS.get(key)
    return {
        "id": key,
        "title": check.title if check else key,
        "version": check.version if check else 0,
        "outcome": str(result.outcome),
        "summary": result.summary,
        "advice": result.advice or (check.advice if check else ""),
        "evidence": [evidence.as_dict() for evidence in result.evidence],
        "looked_at": [list(pair) for pair in result.looked_at],
    }
