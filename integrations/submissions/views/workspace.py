"""Integration page: the next action, the steps with their requirements, one of which is open, and the history."""

from datetime import datetime
from uuid import UUID

from django.db.models import BigIntegerField, Q
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.vary import vary_on_headers

from integrations.partners import permissions
from integrations.submissions.access import load_visible_integration
from integrations.submissions.models import Integration, Introduction
from integrations.submissions.presenters import (
    OBSERVER_PARTY_LABELS,
    PARTY_LABELS,
    find_outage,
    list_path_steps,
    list_step_rows,
    list_tier_rows,
    list_visible_findings,
)
from integrations.submissions.selectors.context import list_integration_actions
from integrations.submissions.selectors.history import list_dates, list_recent_events, list_visible_events
from integrations.submissions.selectors.people import list_hinted_handles, list_participants
from integrations.submissions.selectors.responsibility import get_waiting_label
from integrations.submissions.services.transitions import AvailableTransition, list_available_transitions
from integrations.submissions.views.requirements.opening import open_next_requirement
from integrations.submissions.workflow.compliance_guards import is_excluded_from_decision
from integrations.submissions.workflow.next_action import get_action_label
from integrations.submissions.workflow.states import ResponsibleParty
from integrations.submissions.workflow.transition_options import TRANSITION_OPTIONS
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.core.compiled_queries import CompiledQuery, Parameter
from portal.core.value_types import TemplateContext
from portal.ui.pagination import paginate

BUTTON_LABELS = {
    "findings": gettext_noop("View findings"),
    "review": gettext_noop("Open review"),
    "company": gettext_noop("Open company"),
    "compliance": gettext_noop("View evidence"),
}
INTEGRATION_ID = Parameter("integration", BigIntegerField())
INTRODUCTIONS = CompiledQuery(
    lambda: Introduction.objects.filter(Q(requester=INTEGRATION_ID) | Q(recipient=INTEGRATION_ID))
)


def render_workspace(
    request: AuthenticatedRequest, integration: Integration, opened: TemplateContext | None = None, status: int = 200
) -> HttpResponse:
    """Render the integration page, or for htmx its changing part.

    Args:
        opened: Context of the opened requirement. By default, the one that the user has to fulfill next is open.
    """
    context = build_page_context(integration, request.user)
    context |= open_next_requirement(request, integration) if opened is None else opened
    anchors = {row.requirement: step.anchor for step in context["steps"] for row in step.rows}
    anchors |= {row.requirement: tier.anchor for tier in context["tiers"] for row in tier.all_rows}
    context["opened_anchor"] = anchors.get(context.get("requirement"), "")
    template = "submissions/integration.html"
    if request.htmx:
        return render(request, f"{template}#workspace", context, status=status)
    return render(request, template, context, status=status)


def build_page_context(integration: Integration, user: User) -> TemplateContext:
    """Return the context of the page. Partners never see internal data."""
    now = timezone.now()
    transitions = list_available_transitions(integration, user, now=now)
    participants = list_participants(integration)
    events, decision = list_recent_events(integration)
    transitions_by_name = {action.name: action for action in transitions}
    undo = transitions_by_name.get("undo_decision")
    # "You" is wrong for viewers and program staff, who can't complete what the partner has to.
    party_labels = PARTY_LABELS if permissions.can_edit(integration, user) else OBSERVER_PARTY_LABELS
    return {
        "integration": integration,
        "edition": integration.edition,
        "program": integration.program,
        "next_action": build_next_action_context(integration, user) | {"can_undo": undo is not None and undo.is_ready},
        "parallel_action": get_parallel_action(integration, user, now),
        "outage": find_outage(integration, now),
        "path": list_path_steps(integration),
        "steps": list_step_rows(integration, now, party_labels),
        "tiers": list_tier_rows(integration, now, party_labels),
        "findings": list_visible_findings(integration),
        "recent_events": events,
        "dates": list_dates(integration, decision),
        "members": [person for person in participants if person.is_acting_member],
        "handles": list_hinted_handles(integration, participants, user),
        "introductions": list_introductions(integration),
        "can_edit": permissions.can_edit(integration, user),
        "for_program": permissions.can_view_notes(integration, user),
        "can_post_message": permissions.can_post_message(integration, user),
        "now": now,
        "has_run_task_test": any("run_task.test_run" in r.checks for r in integration.edition.list_requirements()),
        "actions": transitions,
        "ready_actions": [a for a in transitions if a.tone == "good" and a.is_ready and a.name != "request_tier"],
        "reinstatement": transitions_by_name.get("request_reinstatement"),
        "other_actions": [a for a in transitions if a.tone != "good" and not _is_irrelevant(a)],
    }


