"""Where do people of the program see how it goes? The pages of the office, of the same filters."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils import timezone

from portal.office import figures, reading, shown
from portal.office.filters import NAMES, Choice, chosen


def frame(request: HttpRequest, choice: Choice, current: str) -> dict[str, Any]:
    """What every page of the office shows around its figures."""
    query = urlencode({name: request.GET[name] for name in NAMES if request.GET.get(name)})
    return {"choice": choice, "tabs": shown.tabs(current, query, reverse), "here": reverse(current), "now": choice.now}


def office(request: HttpRequest) -> HttpResponse:
    """How long stages take, and who has it meanwhile."""
    choice = chosen(request, timezone.now())
    stays = reading.stays(choice)
    context = {
        "stages": shown.stage_rows(figures.by_program(stays)),
        "spreads": shown.distributions(figures.of_stages(stays)),
        "shares": shown.shares(figures.by_holder(reading.spent(choice))),
        "rounds": shown.rounds_chart(figures.rounds(reading.rounds(choice))),
    }
    return render(request, "office/office.html", frame(request, choice, "office") | context)


urlpatterns = [
    path("office/", office, name="office"),
]
