"""What is the rule of the clock, and what follows when a promise is broken? Pages for everybody."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.translation import gettext as _

from integrations.programs.registry import PROGRAMS
from integrations.sla.presenters import VERBS
from integrations.submissions.views.program_catalog import promised
from portal.help import rules

PAGES = {"sla": "clock_rule", "standing": "standing_rule"}


@dataclass(frozen=True, slots=True)
class Promise:
    """What one edition of a program promises, in words."""

    program: str
    href: str
    edition: str
    newest: bool
    verb: str
    critical: str
    other: str
    summary: str


def promises() -> list[Promise]:
    """Every edition of every program, the newest of each first."""
    return [
        Promise(
            program=program.name,
            href=f"{reverse('program', args=[key])}?edition={edition.date}",
            edition=edition.date,
            newest=edition == program.newest,
            verb=_(VERBS[edition.sla.verb]),
            critical=promised(edition.sla.critical),
            other=promised(edition.sla.other),
            summary=edition.sla.summary,
        )
        for key, program in PROGRAMS.items()
        for edition in reversed(program.editions)
    ]


@login_not_required
def clock_rule(request: HttpRequest) -> HttpResponse:
    """The rule of the clock, with the figures of every program's editions."""
    return _page(request, "sla", {"promises": promises()})


@login_not_required
def standing_rule(request: HttpRequest) -> HttpResponse:
    """What follows when the promise is not kept."""
    return _page(request, "standing", {})


def _page(request: HttpRequest, name: str, more: dict[str, object]) -> HttpResponse:
    places = {f"{file}.md": reverse(view) for file, view in PAGES.items()}
    first, *rest = (rules.led(section, places) for section in rules.sections(name))
    return render(request, "help/rule.html", {"first": first, "sections": rest, **more})


urlpatterns = [
    path("help/clock/", clock_rule, name="clock_rule"),
    path("help/standing/", standing_rule, name="standing_rule"),
]
