"""What does a decision on a standing rest on? One pack of plain JSON that both sides see, live and as it was frozen."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import translation

from integrations.compliance.events import MAILED
from integrations.sla import metrics
from integrations.sla.engine import inputs
from integrations.sla.engine.explanation import clock_as_data
from integrations.sla.metrics import Scope
from integrations.sla.models import Breach
from integrations.submissions.models import Integration
from integrations.submissions.workflow.evidence import Act
from portal.notifications.models import Email

MOST = 25  # breaches that explain themselves in one pack; the rest are counted
NEWS = ("issues_warned", "issues_breached", "breaches_retracted")
DECISIONS = tuple(verb for verb in MAILED if verb != "suggest_notice")
Acts = Callable[[Integration, datetime], list[Act]]


def pack(row: Integration, now: datetime, acts: Acts) -> dict[str, Any]:
    """The evidence about one integration at a moment. Moments are ISO in UTC.

    Its words are in the portal's own language, since they are frozen, whoever decides.
    """
    with translation.override(settings.LANGUAGE_CODE):
        return _pack(row, now, acts)


def _pack(row: Integration, now: datetime, acts: Acts) -> dict[str, Any]:
    scope = Scope(integration_id=row.pk)
    standing = metrics.breaches(scope).select_related("clock", "issue")
    retracted = Breach.objects.filter(scope.of(), retracted_at__isnull=False).select_related("issue__watch")
    return {
        "at": now.isoformat(),
        "integration": row.name,
        "company": row.partner.name,
        "program": row.program.name,
        "edition": row.edition_date,
        "standing": str(row.standing),
        "since": _iso(row.standing_since),
        "due": _iso(row.standing_due_at),
        "held": row.standing_hold,
        "asked": row.standing_ask,
        "data_up_to": _iso(metrics.data_up_to(scope)),
        "rule": row.edition.removal,
        "promise": row.edition.sla.summary,
        "breaches": [_breach(breach, now) for breach in standing[:MOST]],
        "breaches_in_all": standing.count(),
        "retracted": [_retracted(breach) for breach in retracted[:MOST]],
        "told": told(row),
        "acts": [_act(act) for act in acts(row, row.standing_since)] if row.standing_since else [],
        "decisions": [_decision(event) for event in row.events.filter(verb__in=DECISIONS).order_by("seq")],
    }


def _breach(breach: Breach, now: datetime) -> dict[str, Any]:
    """A breach that stands, with its clock explained as of the moment."""
    issue = inputs.find(str(breach.issue.uuid))
    assert issue is not None
    return {
        "issue": str(issue),
        "title": issue.title,
        "url": issue.url,
        "verb": breach.verb,
        "severity": breach.severity,
        "due": breach.due_at.isoformat(),
        "found": breach.found_at.isoformat(),
        "answered": _iso(breach.clock.stopped_at),
        "clock": _clock(issue, breach.verb, now),
    }


def _clock(issue: Any, verb: str, now: datetime) -> dict[str, Any]:
    """The clock's own account; without words where its facts do not tell of the opening."""
    asked = inputs.asked_of(issue, now)
    try:
        clocks = inputs.state_of(issue, now).clocks
    except ValueError:
        return {"words": []}
    clock = next(clock for clock in clocks if str(clock.verb) == verb)
    return clock_as_data(clock, asked.calendar.zone, issue.url)


def _retracted(breach: Breach) -> dict[str, Any]:
    return {
        "issue": str(breach.issue),
        "url": breach.issue.url,
        "due": breach.due_at.isoformat(),
        "retracted": _iso(breach.retracted_at),
        "why": breach.retracted_why,
    }


def told(row: Integration) -> list[dict[str, Any]]:
    """Who was told what and when, and what became of each mail, oldest first; of the last hundred."""
    mails = Email.objects.filter(integration=row, event__verb__in=(*NEWS, *MAILED))
    kept = mails.order_by("-created_at", "-pk").values("created_at", "subject", "to", "state", "sent_at")[:100]
    return [
        {
            "at": mail["created_at"].isoformat(),
            "subject": mail["subject"],
            "to": mail["to"],
            "fate": str(Email.State(mail["state"]).label),
            "sent": _iso(mail["sent_at"]),
        }
        for mail in reversed(kept)
    ]


def _act(act: Act) -> dict[str, Any]:
    return {"key": act.key, "at": act.at.isoformat(), "said": act.said, "url": act.url}


def _decision(event: Any) -> dict[str, Any]:
    what = event.words[0]
    due = event.data.get("standing_due", "")
    return {
        "seq": event.seq,
        "at": event.at.isoformat(),
        "by": event.actor or "The portal",
        "what": what,
        "note": event.note,
        "due": due,
    }


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
