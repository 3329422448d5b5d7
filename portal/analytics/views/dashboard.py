"""Analytics pages for program staff."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from portal.analytics import forecast_accuracy, metrics, presenters
from portal.analytics.filters import FILTER_NAMES, PAGE_TITLES, AnalyticsFilters, parse_analytics_filters
from portal.analytics.selectors import flow, stays, workload
from portal.core.periods import get_program_zone
from portal.core.value_types import TemplateContext


def build_context(request: HttpRequest, filters: AnalyticsFilters, page_name: str) -> TemplateContext:
    """Build the context shared by all analytics pages."""
    # Other parameters would keep a tab from opening with its default view.
    query = urlencode({name: value for name in FILTER_NAMES if (value := request.GET.get(name))})
    tabs = [(_(title), f"analytics:{name}", name == page_name) for name, title in PAGE_TITLES.items()]
    return {
        "page_name": page_name,
        "choice": filters,
        "tabs": tabs,
        "tab_query": f"?{query}" if query else "",
        "now": filters.now,
    }


def show_overview(request: HttpRequest) -> HttpResponse:
    """Show stage durations and the time by responsible party."""
    filters = parse_analytics_filters(request, timezone.now())
    stage_stays = stays.list_stays(filters)
    totals = metrics.calculate_stage_figures(stage_stays)
    figures_by_program = metrics.group_by_program(stage_stays)
    rows = presenters.build_stage_rows({filters.program: totals, **({} if filters.program else figures_by_program)})
    context = {
        "stages": rows,
        "longest": max((figures.p90 or 0 for *_names, figures in rows), default=0) or 1,
        "min_stays": metrics.MIN_STAYS,
        "sparse": [] if filters.program else presenters.list_sparse_programs(figures_by_program),
        "spreads": presenters.build_distribution_charts(totals),
        "shares": presenters.build_responsible_party_shares(
            metrics.sum_time_by_responsible_party(stays.list_responsible_party_times(filters))
        ),
        "rounds": presenters.build_rounds_chart(metrics.count_rounds(stays.list_rounds(filters))),
    }
    return render(request, "analytics/overview.html", build_context(request, filters, "overview") | context)


def show_flow(request: HttpRequest) -> HttpResponse:
    """Show throughput and the funnel."""
    filters = parse_analytics_filters(request, timezone.now())
    time_zone = get_program_zone()
    spans = flow.list_span_starts(filters, time_zone, 2 * flow.COLUMN_COUNT)
    groups = flow.count_groups(filters)
    names = presenters.build_span_names(spans[flow.COLUMN_COUNT :], monthly=filters.period == "365")
    moves = presenters.build_move_charts(names, flow.count_moves(filters, spans, time_zone))
    context = {
        "moves": moves,
        "spans": presenters.build_move_rows(moves),
        "is_monthly": filters.period == "365",
        "funnel": presenters.build_funnel_rows(groups),
        "stopped": presenters.build_drop_off_rows(groups),
    }
    return render(request, "analytics/flow.html", build_context(request, filters, "flow") | context)


def show_workload(request: HttpRequest) -> HttpResponse:
    """Show the reviewers' workload, failing checks, and open waivers."""
    filters = parse_analytics_filters(request, timezone.now(), has_period=False)
    waivers = list(workload.list_open_waivers(filters)[: workload.MAX_ROWS + 1])
    context = {
        "loads": workload.list_reviewer_loads(filters),
        "unassigned": workload.summarize_unassigned(filters),
        "waivers": waivers[: workload.MAX_ROWS],
        "more_waivers": len(waivers) > workload.MAX_ROWS,
        "failing": workload.list_failing_checks(filters)[: workload.MAX_ROWS],
        "can_write": permissions.can_write_for_programs(request.user),
        "can_change_absences": permissions.can_change_absences(request.user),
    }
    return render(request, "analytics/people.html", build_context(request, filters, "workload") | context)


def show_forecast(request: HttpRequest) -> HttpResponse:
    """Show wait time forecasts and their accuracy."""
    filters = parse_analytics_filters(request, timezone.now(), has_period=False)
    lines = forecast_accuracy.evaluate_programs(
        filters.now, program=filters.program, weeks=forecast_accuracy.BACKTEST_WEEKS
    )
    evaluated_lines = [line for line in lines if line.backtest.count]
    context = {
        "rows": lines,
        "charts": [presenters.build_calibration_chart(line) for line in evaluated_lines],
        "target": forecast_accuracy.TARGET_PERCENT_RANGE,
        "min_decisions": forecast_accuracy.MIN_JUDGED_WAITS,
    }
    return render(request, "analytics/forecast.html", build_context(request, filters, "forecast") | context)
