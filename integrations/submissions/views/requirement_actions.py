"""Views of a requirement: the integration page with the requirement opened, and its actions."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.vary import vary_on_headers

from integrations.partners import permissions
from integrations.programs.requirements import RequirementKind
from integrations.submissions.access import load_visible_integration
from integrations.submissions.selectors import context as context_selectors
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.views.drafts_shared import answer_autosave
from integrations.submissions.views.requirements.answers import save_draft
from integrations.submissions.views.requirements.opening import (
    BoundForms,
    build_opened_context,
    list_actions,
    restore_unsent_form,
)
from integrations.submissions.views.requirements.page import RequirementPage, load_page
from integrations.submissions.views.workspace import render_workspace
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.ui.htmx import replace_main
from portal.ui.refusals import raise_if_forbidden, report_refusals, show_refusal

SINGLE_ANSWER_KINDS = (RequirementKind.FORM, RequirementKind.ATTESTATION, RequirementKind.AGREEMENT)
COMPLETE_STEP_TARGET = "step:complete_step"


@never_cache
@vary_on_headers("HX-Request")
@sensitive_post_parameters("secret")
def show_requirement(request: AuthenticatedRequest, uuid: UUID, requirement_id: str) -> HttpResponse:
    """Show the integration page with the requirement opened, or perform one of its actions."""
    page = load_page(request, uuid, requirement_id)
    if request.method == "POST":
        return perform_action(page)
    return render_page(page, restore_unsent_form(page))


@sensitive_variables()
def perform_action(page: RequirementPage) -> HttpResponse:
    """Validate and perform an action. A refusal shows the page with the input."""
    request = page.request
    name = page.request.POST.get("action", "")
    action = list_actions(page.requirement.kind).get(name)
    if action is None or not context_selectors.is_applicable(page.requirement, page.integration):
        show_refusal(request, ActionRefused(_("This action is no longer available. Reload the page.")))
        return show_result(page)
    form = action(page, data=request.POST, files=request.FILES, auto_id=f"{name}-%s")
    if not form.is_valid():
        return render_page(page, {name: form}, status=422)
    try:
        outcome = form.perform()
    except ActionRefused as refusal:
        raise_if_forbidden(refusal)
        form.add_error(None, str(refusal))
        return render_page(load_page(request, page.integration.uuid, page.requirement.id), {name: form}, status=409)
    if isinstance(outcome, HttpResponse):
        return replace_main(request, outcome)
    messages.success(request, outcome)
    complete_finished_step(page)
    return show_result(page)


def render_page(page: RequirementPage, bound_forms: BoundForms, status: int = 200) -> HttpResponse:
    """Render the integration page with the requirement opened; submitted forms retain their input."""
    return render_workspace(page.request, page.integration, build_opened_context(page, bound_forms), status)


def show_result(page: RequirementPage) -> HttpResponse:
    """Open what is next. A requirement that is still open, or that can get further items, stays opened."""
    if not page.request.htmx:
        return redirect_to_page(page)
    current = load_page(page.request, page.integration.uuid, page.requirement.id)
    if current.is_met and page.requirement.kind in SINGLE_ANSWER_KINDS:
        return render_workspace(page.request, current.integration)
    return render_page(current, {})


def complete_finished_step(page: RequirementPage) -> None:
    """Complete the step whose last requirement this action met. For one of the program, the portal completes it."""
    if page.integration.next_action_target == COMPLETE_STEP_TARGET:
        return  # it was complete before
    integration = load_visible_integration(page.request, page.integration.uuid)
    if integration.next_action_target == COMPLETE_STEP_TARGET:
        # A reviewer whose signature was the last requirement can't complete steps of the partner.
        actor = page.user if permissions.can_edit(integration, page.user) else None
        with report_refusals(page.request):
            perform_transition(integration, "complete_step", actor=actor)


def redirect_to_page(page: RequirementPage) -> HttpResponse:
    return redirect("submissions:requirement", page.integration.uuid, page.requirement.id)


def autosave_draft(request: AuthenticatedRequest, uuid: UUID, requirement_id: str) -> HttpResponse:
    """Save the input of a form as a draft."""
    page = load_page(request, uuid, requirement_id)
    if request.method != "POST":
        return redirect_to_page(page)
    return answer_autosave(lambda: save_draft(page))
