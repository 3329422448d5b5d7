"""What does a partner dispute about an issue, and how does the program decide? Facts of the portal's own.

The partner can only ask. What is agreed is a fact like GitHub's. A lower severity counts from its moment on, or from
the partner's asking for it, and takes nothing back that was broken before. Any decision about the issue settles what
was disputed.
"""

from datetime import datetime
from typing import Any

from integrations.partners import permissions
from integrations.sla.engine.types import Actor, Happening, Kind, Severity
from integrations.sla.github import event_store
from integrations.sla.models import Issue, IssueEvent, Watch
from integrations.sla.services import projection
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import changing
from portal.audit.models import Event
from portal.audit.services import record
from portal.core.errors import NotAllowed

SETTLED: dict[str, Any] = {"disputed": "", "disputed_at": None}
SEVERITY = ("severity_asked", "severity_lowered", "dispute_dismissed")
# what a breach that a decision takes back says of it
WHY = {
    Kind.SEVERITY_LOWERED: "The program agreed that the issue is not critical",
    Kind.NOT_AN_ISSUE: "The program agreed that the promise does not cover the issue",
}


def lower(issue: Issue, reason: str, *, by: Any, now: datetime) -> Event:
    """The program consents: not critical from now on, or since the partner asked for it. Raises NotAllowed."""
    data, asked = {"severity": str(Severity.OTHER)}, _asked_at(issue)
    data |= {"asked": asked.isoformat()} if asked else {}
    return _decide(issue, Kind.SEVERITY_LOWERED, "severity_lowered", reason, data, by=by, now=now)


def _asked_at(issue: Issue) -> datetime | None:
    """When the partner asked for a lower severity first, of what the program has not decided yet."""
    told = Event.objects.filter(integration=issue.integration, data__issue=str(issue.uuid), verb__in=SEVERITY)
    asked: datetime | None = None
    for verb, at in told.order_by("seq").values_list("verb", "at"):
        asked = (asked or at) if verb == "severity_asked" else None
    return asked


def let_off(issue: Issue, reason: str, *, by: Any, now: datetime) -> Event:
    """The program agrees that the promise does not cover it. Breaches that stand are taken back. Raises NotAllowed."""
    return _decide(issue, Kind.NOT_AN_ISSUE, "not_covered", reason, {}, by=by, now=now)


def ask_to_lower(issue: Issue, reason: str, *, by: Any, now: datetime) -> Event:
    """The partner asks; nothing changes until the program agrees. Raises NotAllowed."""
    with changing(issue.integration, permissions.may_edit, by=by, now=now) as row:
        _still(issue, Kind.SEVERITY_LOWERED)
        _disputed(issue, Issue.Disputed.SEVERITY, now)
        return _record(row, issue, "severity_asked", reason, by, now)


def dispute(issue: Issue, reason: str, *, by: Any, now: datetime) -> Event:
    """The partner disputes a breach that stands; it stands until the program has decided. Raises NotAllowed."""
    with changing(issue.integration, permissions.may_edit, by=by, now=now) as row:
        _still(issue, Kind.NOT_AN_ISSUE)
        if not issue.breaches.filter(retracted_at=None).exists():
            raise NotAllowed("No breach of this issue stands.", "gone")
        _disputed(issue, Issue.Disputed.BREACH, now)
        return _record(row, issue, "breach_disputed", reason, by, now)


def dismiss(issue: Issue, reason: str, *, by: Any, now: datetime) -> Event:
    """The program leaves what is disputed as it is, and says why. Raises NotAllowed."""
    with changing(issue.integration, permissions.may_decide, by=by, now=now) as row:
        if not Issue.objects.filter(pk=issue.pk, disputed_at__isnull=False).update(**SETTLED):
            raise NotAllowed("Nothing of this issue is disputed any more.", "gone")
        return _record(row, issue, "dispute_dismissed", reason, by, now)


def _disputed(issue: Issue, what: str, now: datetime) -> None:
    Issue.objects.filter(pk=issue.pk).update(disputed=what, disputed_at=now)


def _decide(issue: Issue, kind: Kind, verb: str, reason: str, data: dict[str, str], *, by: Any, now: datetime) -> Event:
    with changing(issue.integration, permissions.may_decide, by=by, now=now) as row:
        event_store.hold(issue.watch_id, wait=True)
        _still(issue, kind)
        key = f"{kind}:{now:%Y%m%dT%H%M%S}"
        fact = Happening(key, kind, now, Actor(0, str(by)), reason, data=data)
        event_store.row_of(issue.pk, fact, "portal", now).save()
        projection.refold([issue.pk], now, f"{WHY[kind]}: {reason}")
        Issue.objects.filter(pk=issue.pk).update(**SETTLED)
        return _record(row, issue, verb, reason, by, now)


def _still(issue: Issue, kind: Kind) -> None:
    """Raises NotAllowed where there is nothing left to decide."""
    if IssueEvent.objects.filter(issue=issue, kind=Kind.NOT_AN_ISSUE).exists():
        raise NotAllowed("The promise does not cover this issue any more.", "gone")
    if kind == Kind.SEVERITY_LOWERED and Issue.objects.get(pk=issue.pk).severity != Severity.CRITICAL:
        raise NotAllowed("This issue is not critical any more.", "gone")


def _record(row: Integration, issue: Issue, verb: str, reason: str, by: Any, now: datetime) -> Event:
    watch = Watch.objects.only("repository").get(pk=issue.watch_id)
    name = f"{watch.repository}#{issue.number}"
    return record(row, verb, by=by, now=now, note=reason, issue=str(issue.uuid), name=name, title=issue.title)
