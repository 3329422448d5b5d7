"""How are an integration's checks run? Read once, run each, keep what they said, hand the verdicts down.

Each check's result is written as soon as it is there, so that a page can show it while the others still look.
"""

import logging
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from integrations.programs.schema import Kind, Requirement
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.services.requirements import record_checks
from integrations.submissions.services.transitions import perform
from integrations.submissions.workflow.states import Holder
from portal.core.json_text import clean
from verification.checks import execution
from verification.checks.models import CheckResult, Observation
from verification.checks.services import observations
from verification.checks.types import CHECKS, FRESH, Subject
from verification.outcomes import Outcome, Result, worst
from verification.sources import Sources, factory

log = logging.getLogger(__name__)
Found = dict[str, Result]
Progress = Callable[[str], None]
BACKOFF = tuple(timedelta(minutes=m) for m in (10, 30, 120, 360, 1440))
SECONDS = 150.0  # in which the checks of a run begin; the longest of them, reading a release, may take 120 more
LATE = Result(Outcome.ERROR, "The checks before took so long that this one was left for later.")
FROZEN = f"{observations.SEEN}frozen"


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a run: the worst outcome and, after an outage, when to look again."""

    outcome: Outcome
    retry_at: datetime | None = None


def retry_at(attempt: int, now: datetime) -> datetime:
    """When an outage is tried again after so many attempts, the first being 1; the last pause repeats."""
    return now + BACKOFF[min(max(attempt, 1), len(BACKOFF)) - 1]


def checked(integration: Integration) -> tuple[Requirement, ...]:
    """The requirements of its edition that checks decide, those of tiers included."""
    edition = integration.edition
    every = (*edition.requirements(), *(r for tier in edition.tiers for r in tier.requirements))
    return tuple(r for r in every if r.checks and context.applies(r, integration))


def keys_of(requirements: Sequence[Requirement]) -> list[str]:
    """Their checks, each once, in the path's order."""
    return list(dict.fromkeys(key for requirement in requirements for key in requirement.checks))


def subject_of(integration: Integration, now: datetime | None = None) -> Subject:
    """The integration as plain values, with what earlier runs recorded."""
    more = {} if now is None else {"now": now}
    return execution.subject_of(
        integration.program,
        integration.edition,
        integration.repository,
        name=integration.name,
        repository_id=integration.repository_id,
        repository_owner_id=integration.repository_owner_id,
        category=integration.category,
        tier=integration.tier,
        tier_request=integration.tier_request,
        standing=str(integration.standing),
        homepage=integration.homepage,
        description=integration.description,
        siblings=_siblings(integration),
        answers=_answers(integration),
        known=observations.known(integration),
        **more,
    )


def _siblings(integration: Integration) -> tuple[str, ...]:
    """The repositories of the company's other integrations in the program that have not ended."""
    mine = Integration.objects.open().filter(partner=integration.partner_id, program_key=integration.program_key)
    others = mine.exclude(pk=integration.pk).exclude(repository="").order_by("repository")
    return tuple(others.values_list("repository", flat=True)[:100])


def _answers(integration: Integration) -> dict[str, dict[str, Any]]:
    """What was answered in forms, by requirement, in the path's order."""
    states, edition = context.states_of(integration), integration.edition
    every = (*edition.requirements(), *(r for tier in edition.tiers for r in tier.requirements))
    forms = (r.id for r in every if r.kind == Kind.FORM and r.id in states)
    return {id: states[id].data for id in forms if states[id].data}


def run(
    integration: Integration,
    requirement_ids: Collection[str] | None = None,
    *,
    now: datetime,
    sources: Sources | None = None,
    attempt: int = 1,
    progress: Progress = lambda key: None,
) -> Ran:
    """Run the checks of these requirements, of all where None, and write down what they said.

    `attempt` counts from 1 and decides when an outage is tried again; `progress` is told each finished check.
    """
    requirements = [r for r in checked(integration) if requirement_ids is None or r.id in requirement_ids]
    subject, read = subject_of(integration, now), sources or factory.sources()
    found: Found = {}
    until = time.monotonic() + SECONDS
    for key in keys_of(requirements):
        said = _plain(execution.safely(key, subject, read), key) if time.monotonic() < until else LATE
        result = observations.settle(integration, subject, key, said, now)
        with transaction.atomic():
            _keep(integration, key, result, now)
        found[key] = result
        progress(key)
    again = _again(found, attempt, now)
    for requirement in requirements:
        _hand_down(integration, requirement, found, again, now)
    _freeze(integration, found, now)
    return Ran(worst(result.outcome for result in found.values()), again)


