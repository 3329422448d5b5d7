"""Figures of the SLA dashboard, each compared with a week ago, in six queries.

A week is the last seven days, not a calendar week. The earlier figures for clocks at risk or overdue come from today's
data. The earlier figure for incomplete data comes from the last weekly report.
"""

from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any

from django.db.models import Count, Min, Q
from django.utils.translation import gettext as _, gettext_noop

from integrations.sla.engine.types import ClockStatus
from integrations.sla.filters import STATE_LABELS, ClockFilters, build_state_condition
from integrations.sla.formatting import format_percent
from integrations.sla.metrics import Totals, build_monitored_condition
from integrations.sla.models import MonitoredRepository, SlaBreach
from portal.core.figures import build_key, read_figures
from portal.core.periods import PeriodKind, get_last_complete_period, get_program_zone
from portal.core.value_types import TemplateContext
from portal.reports.trends import count_incomplete_clocks

WEEK = timedelta(days=7)
FIGURES_CACHE_SECONDS = 60
MAX_UNREADABLE = 5  # repositories listed with a reason
POLL_DELAY_TOLERANCE = timedelta(minutes=15)  # polls later than this count as behind


# state, tone unless there are none, icon, and note of the tiles
STATE_TILES = (
    ("at_risk", "warn", "triangle-alert", gettext_noop("At least 75% of the time is used")),
    ("overdue", "bad", "alarm-clock-off", gettext_noop("Past the due date and still open")),
    ("data_incomplete", "info", "eye-off", gettext_noop("Our data ends before the due date")),
)


def build_dashboard_summary(filters: ClockFilters, now: datetime) -> TemplateContext:
    """Return the figures above the list of clocks.

    `behind` counts repositories that were not read recently. `unreadable` lists those with a known reason, the longest
    unread first.
    """
    counts = _read_figures(filters, now)
    return {
        "tiles": [_build_share_tile(counts), *_build_state_tiles(counts)],
        "tabs": [
            (state, _(label), state == filters.state, counts[f"tab_{state}"]) for state, label in STATE_LABELS.items()
        ],
        "count": counts[f"tab_{filters.state}"],
        "clock_count": counts["tab_all"],
        **{name: counts[name] for name in ("repository_count", "behind", "data_up_to")},
        "unreadable": _list_unreadable_repositories(filters) if counts["behind"] else [],
    }


def _read_figures(filters: ClockFilters, now: datetime) -> dict[str, Any]:
    """Return all counts of the page. Large results are cached for a minute."""
    return read_figures(
        # The SQL contains the filters and what the reader can see, so no reader gets the figures of another.
        build_key("dashboard", filters.list_clocks()),
        lambda: (
            _count_clocks(filters, now)
            | _count_breaches(filters, now)
            | _measure_data_coverage(filters, now)
            | {"incomplete_before": _count_incomplete_last_week(filters, now)}
        ),
        itemgetter("tab_all"),
        seconds=FIGURES_CACHE_SECONDS,
    )


def _count_clocks(filters: ClockFilters, now: datetime) -> dict[str, Any]:
    """Return the counts of each tab as `tab_STATE`, of clocks met in both weeks, and of clocks open a week ago."""
    week_ago = now - WEEK
    two_weeks_ago = now - 2 * WEEK
    met_condition = Q(state=ClockStatus.MET)
    open_condition = _build_open_condition(week_ago)
    tab_counts = {
        f"tab_{state}": Count("pk", filter=build_state_condition(state, now))
        for state in STATE_LABELS
        if state != "disputed"
    }
    counts = filters.list_clocks().aggregate(
        met=Count("pk", filter=met_condition & Q(stopped_at__gte=week_ago, stopped_at__lt=now)),
        met_before=Count("pk", filter=met_condition & Q(stopped_at__gte=two_weeks_ago, stopped_at__lt=week_ago)),
        risk_before=Count("pk", filter=open_condition & Q(warn75_at__lte=week_ago, due_at__gt=week_ago)),
        overdue_before=Count(
            "pk", filter=open_condition & Q(due_at__lte=week_ago) & ~Q(state=ClockStatus.DATA_INCOMPLETE)
        ),
        **tab_counts,
    )
    # a separate query: it uses a small index
    disputed_count = filters.list_clocks().filter(build_state_condition("disputed", now)).count()
    return counts | {"tab_disputed": disputed_count}


