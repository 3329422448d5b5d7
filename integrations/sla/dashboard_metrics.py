"""Figures above the SLA list, each beside that of a week ago, in six queries.

The week is the last seven days, the week before the seven days before those: a Monday has a week too. What was at risk
or past due a week ago is said as today's facts tell it; what was blind, as the report of the last week froze it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Min, Q
from django.urls import reverse
from django.utils.translation import gettext as _

from integrations.sla.engine.types import ClockStatus
from integrations.sla.filters import STATE_LABELS, ClockFilters, build_state_condition
from integrations.sla.models import MonitoredRepository, SlaBreach
from portal.core.iso_weeks import get_last_complete_week, get_program_zone
from portal.reports import trend_records
from portal.reports.presenters import format_percent

WEEK = timedelta(days=7)
MAX_UNREADABLE = 5  # repositories listed with their reason
POLL_DELAY_TOLERANCE = timedelta(minutes=15)  # how much later than planned a repository may be read


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure: what it counts, its value, the one before in words, the list behind it, tone and icon."""

    title: str
    value: str
    before: str
    href: str
    tone: str
    icon: str
    note: str


@dataclass(frozen=True, slots=True)
class DashboardSummary:
    """Figures above the list.

    `tabs`: (word, address, is it shown, count). `behind`: number of repositories not read lately. `unreadable`: those
    with a known reason, the longest unread first.
    """

    tiles: list[Tile]
    tabs: list[tuple[str, str, bool, int]]
    count: int
    watched: int
    behind: int
    data_up_to: datetime | None
    unreadable: list[MonitoredRepository]


def build_dashboard_summary(filters: ClockFilters, now: datetime, query: Any) -> DashboardSummary:
    """`query`: the parameters of the address (a QueryDict), kept in every link."""
    counts = _count_clocks(filters, now)
    tiles = [
        _build_share_tile(filters, now, counts, _build_state_url(query, "all")),
        *_build_state_tiles(filters, now, counts, query),
    ]
    tabs = [
        (_(label), _build_state_url(query, state), state == filters.state, counts[f"tab_{state}"])
        for state, label in STATE_LABELS.items()
    ]
    return DashboardSummary(tiles, tabs, counts[f"tab_{filters.state}"], **_collect_data_coverage(filters, now))


def _count_clocks(filters: ClockFilters, now: datetime) -> dict[str, int]:
    """Return the clocks of each tab as `tab_STATE`, those met in both weeks, and what was open a week ago."""
    week_ago, two_weeks_ago = now - WEEK, now - 2 * WEEK
    met_condition = Q(state=ClockStatus.MET)
    open_condition = _build_open_condition(week_ago)
    tab_counts = {
        f"tab_{state}": Count("pk", filter=build_state_condition(state, now))
        for state in STATE_LABELS
        if state != "disputed"
    }
    counts = filters.list_clocks().aggregate(
        kept=Count("pk", filter=met_condition & Q(stopped_at__gte=week_ago, stopped_at__lt=now)),
        kept_before=Count("pk", filter=met_condition & Q(stopped_at__gte=two_weeks_ago, stopped_at__lt=week_ago)),
        risk_before=Count("pk", filter=open_condition & Q(warn75_at__lte=week_ago, due_at__gt=week_ago)),
        late_before=Count(
            "pk", filter=open_condition & Q(due_at__lte=week_ago) & ~Q(state=ClockStatus.DATA_INCOMPLETE)
        ),
        **tab_counts,
    )
    # few, by an index of their own
    disputed_count = filters.list_clocks().filter(build_state_condition("disputed", now)).count()
    return counts | {"tab_disputed": disputed_count}


