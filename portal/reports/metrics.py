"""Which figures go into a week's report? Reads them once; what comes out is plain JSON and is frozen."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q

from integrations.programs.registry import PROGRAMS
from integrations.sla import metrics
from integrations.sla.engine import inputs as rows
from integrations.sla.engine.types import Watching
from integrations.sla.metrics import Scope
from integrations.sla.models import Breach, Clock, Issue, Watch
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import PROGRAM_CALENDAR
from integrations.submissions.workflow.states import Holder, Stage
from portal.audit.models import Event
from portal.core.business_time import due_business
from portal.core.iso_weeks import Week
from portal.reports.models import Snapshot
from portal.reports.scopes import Reported

# 1: the figures of open clocks in "before" were those of the week itself; 2: the CSV had the figures and issues only;
# 3: what was late and what would be was counted by the rows shown, as of when it was made
FORMAT = 4
OPEN = ("running", "at_risk", "overdue", "blind", "paused")
WORST, COMING = 3, 20
LATE = timedelta(days=1)  # after a week's end: from then on its report was made late
DECISIONS = ("approve", "request_changes", "decline")
REQUESTS = ("request_review", "request_again")
MOVES = (
    "release", "archive", "issues_breached", "breaches_retracted", "give_notice", "take_notice_back", "suspend",
    "suspend_at_once", "remove", "uphold_appeal", "reinstate", "step_down",
)  # fmt: skip


def build(found: Reported, week: Week, zone: ZoneInfo, now: datetime) -> dict[str, Any]:
    """The figures of one scope in one week, as JSON: every moment an ISO text, nothing that has to be looked up.

    Whenever it is made: the clocks stand as they were when the week ended.
    """
    start, end = week.span(zone)
    scope, at = found.scope, min(end, now)
    up_to = metrics.data_up_to(scope)
    until = week.after.span(zone)[1]
    coming = metrics.coming(scope, at, until) if now < until else Clock.objects.none()
    return {
        "format": FORMAT,
        "scope": found.key,
        "name": found.name,
        "week": str(week),
        "start": start.isoformat(),
        "end": end.isoformat(),
        "zone": str(zone),
        "made_at": now.isoformat(),
        "made_late": now >= end + LATE,
        "is_past": now >= until,
        "data_up_to": up_to.isoformat() if up_to else "",
        "watched": _watched(scope, at),
        "totals": metrics.totals(scope, start, end, at).as_dict(),
        "before": _before(found, week, zone, at),
        "worst": [row(clock, at) for clock in metrics.worst(scope, at)[:WORST]],
        "coming": [row(clock, at) for clock in coming[:COMING]],
        "coming_in_all": coming.count(),
        "movements": metrics.movements(scope, start, end),
        "retracted": _retracted(scope, start, end),
        "programs": _by_program(scope, start, end, at),
        "standing": _standing(scope, start, end),
        "own": own_record(scope, start, end, at),
        "editions": sorted(_editions(scope)),
    }


def _watched(scope: Scope, at: datetime) -> int:
    """How many repositories were watched at a moment."""
    ended_not_yet = Q(ended_at=None) | Q(ended_at__gt=at)
    return Watch.objects.filter(scope.of(), ended_not_yet, began_at__lte=at).count()


def _before(found: Reported, week: Week, zone: ZoneInfo, at: datetime) -> dict[str, Any]:
    """The week before; where its open clocks were, is what its own report froze, else None."""
    settled = metrics.totals(found.scope, *week.before.span(zone), at).as_dict()
    frozen = Snapshot.objects.filter(scope=found.key, week=str(week.before)).values_list("figures", flat=True).first()
    return settled | {name: frozen["totals"][name] if frozen else None for name in OPEN}


def row(clock: Any, at: datetime) -> dict[str, Any]:
    """One clock of `figures.open_at` as a report shows it. `late_hours` and `age_hours` are whole hours."""
    issue = clock.issue
    spoke_last, spoke_last_at = _spoke_last(issue, at)
    return {
        "issue": str(issue.uuid),
        "name": f"{clock.watch.repository}#{issue.number}",
        "title": issue.title,
        "url": issue.url,
        "partner": clock.integration.partner.name,
        "integration": clock.integration.name,
        "severity": clock.severity,
        "verb": clock.verb,
        "due": clock.due_at.isoformat() if clock.due_at else "",
        "age_hours": int((at - issue.opened_at).total_seconds() // 3600),
        "late_hours": max(0, int((at - clock.due_at).total_seconds() // 3600)) if clock.due_at else 0,
        "holder": "reporter" if clock.then == Watching.PAUSED else "partner",
        "spoke_last": spoke_last,
        "spoke_last_at": spoke_last_at.isoformat() if spoke_last_at else "",
        "state": clock.then,
    }


def _spoke_last(issue: Issue, at: datetime) -> tuple[str, datetime | None]:
    """Who had spoken last by a moment, and when: folded again only where somebody spoke since."""
    if issue.spoke_last_at is None or issue.spoke_last_at <= at:
        return issue.spoke_last, issue.spoke_last_at
    then = rows.state_of(issue, at, segments=False)
    return then.spoke_last, then.spoke_last_at


def _retracted(scope: Scope, start: datetime, end: datetime) -> list[dict[str, str]]:
    """The breaches that were taken back within the span, with the reason."""
    back = Breach.objects.filter(scope.of(), retracted_at__gte=start, retracted_at__lt=end)
    found = back.select_related("issue__watch", "integration").order_by("retracted_at", "pk")[:COMING]
    return [
        {"name": str(each.issue), "integration": each.integration.name, "why": each.retracted_why} for each in found
    ]


def _by_program(scope: Scope, start: datetime, end: datetime, at: datetime) -> list[dict[str, Any]]:
    keys = Integration.objects.filter(scope.of(""), watch__isnull=False).order_by("program_key")
    found = []
    for key in keys.values_list("program_key", flat=True).distinct():
        part = Scope(scope.partner_id, scope.integration_id, key)
        name = PROGRAMS[key].name if key in PROGRAMS else key
        found.append({"program": key, "name": name} | metrics.totals(part, start, end, at).as_dict())
    return found


def _standing(scope: Scope, start: datetime, end: datetime) -> list[dict[str, str]]:
    """Who was listed, warned, suspended or removed within the week."""
    events = Event.objects.filter(scope.of("integration__"), verb__in=MOVES, at__gte=start, at__lt=end, internal=False)
    events = events.exclude(verb__in=("issues_breached", "breaches_retracted"))
    found = events.select_related("integration__partner").order_by("at", "pk")[:50]
    return [
        {"partner": e.integration.partner.name, "integration": e.integration.name, "what": e.words[0]}
        for e in found
        if e.integration is not None
    ]


def own_record(scope: Scope, start: datetime, end: datetime, at: datetime) -> dict[str, int]:
    """The program's own promise: reviews decided within the span, those in time, and what still waits since then."""
    decided = Event.objects.filter(scope.of("integration__"), verb__in=DECISIONS, at__gte=start, at__lt=end)
    done = list(decided.select_related("integration"))
    waiting = Integration.objects.filter(scope.of(""), stage=Stage.REVIEW, turn_holder=Holder.PROGRAM)
    waiting = waiting.exclude(turn_since__gt=at)
    return {
        "decided": len(done),
        "in_time": sum(_was_in_time(event) for event in done),
        "waiting": waiting.count(),
        "late": waiting.filter(turn_due_at__lt=at).count(),
    }


def _was_in_time(decision: Event) -> bool:
    asked = Event.objects.filter(stream=decision.stream, seq__lt=decision.seq, verb__in=REQUESTS).order_by("-seq")
    last = asked.first()
    if last is None or decision.integration is None:
        return True
    days = decision.integration.edition.review_days
    return decision.at <= due_business(last.at, days, PROGRAM_CALENDAR)


def _editions(scope: Scope) -> Iterable[str]:
    rows = Integration.objects.filter(scope.of(""), watch__isnull=False)
    return {f"{key}@{edition}" for key, edition in rows.values_list("program_key", "edition_date")}
