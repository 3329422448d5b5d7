"""What do we know of an integration from earlier runs, from which source, since when, last confirmed when?

Written only where a source answered; an outage changes nothing. What was seen once and is then "not found" is not
forgotten: it has to be missed twice, a day apart, before that counts.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from integrations.submissions.models import Integration
from verification.checks.models import Observation
from verification.checks.types import Subject
from verification.outcomes import Outcome, Result

APART = timedelta(hours=24)
SEEN = "seen:"  # what a check last saw, kept apart from what checks remember
ANSWERED = (Outcome.PASS, Outcome.WARN, Outcome.FAIL)
MOST_KEY = 120


def known(integration: Integration) -> dict[str, Any]:
    """What checks remembered, as plain values by their own keys."""
    rows = Observation.objects.filter(integration=integration).exclude(key__startswith=SEEN)
    return dict(rows.values_list("key", "value"))


def remember(integration: Integration, check: str, values: Mapping[str, Any], now: datetime) -> None:
    """Keep what a check recorded: a new value has a new beginning, the same one is confirmed."""
    for key, value in values.items():
        _observe(integration, key[:MOST_KEY], value, check, now)


def settle(integration: Integration, subject: Subject, check: str, result: Result, now: datetime) -> Result:
    """The result as it counts now: the first "not found" of what was seen before destroys nothing.

    Of something listed it is a warning until then; before that it is not run, so that nothing passes on it either.
    """
    if result.outcome not in ANSWERED:
        return result
    seen = SEEN + check
    if not result.absent:
        if result.outcome != Outcome.FAIL:
            _observe(integration, seen, subject.repository, check, now)
        return result
    row = Observation.objects.filter(integration=integration, key=seen, value=subject.repository).first()
    if row is None:
        return result
    if row.missing_since is None:
        row.missing_since = now
        row.save(update_fields=["missing_since"])
    since = row.missing_since
    if now - since >= APART:
        return replace(result, summary=f"{result.summary} It has not been visible to us since {_said(since)}.")
    summary = f"Not visible to us since {_said(since)}; we look again before anything follows. {result.summary}"
    outcome = Outcome.WARN if integration.is_listed else Outcome.NOT_RUN
    return replace(result, outcome=outcome, summary=summary, remember={})


def _observe(integration: Integration, key: str, value: Any, source: str, now: datetime) -> None:
    fields = {"value": value, "source": source, "since": now, "confirmed_at": now, "missing_since": None}
    row, is_new = Observation.objects.get_or_create(integration=integration, key=key, defaults=fields)
    if is_new:
        return
    if row.value != value:
        row.value, row.since = value, now
    row.source, row.confirmed_at, row.missing_since = source, max(row.confirmed_at, now), None
    row.save()


def _said(moment: datetime) -> str:
    return f"{moment:%a} {moment.day} {moment:%b, %H:%M} UTC"
