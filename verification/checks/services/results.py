"""Services for check results: cleaned, stored with their observations, and restored for a later attempt of a run."""

import logging
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from django.db import transaction
from pydantic import TypeAdapter

from integrations.submissions.models import Integration
from portal.core.json_text import clean_json
from verification.checks.models import CheckResult
from verification.checks.services import observations
from verification.checks.types import get_description
from verification.outcomes import Evidence, Outcome, Result

logger = logging.getLogger(__name__)
T = TypeVar("T", Result, Evidence)
EVIDENCE_ADAPTER = TypeAdapter(tuple[Evidence, ...])


def sanitize_result(result: Result, key: str) -> Result:
    """Return the result without characters that the database rejects. One that isn't plain data becomes an error."""
    try:
        return replace(
            _clean_fields(result, "summary", "advice", "source", "freeze_reason", "observations"),
            evidence=tuple(_clean_fields(item, "label", "value", "url") for item in result.evidence),
            inspected_revisions=tuple(map(tuple, clean_json(result.inspected_revisions))),
        )
    except (TypeError, ValueError, AttributeError, RecursionError):
        logger.exception("check %s returned data that is not plain", key)
        return Result(Outcome.ERROR, "We couldn't save this result. No action needed.")


def _clean_fields(item: T, *names: str) -> T:
    return replace(item, **{name: clean_json(getattr(item, name)) for name in names})


def build_check_result(integration: Integration, key: str, result: Result, now: datetime) -> CheckResult:
    """Return the result as a row that isn't saved."""
    return CheckResult(
        integration=integration,
        key=key,
        version=get_description(key).version,
        outcome=str(result.outcome),
        is_deferred=result.is_deferred,
        needs_access=result.needs_access,
        summary=result.summary[:500],
        evidence=[evidence.as_dict() for evidence in result.evidence],
        inspected_revisions=[list(pair) for pair in result.inspected_revisions],
        advice=result.advice[:500],
        at=now,
        confirmed_at=now,
    )


def restore_result(row: CheckResult) -> Result:
    """Return a stored result as the check returned it, without what only its own attempt needed."""
    evidence = EVIDENCE_ADAPTER.validate_python(row.evidence)
    revisions = tuple((thing, revision) for thing, revision in row.inspected_revisions)
    outcome = Outcome(row.outcome)
    return Result(outcome, row.summary, evidence, revisions, row.advice, needs_access=row.needs_access)


# The next run compares with the result and its observations, so neither is stored without the other.
@transaction.atomic(savepoint=False)
def store_result(
    integration: Integration, key: str, result: Result, now: datetime, previous: CheckResult | None
) -> None:
    """Store the result and its observations. A result equal to the previous one is only confirmed."""
    check_result = build_check_result(integration, key, result, now)
    if previous is not None and previous.has_same_content(check_result):
        CheckResult.objects.confirm(previous.pk, now)
    else:
        check_result.save()
    observations.store_result_observations(integration, key, result, now)
