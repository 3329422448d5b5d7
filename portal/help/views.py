"""Public help pages: overview, glossary, getting started, SLA clock rules, and compliance procedure."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Edition
from integrations.programs.selectors import get_edition_in_force
from integrations.programs.sla_policy import TargetType
from integrations.sla.presenters import TARGET_TYPE_LABELS
from integrations.submissions.models import IntegrationDraft
from integrations.submissions.models.blocks import MINE
from integrations.submissions.policy_labels import format_target
from integrations.submissions.selectors.responsibility import list_by_responsible_party
from portal.accounts.requests import is_authenticated
from portal.help import rules
from portal.help.getting_started import build_preparation_list, get_next_step
from portal.help.rules import URL_NAME_BY_FILE
from portal.ui.content.glossary import CHAPTERS


@login_not_required
def show_help(request: HttpRequest) -> HttpResponse:
    """Show the overview of the help pages."""
    return render(request, "help/index.html")


@login_not_required
def show_glossary(request: HttpRequest) -> HttpResponse:
    """Show the glossary."""
    editions = [(program, get_edition_in_force(key)) for key, program in PROGRAMS.items()]
    return render(request, "help/glossary.html", {"chapters": CHAPTERS, "editions": editions})


@login_not_required
def show_getting_started(request: HttpRequest) -> HttpResponse:
    """Show an introduction, the next step of the user, and the preparation lists."""
    row = draft = None
    if is_authenticated(request):
        roles = permissions.get_roles(request.user)
        # Only owners and editors can perform an action or continue a draft.
        editable_ids = [pk for pk, role in roles.items() if role in permissions.EDITOR_ROLES]
        rows = list_by_responsible_party(list(roles), editable_ids)[:1]
        row = next((row for row in rows if row.block == MINE), None)
        drafts = IntegrationDraft.objects.filter(partner_id__in=editable_ids, integration=None, sent_at=None)
        draft = drafts.filter(version__gt=0).first()
    text, name, parts = get_next_step(request.user, row, draft)
    preparation_lists = [build_preparation_list(program) for program in PROGRAMS.values()]
    context = {"text": text, "href": reverse(name, args=parts), "preparation_lists": preparation_lists}
    return render(request, "help/getting_started.html", context)


def list_edition_targets() -> list[dict[str, object]]:
    """Return the SLA targets of all editions as text, newest editions first."""
    return [
        {"program": program, "edition": edition, "is_in_force": edition == get_edition_in_force(key), **targets}
        for key, program in PROGRAMS.items()
        for edition in reversed(program.editions)
        for targets in summarize_targets(edition)
    ]


def summarize_targets(edition: Edition) -> list[dict[str, str]]:
    """Return a label and the target per severity for each target type, or one row for an edition without targets."""
    rows: dict[TargetType, dict[str, str]] = {}
    for target_type, severity, target in edition.sla.list_targets():
        row = rows.setdefault(target_type, {"target_type": _(TARGET_TYPE_LABELS[target_type])})
        row[severity] = format_target(target)
    return list(rows.values()) or [{"target_type": _("Tracking")}]


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