def _is_irrelevant(action: AvailableTransition) -> bool:
    """Return whether the list of actions omits the action: a banner shows it, or there is nothing to undo."""
    return action.name == "undo_decision" or (action.name == "undo_first_approval" and not action.is_ready)


def get_parallel_action(integration: Integration, user: User, now: datetime) -> dict[str, str] | None:
    """Return the label and address of the partner's first action while the program is responsible."""
    if integration.responsible_party != ResponsibleParty.PROGRAM or not permissions.can_edit(integration, user):
        return None
    actions = list_integration_actions(integration, now, ResponsibleParty.PARTNER)
    if not actions:
        return None
    return {"label": actions[0].render(), "href": build_action_url(integration, user, actions[0].target)}


def list_introductions(integration: Integration) -> list[Introduction]:
    """Return introductions of the integration, with the names of both companies if both agreed."""
    introductions = INTRODUCTIONS.fetch(integration=integration.pk)
    # not joined: most integrations have none, and the joins double the time of the query
    agreed = [each for each in introductions if each.state == Introduction.State.AGREED]
    pks = {pk for each in agreed for pk in (each.requester_id, each.recipient_id)}
    names = dict(Integration.objects.filter(pk__in=pks).values_list("pk", "partner__name"))
    for each in agreed:
        each.requesting_company = names[each.requester_id]  # type: ignore[attr-defined]
        each.receiving_company = names[each.recipient_id]  # type: ignore[attr-defined]
    return introductions


def build_action_url(integration: Integration, user: User, target: str) -> str:
    """Return the address where the user performs an action, blank without one."""
    target_kind, _, target_key = target.partition(":")
    company_page = "reviews:partner" if permissions.can_view_notes(integration, user) else "partners:verify"
    targets = {
        "requirement": lambda: reverse("submissions:requirement", args=[integration.uuid, target_key]),
        "step": lambda: reverse("reviews:transition", args=[integration.uuid, target_key]),
        "findings": lambda: "#findings",
        "review": lambda: reverse("reviews:review", args=[integration.uuid]),
        "company": lambda: reverse(company_page, args=[integration.partner.slug]),
        "compliance": lambda: reverse("compliance:status", args=[integration.uuid]),
    }
    return targets[target_kind]() if target_kind in targets else ""


def build_next_action_context(integration: Integration, user: User) -> dict[str, object]:
    """Return the text and the button at the top of the page for the user."""
    target_kind, _, target_key = integration.next_action_target.partition(":")
    party = integration.responsible_party
    acting_rules = {ResponsibleParty.PARTNER: permissions.can_edit, ResponsibleParty.PROGRAM: permissions.can_decide}
    is_responsible = party in acting_rules and acting_rules[ResponsibleParty(party)](integration, user)
    # docs/explanation/compliance.md, "Who decides": the action isn't required of those who made an earlier decision.
    if party == ResponsibleParty.PROGRAM and is_excluded_from_decision(integration, user.pk):
        is_responsible = False
    # After a first approval, the review waits for another reviewer.
    if target_kind == "review" and not permissions.can_review_now(integration, user):
        is_responsible = False
    label = gettext("Action required") if is_responsible else get_waiting_label(integration)
    return {
        "is_responsible": is_responsible,
        "is_idle": not label,
        "text": integration.next_action_label,
        "is_transition": is_responsible and target_kind == "step" and party == ResponsibleParty.PARTNER,
        "button": get_button_label(integration, target_kind, target_key),
        "href": build_action_url(integration, user, integration.next_action_target),
        "since": integration.next_action_since,
        "due": integration.action_due_at,
        "label": label,
    }


def get_button_label(integration: Integration, target_kind: str, target_key: str) -> str:
    """Return the label of the button: of the transition, the target, or the action."""
    if target_kind == "step":
        return gettext(TRANSITION_OPTIONS[target_key].label)
    if target_kind in BUTTON_LABELS:
        return gettext(BUTTON_LABELS[target_kind])
    return get_action_label(integration.next_action_code) or gettext("View")


@vary_on_headers("HX-Request")
def show_integration(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the integration page with the requirement opened that the user has to fulfill next.

    A page that waits for a change asks with the `version` that it shows.
    """
    integration = load_visible_integration(request, uuid)
    if request.htmx and request.GET.get("version") == str(integration.version):
        return HttpResponse(status=204)
    return render_workspace(request, integration)


def show_history(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show all events, newest first."""
    integration = load_visible_integration(request, uuid)
    page = paginate(request, list_visible_events(integration, request.user).order_by("-seq"))
    context = {"integration": integration, "page": page}
    return render(request, "submissions/history.html", context)
