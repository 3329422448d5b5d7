"""Where do people of the program see how it goes? The pages of the office, of the same filters."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from portal.office import calibration, figures, reading, reading_flow, reading_work, shown, shown_flow
from portal.office.filters import NAMES, Choice, chosen
from portal.reports.sending import zone


def frame(request: HttpRequest, choice: Choice, current: str) -> dict[str, Any]:
    """What every page of the office shows around its figures."""
    query = urlencode({name: request.GET[name] for name in NAMES if request.GET.get(name)})
    return {
        "page_name": current,
        "choice": choice,
        "tabs": shown.tabs(current, query, reverse),
        "here": reverse(current),
        "now": choice.now,
    }


def office(request: HttpRequest) -> HttpResponse:
    """How long stages take, and who has it meanwhile."""
    choice = chosen(request, timezone.now())
    stays = reading.stays(choice)
    together, apart = figures.of_stages(stays), figures.by_program(stays)
    context = {
        "stages": shown.stage_rows({choice.program: together, **({} if choice.program else apart)}),
        "sparse": [] if choice.program else shown.sparse(apart),
        "spreads": shown.distributions(together),
        "shares": shown.shares(figures.by_holder(reading.spent(choice))),
        "rounds": shown.rounds_chart(figures.rounds(reading.rounds(choice))),
    }
    return render(request, "office/office.html", frame(request, choice, "office") | context)


def office_flow(request: HttpRequest) -> HttpResponse:
    """What came in and went out, and how far those that began got."""
    choice, here = chosen(request, timezone.now()), zone()
    spans, groups = reading_flow.spans(choice, here, 2 * reading_flow.COLUMNS), reading_flow.groups(choice)
    names = shown_flow.span_names(spans[reading_flow.COLUMNS :], monthly=choice.period == "365")
    moves = shown_flow.moves(names, reading_flow.throughput(choice, spans, here))
    context = {
        "moves": moves,
        "spans": shown_flow.move_rows(moves),
        "span_word": _("months") if choice.period == "365" else _("weeks"),
        "funnel": shown_flow.funnel_rows(groups),
        "stopped": shown_flow.stopped_rows(groups),
    }
    return render(request, "office/flow.html", frame(request, choice, "office_flow") | context)


def office_people(request: HttpRequest) -> HttpResponse:
    """Who has how much, which waivers are open, and which checks fail."""
    choice = chosen(request, timezone.now(), period=False)
    waivers = reading_work.waivers(choice)
    context = {
        "loads": reading_work.loads(choice),
        "unassigned": reading_work.unassigned(choice),
        "waivers": waivers[: reading_work.SHOWN],
        "more_waivers": len(waivers) > reading_work.SHOWN,
        "failing": reading_work.failing(choice),
    }
    return render(request, "office/people.html", frame(request, choice, "office_people") | context)


def office_forecast(request: HttpRequest) -> HttpResponse:
    """What partners are told about the wait, and how often that held."""
    choice = chosen(request, timezone.now(), period=False)
    lines = calibration.of_programs(choice.now, program=choice.program, weeks=shown_flow.YEAR)
    tried = [line for line in lines if line.held.count]
    context = {
        "rows": shown_flow.forecast_rows(lines),
        "charts": [shown_flow.calibration_chart(line) for line in tried],
        "aim": shown_flow.aim_words(),
        "judged": calibration.JUDGED,
    }
    return render(request, "office/forecast.html", frame(request, choice, "office_forecast") | context)


urlpatterns = [
    path("office/", office, name="office"),
    path("office/flow/", office_flow, name="office_flow"),
    path("office/people/", office_people, name="office_people"),
    path("office/forecast/", office_forecast, name="office_forecast"),
]
