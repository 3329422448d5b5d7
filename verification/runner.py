"""How are an integration's checks run? Read once, run each, keep what they said, hand the verdicts down."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from integrations import facts
from integrations.actions.answers import record_checks
from integrations.models import Integration
from integrations.programs.base import Requirement
from verification import looking
from verification.base import CHECKS, Outcome, Result, Subject, worst
from verification.models import CheckResult
from verification.sources import Sources

Found = dict[str, Result]
BACKOFF = tuple(timedelta(minutes=m) for m in (10, 30, 120, 360, 1440))


def retry_at(attempt: int, now: datetime) -> datetime:
    """When an outage is tried again after so many attempts, the first being 1; the last pause repeats."""
    return now + BACKOFF[min(max(attempt, 1), len(BACKOFF)) - 1]


def checked(integration: Integration) -> tuple[Requirement, ...]:
    """The requirements of its edition that checks decide, those of tiers included."""
    edition = integration.edition
    every = (*edition.requirements(), *(r for tier in edition.tiers for r in tier.requirements))
    return tuple(r for r in every if r.checks and facts.applies(r, integration))


def subject_of(integration: Integration) -> Subject:
    """The integration as plain values."""
    return looking.subject_of(
        integration.program,
        integration.edition,
        integration.repository,
        name=integration.name,
        repository_id=integration.repository_id,
        repository_owner_id=integration.repository_owner_id,
    )


def run(
    integration: Integration,
    requirement_ids: Collection[str] | None = None,
    *,
    now: datetime,
    sources: Sources | None = None,
    attempt: int = 1,
) -> Outcome:
    """Run the checks of these requirements, of all where None, and write down what they said.

    Returns the worst outcome. `attempt` counts from 1 and decides when an outage is tried again.
    """
    requirements = [r for r in checked(integration) if requirement_ids is None or r.id in requirement_ids]
    keys = list(dict.fromkeys(key for r in requirements for key in r.checks))
    subject, clients = subject_of(integration), sources or Sources()
    found = looking.look(keys, subject, clients)
    with transaction.atomic():
        for key, result in found.items():
            _keep(integration, key, result, now)
        for requirement in requirements:
            _hand_down(integration, requirement, found, now, attempt)
    return worst(result.outcome for result in found.values())


def _keep(integration: Integration, key: str, result: Result, now: datetime) -> None:
    CheckResult.objects.create(
        integration=integration,
        key=key,
        version=CHECKS[key].version if key in CHECKS else 0,
        outcome=result.outcome,
        summary=result.summary[:500],
        evidence=[evidence.as_dict() for evidence in result.evidence],
        looked_at=[list(pair) for pair in result.looked_at],
        at=now,
    )


def _hand_down(integration: Integration, requirement: Requirement, found: Found, now: datetime, attempt: int) -> None:
    mine = {key: found[key] for key in requirement.checks}
    outcome = worst(result.outcome for result in mine.values())
    record_checks(
        integration,
        requirement.id,
        outcome=outcome,
        summary=" ".join(result.summary for result in mine.values() if result.outcome == outcome),
        detail=[_detail(key, result) for key, result in mine.items()],
        retry_at=retry_at(attempt, now) if outcome == Outcome.ERROR else None,
        now=now,
    )


def _detail(key: str, result: Result) -> dict[str, Any]:
    """What a page shows of one check, as JSON."""
    check = CHECKS.get(key)
    looked_at: Sequence[tuple[str, str]] = result.looked_at
    return {
        "key": key,
        "title": check.title if check else key,
        "advice": check.advice if check else "",
        "outcome": str(result.outcome),
        "summary": result.summary,
        "evidence": [evidence.as_dict() for evidence in result.evidence],
        "looked_at": ", ".join(f"{thing} {revision}" for thing, revision in looked_at),
    }
