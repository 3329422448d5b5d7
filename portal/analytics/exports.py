"""Exportable tables, each built from the same query as its page."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _, gettext_noop

from integrations.partners import permissions
from integrations.programs.registry import PROGRAMS, get_edition
from integrations.reviews.forms.queue import FILTER_FIELDS, parse_filters, parse_position
from integrations.reviews.selectors import queue_items
from integrations.reviews.selectors.queue_kinds import KINDS
from integrations.reviews.selectors.queue_rows import build_item_url, list_tasks
from integrations.sla.clock_records import COLUMNS as SLA_COLUMNS, iterate_records
from integrations.sla.filters import parse_filters as parse_sla_filters
from integrations.submissions.access import require_program_staff
from integrations.submissions.forms.filters import IntegrationFilterForm
from integrations.submissions.models import Integration
from integrations.submissions.selectors.filtered_integrations import filter_integrations
from integrations.submissions.workflow.next_action import render_action_text
from portal.accounts.requests import AuthenticatedRequest
from portal.analytics import forecast_accuracy, metrics, workload_exports
from portal.analytics.filters import parse_analytics_filters
from portal.analytics.funnel import build_funnel
from portal.analytics.selectors import flow, stays
from portal.core.exports import MAX_ROWS, CellValue, Columns, ExportTable, build_export
from portal.core.periods import get_program_zone
from portal.ui.components.markup import split_url

CHUNK_SIZE = 500
LIST_COLUMNS: Columns = {
    "integration": "name",
    "partner": "partner__name",
    "program": lambda row: PROGRAMS[row.program_key].name,
    "edition": "edition_date",
    "step": lambda row: get_edition(row.program_key, row.edition_date).get_step(row.step).name,
    "stage": "stage",
    "listing_status": "listing_status",
    "tier": "tier",
    "category": "category",
    "repository": "repository",
    "responsible_party": "responsible_party",
    "next_action": lambda row: render_action_text(row.next_action_code, row.next_action_params),
    "due_at": "action_due_at",
    "began_at": "responsible_since",
    "review_round": "review_round",
    "reviewer": "reviewer__name",
    "created_at": "created_at",
    "listed_at": "released_at",
    "url": lambda row: settings.SITE_URL + str(row.uuid).join(split_url("submissions:detail")),
}
COMPUTED_FIELDS = ("program_key", "step", "next_action_code", "next_action_params", "uuid")  # read by the functions
PARTNER_LIST_COLUMNS: Columns = {title: read for title, read in LIST_COLUMNS.items() if title != "reviewer"}


def _iterate_integrations(rows: QuerySet[Integration]) -> Iterable[object]:
    fields = (*(column for column in LIST_COLUMNS.values() if isinstance(column, str)), *COMPUTED_FIELDS)
    return rows.values_list(*fields, named=True).iterator(chunk_size=CHUNK_SIZE)


def build_integrations_table(request: AuthenticatedRequest, now: datetime) -> ExportTable:
    """Build the table of filtered integrations that the user can see."""
    form = IntegrationFilterForm(data=request.GET)
    form.is_valid()
    rows = filter_integrations(Integration.objects.visible_to(request.user), form.cleaned_data)
    columns = LIST_COLUMNS if permissions.is_program_staff(request.user) else PARTNER_LIST_COLUMNS
    return build_export("integrations", columns, _iterate_integrations(rows))


QUEUE_COLUMNS: Columns = {
    "kind": itemgetter("kind"),
    "item": itemgetter("name"),
    "partner": itemgetter("partner_name"),
    "program": lambda item: PROGRAMS[item["program_key"]].name if item["program_key"] else "",
    "detail": itemgetter("detail"),
    "stage": itemgetter("stage"),
    "reasons": lambda item: "; ".join(list_tasks(KINDS[item["kind"]], item)),
    "due_at": itemgetter("action_due_at"),
    "began_at": itemgetter("began_at"),
    "review_round": itemgetter("review_round"),
    "reviewer": itemgetter("reviewer_name"),
    "url": build_item_url,
}


def build_queue_table(request: AuthenticatedRequest, now: datetime) -> ExportTable:
    """Build the table of the filtered review queue."""
    require_program_staff(request)
    filters = parse_filters(tuple(request.GET.get(name, "")[:60] for name in FILTER_FIELDS)).values
    kind, tab, sort = parse_position(request.GET)
    summary = queue_items.summarize_queue(filters, request.user, now)
    rows = queue_items.list_items(summary, kind, tab, request.user, now, sort).iterator(chunk_size=CHUNK_SIZE)
    items = (dict(zip(queue_items.ITEM_NAMES, row, strict=True)) for row in rows)
    return build_export("queue", QUEUE_COLUMNS, items)


def build_sla_table(request: AuthenticatedRequest, now: datetime) -> ExportTable:
    """Build the table of filtered SLA clocks."""
    clocks = parse_sla_filters(request.user, request.GET).list_matching_clocks(now)
    # With one row more than an export may have, its last line says that rows are missing.
    return build_export("sla", SLA_COLUMNS, iterate_records(clocks[: MAX_ROWS + 1], now))


def build_stages_table(request: HttpRequest, now: datetime) -> ExportTable:
    filters = parse_analytics_filters(request, now)
    figures_by_program = metrics.group_by_program(stays.list_stays(filters))
    ends = [f"up_to_{n}_days" for n in metrics.COLUMN_LIMITS_DAYS] + ["longer"]
    rows: list[tuple[CellValue, ...]] = [
        (PROGRAMS[key].name, figures.stage, figures.count, figures.p50, figures.p90, *figures.columns)
        for key, lines in figures_by_program.items()
        for figures in lines
    ]
    columns = ("program", "stage", "exited", "median_business_days", "p90_business_days", *ends)
    return ExportTable("time-in-stages", columns, rows)


def build_responsible_parties_table(request: HttpRequest, now: datetime) -> ExportTable:
    party_times = stays.list_responsible_party_times(parse_analytics_filters(request, now))
    rows = [
        (PROGRAMS[s.program].name, s.stage, s.responsible_party, round(s.time / metrics.DAY, 2)) for s in party_times
    ]
    return ExportTable("time-by-responsible-party", ("program", "stage", "responsible_party", "days"), sorted(rows))


def build_throughput_table(request: HttpRequest, now: datetime) -> ExportTable:
    filters = parse_analytics_filters(request, now)
    time_zone = get_program_zone()
    days = flow.list_span_starts(filters, time_zone)
    counts = flow.count_moves(filters, days, time_zone)
    rows: list[tuple[CellValue, ...]] = [(day, *(counts[name][n] for name in counts)) for n, day in enumerate(days)]
    return ExportTable("throughput", ("from", *(name.lower() for name in counts)), rows)


FUNNEL_COLUMNS: Columns = {
    "step": "name",
    "reached": "reached_count",
    "current": "current_count",
    "ended": lambda step: ", ".join(f"{n} {label}" for label, n in step.end_counts),
}


def build_funnel_table(request: HttpRequest, now: datetime) -> ExportTable:
    groups = flow.count_groups(parse_analytics_filters(request, now))
    return build_export("funnel", FUNNEL_COLUMNS, build_funnel(groups))


FORECAST_COLUMNS: Columns = {
    "program": "name",
    "median_business_days": lambda line: line.forecast and line.forecast.p50,
    "p90_business_days": lambda line: line.forecast and line.forecast.p90,
    "decisions": lambda line: line.forecast and line.forecast.count,
    "window_days": lambda line: line.forecast and line.forecast.window,
    "tested_decisions": "backtest.count",
    "median_accuracy_percent": "backtest.p50_percentage",
    "p90_accuracy_percent": "backtest.p90_percentage",
}


def build_forecasts_table(request: HttpRequest, now: datetime) -> ExportTable:
    filters = parse_analytics_filters(request, now, has_period=False)
    lines = forecast_accuracy.evaluate_programs(now, program=filters.program, weeks=forecast_accuracy.BACKTEST_WEEKS)
    return build_export("forecast", FORECAST_COLUMNS, lines)


@dataclass(frozen=True, slots=True)
class Export:
    """Table that people download: the function that builds it, the page that offers it, and its label there."""

    build: Callable[[AuthenticatedRequest, datetime], ExportTable]
    page: str
    label: str = ""


EXPORTS = {
    "integrations": Export(build_integrations_table, "integrations"),
    "queue": Export(build_queue_table, "queue"),
    "sla": Export(build_sla_table, "sla"),
    "stages": Export(build_stages_table, "overview", gettext_noop("Stages")),
    "responsible-parties": Export(build_responsible_parties_table, "overview", gettext_noop("Responsible parties")),
    "throughput": Export(build_throughput_table, "flow", gettext_noop("Throughput")),
    "funnel": Export(build_funnel_table, "flow", gettext_noop("Funnel")),
    "forecast": Export(build_forecasts_table, "forecast"),
    "reviewers": Export(workload_exports.build_reviewers_table, "workload", gettext_noop("Reviewers")),
    "failing": Export(workload_exports.build_failing_checks_table, "workload", gettext_noop("Checks")),
    "waivers": Export(workload_exports.build_waivers_table, "workload", gettext_noop("Waivers")),
    "emails": Export(workload_exports.build_emails_table, "emails"),
    "partners": Export(workload_exports.build_partners_table, "partners"),
    "agreements": Export(workload_exports.build_agreements_table, "agreements"),
}


def build_table(name: str, request: AuthenticatedRequest, now: datetime) -> ExportTable:
    """Build a table by name. Raises Http404 for an unknown name."""
    if name not in EXPORTS:
        raise Http404(_("Unknown table. Use one of: %(names)s.") % {"names": ", ".join(EXPORTS)})
    return EXPORTS[name].build(request, now)