def _build_state_tiles(counts: dict[str, Any]) -> list[TemplateContext]:
    """Return the tiles for clocks at risk, overdue clocks, and incomplete data."""
    incomplete = counts["incomplete_before"]
    comparisons = {
        "at_risk": _("%(count)s a week ago") % {"count": counts["risk_before"]},
        "overdue": _("%(count)s a week ago") % {"count": counts["overdue_before"]},
        "data_incomplete": _("%(count)s at the end of week %(week)s") % incomplete if incomplete else "",
    }
    return [
        {
            "title": _(STATE_LABELS[state]),
            "value": counts[f"tab_{state}"],
            "before": comparisons[state],
            "state": state,
            "tone": tone if counts[f"tab_{state}"] else "neutral",
            "icon": icon,
            "note": _(note),
        }
        for state, tone, icon, note in STATE_TILES
    ]


def _count_incomplete_last_week(filters: ClockFilters, now: datetime) -> dict[str, int]:
    """Return the number and the week of the last weekly report, or nothing without a report for these filters."""
    week = get_last_complete_period(PeriodKind.WEEK, now, get_program_zone())
    counts = count_incomplete_clocks(filters.report, [week])
    return {"count": counts[week], "week": week.number} if counts else {}


def _build_open_condition(moment: datetime) -> Q:
    is_open = Q(is_committed=True, started_at__lte=moment) & (Q(stopped_at=None) | Q(stopped_at__gt=moment))
    return is_open & build_monitored_condition(moment)


def _count_breaches(filters: ClockFilters, now: datetime) -> dict[str, int]:
    """Return the number of breaches due in the last seven days as `breaches`, and of the seven days before."""
    week_ago = now - WEEK
    two_weeks_ago = now - 2 * WEEK
    # By due date, as in reports.
    breaches = SlaBreach.objects.filter(filters.condition, retracted_at=None, due_at__gte=two_weeks_ago, due_at__lt=now)
    counts: dict[str, int] = breaches.aggregate(
        breaches=Count("pk", filter=Q(due_at__gte=week_ago)), breaches_before=Count("pk", filter=Q(due_at__lt=week_ago))
    )
    return counts


def _measure_data_coverage(filters: ClockFilters, now: datetime) -> dict[str, Any]:
    """Return the number of monitored repositories, how many are behind, and until when the data is complete.

    A repository is behind if we couldn't read it, or if its next poll is overdue.
    """
    behind = Count("pk", filter=~Q(trouble="") | Q(poll_at__lt=now - POLL_DELAY_TOLERANCE))
    monitored_repositories = MonitoredRepository.objects.filter(filters.scope, ended_at=None)
    figures: dict[str, Any] = monitored_repositories.aggregate(
        repository_count=Count("pk"), behind=behind, data_up_to=Min("data_up_to")
    )
    return figures


def _list_unreadable_repositories(filters: ClockFilters) -> list[MonitoredRepository]:
    monitored_repositories = MonitoredRepository.objects.filter(filters.scope, ended_at=None).exclude(trouble="")
    return list(monitored_repositories.select_related("integration").order_by("data_up_to", "pk")[:MAX_UNREADABLE])


def _build_share_tile(counts: dict[str, Any]) -> TemplateContext:
    totals = Totals(counts["met"], counts["breaches"])
    previous_totals = Totals(counts["met_before"], counts["breaches_before"])
    return {
        "title": _("On time"),
        "value": format_percent(totals.share),
        "before": _("%(share)s in the previous 7 days") % {"share": format_percent(previous_totals.share)}
        if previous_totals.settled_count
        else _("No targets due in the previous 7 days"),
        "state": "all",
        "tone": "good" if totals.met and not totals.breached else "neutral",
        "icon": "timer",
        "note": _("%(met)s of %(count)s in the last 7 days") % {"met": totals.met, "count": totals.settled_count}
        if totals.settled_count
        else _("No targets due in the last 7 days"),
    }
