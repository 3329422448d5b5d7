"""Public pages about the SLA clock rules and the compliance procedure."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.translation import gettext as _

from integrations.programs.registry import PROGRAMS
from integrations.sla.presenters import TARGET_TYPE_LABELS
from integrations.submissions.views.program_catalog import format_target
from portal.help import rules

URL_NAME_BY_FILE = {"sla-clock": "help:clock_help", "compliance": "help:compliance_help"}


def list_edition_targets() -> list[dict[str, object]]:
    """Return the SLA targets of all editions as text, newest edition of each program first."""
    return [
        {
            "program": program.name,
            "href": f"{reverse('submissions:program', args=[key])}?edition={edition.date}",
            "edition": edition.date,
            "newest": edition == program.newest,
            "target_type": _(TARGET_TYPE_LABELS[edition.sla.target_type]),
            "critical": format_target(edition.sla.critical),
            "other": format_target(edition.sla.other),
        }
        for key, program in PROGRAMS.items()
        for edition in reversed(program.editions)
    ]


@login_not_required
def show_sla_rule(request: HttpRequest) -> HttpResponse:
    """Show the SLA clock rules with the targets of all editions."""
    return _render_rule(request, "sla-clock", {"targets": list_edition_targets()})


@login_not_required
def show_compliance_rule(request: HttpRequest) -> HttpResponse:
    """Show the compliance procedure."""
    return _render_rule(request, "compliance", {})


def _render_rule(request: HttpRequest, name: str, context: dict[str, object]) -> HttpResponse:
    urls = frozenset((f"{file}.md", reverse(view)) for file, view in URL_NAME_BY_FILE.items())
    first, *rest = rules.load_sections(name, urls)
    return render(request, "help/rule.html", {"first": first, "sections": rest, **context})


urlpatterns = [
    path("help/clock/", show_sla_rule, name="clock_help"),
    path("help/compliance/", show_compliance_rule, name="compliance_help"),
]