def _build_state_tiles(filters: ClockFilters, now: datetime, counts: dict[str, int], query: Any) -> list[Tile]:
    """Return the tiles of clocks at risk, breached, and blind."""
    week_ago_text = _("a week ago %(count)s")
    return [
        Tile(
            _("At risk"),
            str(counts["tab_at_risk"]),
            week_ago_text % {"count": counts["risk_before"]},
            _build_state_url(query, "at_risk"),
            "warn" if counts["tab_at_risk"] else "neutral",
            "triangle-alert",
            _("75 % or more of the time is used"),
        ),
        Tile(
            _("Breached"),
            str(counts["tab_breached"]),
            week_ago_text % {"count": counts["late_before"]},
            _build_state_url(query, "breached"),
            "bad" if counts["tab_breached"] else "neutral",
            "alarm-clock-off",
            _("past due and still open"),
        ),
        Tile(
            _("Blind"),
            str(counts["tab_data_incomplete"]),
            _describe_last_week_incomplete(filters, now),
            _build_state_url(query, "data_incomplete"),
            "info" if counts["tab_data_incomplete"] else "neutral",
            "eye-off",
            _("our data ends before the due moment"),
        ),
    ]


def _describe_last_week_incomplete(filters: ClockFilters, now: datetime) -> str:
    """What the last weekly report said; blank where there is none of just this."""
    week = get_last_complete_week(now, get_program_zone())
    return "".join(
        _("when week %(number)s ended %(n)s") % {"number": week.number, "n": count}
        for count in trend_records.count_incomplete_clocks(filters.report, [week]).values()
    )


def _build_open_condition(moment: datetime) -> Q:
    return Q(started_at__lte=moment) & (Q(stopped_at=None) | Q(stopped_at__gt=moment))


def _count_breaches(filters: ClockFilters, now: datetime) -> tuple[int, int]:
    """Breaches that fell due in the last seven days, and in those before."""
    week_ago, two_weeks_ago = now - WEEK, now - 2 * WEEK
    breaches = SlaBreach.objects.filter(filters.condition, retracted_at=None, due_at__gte=two_weeks_ago, due_at__lt=now)
    counts = breaches.aggregate(
        now=Count("pk", filter=Q(due_at__gte=week_ago)), before=Count("pk", filter=Q(due_at__lt=week_ago))
    )
    return counts["now"], counts["before"]


def _collect_data_coverage(filters: ClockFilters, now: datetime) -> dict[str, Any]:
    """How many repositories are watched, how many of them are behind, and how far the furthest behind is known.

    Behind is what could not be read, or was not when its moment came: one whose hook works is read once an hour.
    """
    watches = MonitoredRepository.objects.filter(filters.scope, ended_at=None)
    behind_count = Count("pk", filter=~Q(trouble="") | Q(poll_at__lt=now - POLL_DELAY_TOLERANCE))
    troubled = watches.exclude(trouble="").select_related("integration").order_by("data_up_to", "pk")
    return {
        **watches.aggregate(watched=Count("pk"), behind=behind_count, data_up_to=Min("data_up_to")),
        "unreadable": list(troubled[:MAX_UNREADABLE]),
    }


def _build_share_tile(filters: ClockFilters, now: datetime, counts: dict[str, int], href: str) -> Tile:
    met_count, previous_met_count = counts["kept"], counts["kept_before"]
    breach_count, previous_breach_count = _count_breaches(filters, now)
    note = (
        _("%(kept)s of %(count)s in the last 7 days") % {"kept": met_count, "count": met_count + breach_count}
        if met_count + breach_count
        else _("nothing came due in the last 7 days")
    )
    tone = "neutral" if not met_count + breach_count else "good" if not breach_count else "neutral"
    previous_share = _calculate_share(previous_met_count, previous_breach_count)
    return Tile(
        _("In time"),
        format_percent(_calculate_share(met_count, breach_count)),
        _("the 7 days before %(old)s") % {"old": format_percent(previous_share)},
        href,
        tone,
        "timer",
        note,
    )


def _calculate_share(met_count: int, breach_count: int) -> float | None:
    return round(100 * met_count / (met_count + breach_count), 1) if met_count + breach_count else None


def _build_state_url(query: Any, state: str) -> str:
    """The same list in another state, from its first page."""
    parameters = query.copy()
    for name in ("page", "state"):
        parameters.pop(name, None)
    if state:
        parameters["state"] = state
    return reverse("sla") + (f"?{parameters.urlencode()}" if parameters else "")
