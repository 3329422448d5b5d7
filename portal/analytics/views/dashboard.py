"""Where do people of the program see how it goes? The pages of the office, of the same filters."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from portal.analytics import flow_presenters, forecast_accuracy, metrics, presenters
from portal.analytics.filters import NAMES, Choice, chosen
from portal.analytics.selectors import flow, workload
from portal.analytics.selectors import stays as reading
from portal.core.iso_weeks import zone


def frame(request: HttpRequest, choice: Choice, current: str) -> dict[str, Any]:
    """What every page of the office shows around its figures."""
    query = urlencode({name: request.GET[name] for name in NAMES if request.GET.get(name)})
    return {
        "page_name": current,
        "choice": choice,
        "tabs": presenters.tabs(current, query, reverse),
        "here": reverse(current),
        "now": choice.now,
    }


def office(request: HttpRequest) -> HttpResponse:
    """How long stages take, and who has it meanwhile."""
    choice = chosen(request, timezone.now())
    stays = reading.stays(choice)
    together, apart = metrics.of_stages(stays), metrics.by_program(stays)
    context = {
        "stages": presenters.stage_rows({choice.program: together, **({} if choice.program else apart)}),
        "sparse": [] if choice.program else presenters.sparse(apart),
        "spreads": presenters.distributions(together),
        "shares": presenters.shares(metrics.by_holder(reading.spent(choice))),
        "rounds": presenters.rounds_chart(metrics.rounds(reading.rounds(choice))),
    }
    return render(request, "analytics/overview.html", frame(request, choice, "office") | context)


def office_flow(request: HttpRequest) -> HttpResponse:
    """What came in and went out, and how far those that began got."""
    choice, here = chosen(request, timezone.now()), zone()
    spans, groups = flow.spans(choice, here, 2 * flow.COLUMNS), flow.groups(choice)
    names = flow_presenters.span_names(spans[flow.COLUMNS :], monthly=choice.period == "365")
    moves = flow_presenters.moves(names, flow.throughput(choice, spans, here))
    context = {
        "moves": moves,
        "spans": flow_presenters.move_rows(moves),
        "span_word": _("months") if choice.period == "365" else _("weeks"),
        "funnel": flow_presenters.funnel_rows(groups),
        "stopped": flow_presenters.stopped_rows(groups),
    }
    return render(request, "analytics/flow.html", frame(request, choice, "office_flow") | context)


def office_people(request: HttpRequest) -> HttpResponse:
    """Who has how much, which waivers are open, and which checks fail."""
    choice = chosen(request, timezone.now(), period=False)
    waivers = workload.waivers(choice)
    context = {
        "loads": workload.loads(choice),
        "unassigned": workload.unassigned(choice),
        "waivers": waivers[: workload.SHOWN],
        "more_waivers": len(waivers) > workload.SHOWN,
        "failing": workload.failing(choice),
    }
    return render(request, "analytics/people.html", frame(request, choice, "office_people") | context)


def office_forecast(request: HttpRequest) -> HttpResponse:
    """What partners are told about the wait, and how often that held."""
    choice = chosen(request, timezone.now(), period=False)
    lines = forecast_accuracy.of_programs(choice.now, program=choice.program, weeks=flow_presenters.YEAR)
    tried = [line for line in lines if line.held.count]
    context = {
        "rows": flow_presenters.forecast_rows(lines),
        "charts": [flow_presenters.calibration_chart(line) for line in tried],
        "aim": flow_presenters.aim_words(),
        "judged": forecast_accuracy.JUDGED,
    }
    return render(request, "analytics/forecast.html", frame(request, choice, "office_forecast") | context)


urlpatterns = [
    path("office/", office, name="office"),
    path("office/flow/", office_flow, name="office_flow"),
    path("office/people/", office_people, name="office_people"),
    path("office/forecast/", office_forecast, name="office_forecast"),
]