def _plain(result: Result, key: str) -> Result:
    """The result without what a database refuses; one that is no plain data is a fault of ours."""
    try:
        return replace(
            result,
            summary=clean(result.summary),
            advice=clean(result.advice),
            freeze=clean(result.freeze),
            evidence=tuple(replace(seen, label=clean(seen.label), value=clean(seen.value)) for seen in result.evidence),
            looked_at=tuple((clean(thing), clean(revision)) for thing, revision in result.looked_at),
            remember={name: clean(value) for name, value in result.remember.items()},
        )
    except (TypeError, ValueError, AttributeError, RecursionError):
        log.exception("check %s answered with what is no plain data", key)
        return Result(Outcome.ERROR, "We could not keep what this check found. The fault is ours.")


def _again(found: Found, attempt: int, now: datetime) -> datetime | None:
    """When to look again after an outage: as the source says, else after a pause; None where there was none."""
    outages = [result for result in found.values() if result.outcome == Outcome.ERROR]
    said = [result.retry_at for result in outages if result.retry_at is not None and result.retry_at > now]
    return max(said, default=retry_at(attempt, now)) if outages else None


def _keep(integration: Integration, key: str, result: Result, now: datetime) -> None:
    """Write the result; the same as the last one is only confirmed. What it recorded is kept."""
    row = CheckResult(
        integration=integration,
        key=key,
        version=CHECKS[key].version if key in CHECKS else 0,
        outcome=str(result.outcome),
        summary=result.summary[:500],
        evidence=[evidence.as_dict() for evidence in result.evidence],
        looked_at=[list(pair) for pair in result.looked_at],
        advice=result.advice[:500],
        at=now,
        confirmed_at=now,
    )
    last = CheckResult.objects.filter(integration=integration, key=key).first()
    if last is not None and last.says_the_same(row):
        CheckResult.objects.confirm(last.pk, now)
    else:
        row.save()
    if result.outcome in observations.ANSWERED:
        observations.remember(integration, key, result.remember, now)


def _hand_down(
    integration: Integration, requirement: Requirement, found: Found, again: datetime | None, now: datetime
) -> None:
    mine = {key: found[key] for key in requirement.checks}
    outcome = worst(result.outcome for result in mine.values())
    record_checks(
        integration,
        requirement.id,
        outcome=outcome,
        summary=" ".join(result.summary for result in mine.values() if result.outcome == outcome),
        detail=[_detail(key, result) for key, result in mine.items()],
        retry_at=again if outcome == Outcome.ERROR else None,
        fresh_until=now + min(fresh(key) for key in mine),
        now=now,
    )


def fresh(key: str) -> timedelta:
    """How long an answer of this check counts."""
    return CHECKS[key].fresh if key in CHECKS else FRESH


def _freeze(integration: Integration, found: Found, now: datetime) -> None:
    """Put a listed integration on hold where a person has to decide before anything goes on; once for each reason."""
    key, why = next(((key, result.freeze) for key, result in found.items() if result.freeze), ("", ""))
    row = Integration.objects.get(pk=integration.pk)
    if not why or not row.is_listed or row.hold:
        return
    told, is_new = Observation.objects.get_or_create(
        integration=row, key=FROZEN, defaults={"value": why, "source": key, "since": now, "confirmed_at": now}
    )
    if is_new or told.value != why:
        told.value, told.source, told.since, told.confirmed_at = why, key, now, now
        told.save()
        perform(row, "put_on_hold", by=None, note=why, now=now, waits_for=str(Holder.PROGRAM))


def _detail(key: str, result: Result) -> dict[str, Any]:
    """What a page shows of one check, as JSON."""
    check = CHECKS.get(key)
    return {
        "key": key,
        "title": check.title if check else key,
        "advice": result.advice or (check.advice if check else ""),
        "outcome": str(result.outcome),
        "summary": result.summary,
        "evidence": [evidence.as_dict() for evidence in result.evidence],
        "looked_at": ", ".join(f"{thing} {revision}" for thing, revision in result.looked_at),
    }
