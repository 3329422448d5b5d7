"""Execution of checks on a subject. The portal, preflight, and manage.py share it; it needs no database."""

import logging
from collections.abc import Callable, Iterable

from integrations.programs.requirements import Requirement
from integrations.programs.schema import Edition, Program
from portal.core.repository_urls import get_product_name
from portal.core.value_types import JsonObject
from verification.checks import rules  # noqa: F401 - registers the checks
from verification.checks.types import CHECKS, Subject, get_description
from verification.outcomes import Outcome, Result
from verification.sources.errors import (
    LegallyWithheldError,
    MissingVersionError,
    SourceError,
    SourceNotFoundError,
    UnsupportedBySourceError,
)

logger = logging.getLogger(__name__)


def build_subject(program: Program, edition: Edition, repository: str) -> Subject:
    """Return the subject for "owner/name" in an edition of a program."""
    owner, _, name = repository.partition("/")
    return Subject(
        program=program.key,
        edition=edition.date,
        product=program.product,
        name=get_product_name(name),
        repository=repository,
        repository_pattern=program.repository_pattern,
        repository_hint=program.repository_hint,
        namespace=owner,
        provider=get_product_name(name),
        licenses=edition.licenses,
    )


def list_check_keys(edition: Edition, category: str = "") -> tuple[str, ...]:
    """Return the checks that an edition requires, tiers included, each once. Default: those of all categories."""
    return _list_applicable_keys(edition.list_all_requirements(), category)


def list_advisory_check_keys(edition: Edition, category: str) -> frozenset[str]:
    """Return the checks that block nothing: those of optional requirements and of tiers only."""
    mandatory_requirements = (requirement for requirement in edition.list_requirements() if not requirement.optional)
    mandatory_keys = _list_applicable_keys(mandatory_requirements, category)
    return frozenset(list_check_keys(edition, category)) - frozenset(mandatory_keys)


def _list_applicable_keys(requirements: Iterable[Requirement], category: str) -> tuple[str, ...]:
    return list_required_check_keys(
        requirement
        for requirement in requirements
        if not (requirement.categories and category) or category in requirement.categories
    )


def list_required_check_keys(requirements: Iterable[Requirement]) -> tuple[str, ...]:
    """Return the checks of these requirements, each once, in the order of the path."""
    return tuple(dict.fromkeys(key for requirement in requirements for key in requirement.checks))


def run_checks(
    keys: Iterable[str], subject: Subject, sources: object, report_start: Callable[[str], None] = lambda key: None
) -> dict[str, Result]:
    """Run the checks in the given order and return their results. Exceptions of a check become ERROR results.

    Args:
        report_start: Called with each key before its check starts.
    """
    results = {}
    for key in keys:
        report_start(key)
        results[key] = run_check(key, subject, sources)
    return results


def run_check(key: str, subject: Subject, sources: object) -> Result:
    """Return the result of the check. Any unexpected failure counts as an error on our side."""
    if key not in CHECKS:
        return Result(Outcome.NOT_RUN, "This check isn't available in the portal. A reviewer decides.")
    try:
        return CHECKS[key].run(subject, sources)
    # From the most specific error to SourceError, from which all of them derive.
    except UnsupportedBySourceError as reason:
        return Result(Outcome.NOT_RUN, f"Not checked: {reason}")
    except (SourceNotFoundError, MissingVersionError) as answer:
        return Result(Outcome.FAIL, str(answer), missing_item=str(answer))
    # Status 451 is neither absence nor an outage, so a person decides before anything changes.
    except LegallyWithheldError as answer:
        return Result(Outcome.NOT_RUN, f"A reviewer decides: {answer}", freeze_reason=str(answer))
    # An outage is never the partner's fault, so it isn't a failure and is tried again.
    except SourceError as refusal:
        retry_at = getattr(refusal, "retry_at", None)
        source = getattr(refusal, "source", "")
        summary = f"We couldn't complete this check: {refusal}"
        return Result(Outcome.ERROR, summary, retry_at=retry_at, source=source or str(refusal))
    # A broken check must not keep the others of the run from their results.
    except Exception:
        logger.exception("check %s failed on %s", key, subject.repository)
        summary = "We couldn't complete this check because of an error on our side. No action needed."
        return Result(Outcome.ERROR, summary)


# Nothing is left to fix after a pass, and the partner can't fix an error on our side.
OUTCOMES_WITHOUT_ADVICE = (Outcome.PASS, Outcome.ERROR)


def serialize_result(key: str, result: Result) -> JsonObject:
    """Return a result as JSON in the one shape that all outputs share."""
    description = get_description(key)
    return {
        "id": key,
        "title": description.title,
        "version": description.version,
        "outcome": str(result.outcome),
        "summary": result.summary,
        "advice": "" if result.outcome in OUTCOMES_WITHOUT_ADVICE else result.advice or description.advice,
        "evidence": [evidence.as_dict() for evidence in result.evidence],
        "inspected_revisions": [list(pair) for pair in result.inspected_revisions],
    }
