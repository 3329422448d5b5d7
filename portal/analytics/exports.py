"""Exportable tables, each built from the same query as its page."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, override

from integrations.partners import permissions
from integrations.programs.registry import PROGRAMS, get_edition
from integrations.reviews.forms.queue import FILTER_FIELDS, parse_filters
from integrations.reviews.selectors import queue
from integrations.sla.filters import parse_filters as parse_sla_filters
from integrations.sla.models import SlaClock
from integrations.sla.presenters import COLUMNS as SLA_COLUMNS
from integrations.sla.presenters import build_rows, serialize_row
from integrations.submissions.forms.filters import IntegrationFilterForm
from integrations.submissions.models import Integration
from integrations.submissions.views.lists import filter_integrations
from integrations.submissions.workflow.next_action import render_sentence
from portal.accounts.requests import AuthenticatedRequest
from portal.analytics import flow_presenters, forecast_accuracy, metrics, workload_exports
from portal.analytics.filters import parse_analytics_filters, require_program_staff
from portal.analytics.funnel import build_funnel
from portal.analytics.selectors import flow as reading_flow
from portal.analytics.selectors import stays as reading
from portal.analytics.selectors import workload
from portal.core.exports import CellValue, ExportTable
from portal.core.iso_weeks import get_program_zone

TableRows = Iterator[tuple[CellValue, ...]]
MAX_EXPORT_ROWS = 50_000  # per file
CHUNK_SIZE = 500
LIST_COLUMNS = (
    "integration",
    "company",
    "program",
    "edition",
    "step",
    "stage",
    "listing_status",
    "tier",
    "category",
    "repository",
    "turn",
    "next",
    "due (UTC)",
    "since (UTC)",
    "round",
    "reviewer",
    "began (UTC)",
    "listed (UTC)",
    "address",
)
LIST_FIELDS = (
    "name",
    "partner__name",
    "program_key",
    "edition_date",
    "step",
    "stage",
    "listing_status",
    "tier",
    "category",
    "repository",
    "responsible_party",
    "next_action_code",
    "next_action_params",
    "action_due_at",
    "responsible_since",
    "review_round",
    "reviewer__name",
    "created_at",
    "released_at",
    "uuid",
)
NEXT_INDEX = LIST_FIELDS.index("next_action_code")


def _iterate_list_rows(rows: Any) -> TableRows:
    for row in rows.values_list(*LIST_FIELDS)[:MAX_EXPORT_ROWS].iterator(chunk_size=CHUNK_SIZE):
        *cells, uuid = row
        with override("en"):  # exports are always in English
            cells[NEXT_INDEX : NEXT_INDEX + 2] = [render_sentence(*cells[NEXT_INDEX : NEXT_INDEX + 2])]
        program, edition, step = cells[2:5]
        cells[4] = get_edition(program, edition).step(step).name
        cells[2] = PROGRAMS[program].name
        yield (*cells, settings.SITE_URL + reverse("submissions:detail", args=[uuid]))


def build_integrations_table(request: AuthenticatedRequest, now: datetime) -> ExportTable:
    """Build the table of filtered integrations that the user can see."""
    form = IntegrationFilterForm(data=request.GET)
    form.is_valid()
    rows = filter_integrations(Integration.objects.visible_to(request.user), form.cleaned_data)
    columns = (
        LIST_COLUMNS
        if permissions.is_program_staff(request.user)
        else tuple(c for c in LIST_COLUMNS if c != "reviewer")
    )
    reviewer_index = LIST_COLUMNS.index("reviewer")
    lines = _iterate_list_rows(rows)
    return ExportTable(
        "integrations",
        columns,
        lines if columns == LIST_COLUMNS else ((*r[:reviewer_index], *r[reviewer_index + 1 :]) for r in lines),
    )


def build_queue_table(request: AuthenticatedRequest, now: datetime) -> ExportTable:
    """Build the table of the filtered review queue."""
    require_program_staff(request)
    filters, _ = parse_filters(tuple(request.GET.get(name, "")[:60] for name in FILTER_FIELDS))
    rows = queue.filter_queue(filters, now).filter(
        queue.build_tab_condition(request.GET.get("tab", ""), request.user, now)
    )
    return ExportTable("queue", LIST_COLUMNS, _iterate_list_rows(rows))


def build_sla_table(request: AuthenticatedRequest, now: datetime) -> ExportTable:
    """Build the table of filtered SLA clocks."""
    clocks = parse_sla_filters(request.user, request.GET).list_matching_clocks(now)
    keys = list(clocks.values_list("pk", flat=True)[: MAX_EXPORT_ROWS + 1])  # fixed, to avoid gaps and duplicates
    return ExportTable("sla", tuple(SLA_COLUMNS), _iterate_clock_rows(keys, now))


def _iterate_clock_rows(keys: list[int], now: datetime) -> TableRows:
    """Yield the rows of clocks in batches. If the export is truncated, the last row says so."""
    for start in range(0, min(len(keys), MAX_EXPORT_ROWS), CHUNK_SIZE):
        chunk = keys[start : min(start + CHUNK_SIZE, MAX_EXPORT_ROWS)]
        with override("en"):  # exports are always in English
            rows = [
                tuple(serialize_row(row).values())
                for row in build_rows(SlaClock.objects.filter(pk__in=chunk), now, chunk)
            ]
        yield from rows
    if len(keys) > MAX_EXPORT_ROWS:
        yield (f"Export limited to {MAX_EXPORT_ROWS} rows. Filter the list to export the other rows.",)


def build_stages_table(request: HttpRequest, now: datetime) -> ExportTable:
    filters = parse_analytics_filters(request, now)
    figures_by_program = metrics.group_by_program(reading.list_stays(filters))
    ends = [f"up to {n} days" for n in metrics.COLUMN_LIMITS_DAYS] + ["longer"]
    rows: list[tuple[CellValue, ...]] = [
        (PROGRAMS[key].name, figures.stage, figures.count, figures.p50, figures.p90, *figures.columns)
        for key, lines in figures_by_program.items()
        for figures in lines
    ]
    columns = ("program", "stage", "exited", "median (working days)", "90th percentile (working days)", *ends)
    return ExportTable("time-in-stages", columns, rows)


def build_holders_table(request: HttpRequest, now: datetime) -> ExportTable:
    holder_times = reading.list_holder_times(parse_analytics_filters(request, now))
    rows = [(PROGRAMS[s.program].name, s.stage, s.holder, round(s.time / metrics.DAY, 2)) for s in holder_times]
    return ExportTable("time-by-holder", ("program", "stage", "responsible party", "days"), sorted(rows))


def build_throughput_table(request: HttpRequest, now: datetime) -> ExportTable:
    filters, time_zone = parse_analytics_filters(request, now), get_program_zone()
    days = reading_flow.list_span_starts(filters, time_zone)
    counts = reading_flow.count_moves(filters, days, time_zone)
    rows: list[tuple[CellValue, ...]] = [(day, *(counts[name][n] for name in counts)) for n, day in enumerate(days)]
    return ExportTable("throughput", ("from", *(name.lower() for name in counts)), rows)


def build_funnel_table(request: HttpRequest, now: datetime) -> ExportTable:
    rows = [
        (s.name, s.reached, s.still, ", ".join(f"{n} {w}" for w, n in s.ended))
        for s in build_funnel(reading_flow.count_groups(parse_analytics_filters(request, now)))
    ]
    return ExportTable("funnel", ("step", "reached", "current", "ended"), rows)


def build_reviewers_table(request: HttpRequest, now: datetime) -> ExportTable:
    filters = parse_analytics_filters(request, now, period=False)
    with override("en"):  # exports are always in English
        loads = workload.list_reviewer_loads(filters)
    rows = [(x.name, x.open, x.most, x.waiting, x.oldest, x.decision_count, x.away) for x in loads]
    columns = ("reviewer", "open", "capacity", "waiting", "oldest (UTC)", "decided in 30 days", "absence")
    return ExportTable("reviewers", columns, rows)


def build_forecasts_table(request: HttpRequest, now: datetime) -> ExportTable:
    filters = parse_analytics_filters(request, now, period=False)
    lines = forecast_accuracy.evaluate_programs(now, program=filters.program, weeks=flow_presenters.BACKTEST_WEEKS)
    rows = [
        (
            x.name,
            *((x.now.p50, x.now.p90, x.now.count, x.now.window) if x.now else (None,) * 4),
            x.held.count,
            x.held.middle,
            x.held.share,
        )
        for x in lines
    ]
    columns = (
        "program",
        "median",
        "90th percentile",
        "decisions",
        "window (days)",
        "tested decisions",
        "median accuracy %",
        "90th percentile accuracy %",
    )
    return ExportTable("forecast", columns, rows)


TABLES: dict[str, Callable[[AuthenticatedRequest, datetime], ExportTable]] = {
    "integrations": build_integrations_table,
    "queue": build_queue_table,
    "sla": build_sla_table,
    "stages": build_stages_table,
    "holders": build_holders_table,
    "throughput": build_throughput_table,
    "funnel": build_funnel_table,
    "reviewers": build_reviewers_table,
    "forecast": build_forecasts_table,
    "waivers": workload_exports.build_waivers_table,
    "failing": workload_exports.build_failing_checks_table,
    "emails": workload_exports.build_emails_table,
    "partners": workload_exports.build_partners_table,
}
# Exports of each page: (table, label)
TABLES_BY_PAGE: dict[str, tuple[tuple[str, str], ...]] = {
    "integrations": (("integrations", ""),),
    "queue": (("queue", ""),),
    "sla": (("sla", ""),),
    "overview": (("stages", gettext_noop("Stages")), ("holders", gettext_noop("Responsible parties"))),
    "flow": (("throughput", gettext_noop("Throughput")), ("funnel", gettext_noop("Funnel"))),
    "workload": (
        ("reviewers", gettext_noop("Reviewers")),
        ("failing", gettext_noop("Checks")),
        ("waivers", gettext_noop("Waivers")),
    ),
    "emails": (("emails", ""),),
    "partners": (("partners", ""),),
    "forecast": (("forecast", ""),),
}


def build_table(name: str, request: AuthenticatedRequest, now: datetime) -> ExportTable:
    """Build a table by name. Raises Http404 for an unknown name."""
    if name not in TABLES:
        raise Http404(_("Unknown table."))
    return TABLES[name](request, now)
