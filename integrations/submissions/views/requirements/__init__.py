"""Requirement page: one page for all kinds of requirements and their actions."""

from collections.abc import Mapping
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from integrations.programs.requirements import RequirementKind
from integrations.submissions.selectors import context as context_selectors
from integrations.submissions.views.drafts_shared import answer_autosave
from integrations.submissions.views.requirements.agreements import AGREEMENT_PAGE
from integrations.submissions.views.requirements.answers import (
    ATTESTATION_PAGE,
    FORM_PAGE,
    NOT_APPLICABLE_ACTION,
    save_draft,
)
from integrations.submissions.views.requirements.credentials import CREDENTIALS_PAGE
from integrations.submissions.views.requirements.documents import DOCUMENT_PAGE, download_document
from integrations.submissions.views.requirements.meetings import MEETING_PAGE, download_meeting
from integrations.submissions.views.requirements.page import (
    RequirementAction,
    RequirementKindPage,
    RequirementPage,
    build_page_context,
    load_page,
)
from integrations.submissions.views.requirements.waivers import WAIVER_ACTIONS
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.value_types import TemplateContext
from portal.ui.refusals import raise_if_forbidden, report_refusal

PAGES_BY_KIND: dict[RequirementKind, RequirementKindPage] = {
    RequirementKind.FORM: FORM_PAGE,
    RequirementKind.ATTESTATION: ATTESTATION_PAGE,
    RequirementKind.DOCUMENT: DOCUMENT_PAGE,
    RequirementKind.AGREEMENT: AGREEMENT_PAGE,
    RequirementKind.MEETING: MEETING_PAGE,
    RequirementKind.CREDENTIALS: CREDENTIALS_PAGE,
    RequirementKind.CHECK: RequirementKindPage({}),
}
BoundForms = Mapping[str, forms.Form]


@never_cache
@sensitive_post_parameters("secret")
def show_requirement(request: AuthenticatedRequest, uuid: UUID, requirement_id: str) -> HttpResponse:
    """Show the page of a requirement, or perform one of its actions."""
    page = load_page(request, uuid, requirement_id)
    if request.method == "POST":
        return perform_action(page)
    return render_page(page, restore_unsent_form(page))


def list_actions(page: RequirementPage) -> dict[str, RequirementAction]:
    """Return all actions of the page, available to the user or not."""
    return {"not_needed": NOT_APPLICABLE_ACTION, **PAGES_BY_KIND[page.requirement.kind].actions, **WAIVER_ACTIONS}


def restore_unsent_form(page: RequirementPage) -> BoundForms:
    """Return the form with input from before a sign-in interrupted it."""
    unsent = page.request.unsent()  # type: ignore[attr-defined]
    name = unsent.get("act", "") if unsent else ""
    action = list_actions(page).get(name)
    return {name: action.build_form(page, data=unsent, auto_id=f"{name}-%s")} if action else {}


@sensitive_variables()
def perform_action(page: RequirementPage) -> HttpResponse:
    """Validate and perform an action. A refusal shows the page with the input."""
    request, name = page.request, page.request.POST.get("act", "")
    action = list_actions(page).get(name)
    if action is None or not context_selectors.is_applicable(page.requirement, page.integration):
        report_refusal(request, ActionRefused(_("This action is no longer available. Reload the page.")))
        return redirect_to_page(page)
    form = action.build_form(page, data=request.POST, files=request.FILES, auto_id=f"{name}-%s")
    if not form.is_valid():
        return render_page(page, {name: form}, status=422)
    try:
        outcome = action.perform(page, form.cleaned_data)
    except ActionRefused as refusal:
        raise_if_forbidden(refusal)
        form.add_error(None, str(refusal))
        return render_page(load_page(request, page.integration.uuid, page.requirement.id), {name: form}, status=409)
    if isinstance(outcome, HttpResponse):
        return outcome
    messages.success(request, outcome)
    return redirect_to_page(page)


def render_page(page: RequirementPage, bound_forms: BoundForms, status: int = 200) -> HttpResponse:
    """Render the page with its available forms; submitted forms retain their input."""
    available_actions = {
        name: action
        for name, action in list_actions(page).items()
        if action.is_available(page) and name not in bound_forms
    }
    unbound_forms = {name: action.build_form(page, auto_id=f"{name}-%s") for name, action in available_actions.items()}
    kind = page.requirement.kind
    context: TemplateContext = {
        **build_page_context(page),
        **PAGES_BY_KIND[kind].context(page),
        "forms": {**unbound_forms, **bound_forms},
        "bound": bound_forms,
        "kind_template": f"submissions/kinds/{kind}.html",
    }
    return render(page.request, "submissions/requirement.html", context, status=status)


def redirect_to_page(page: RequirementPage) -> HttpResponse:
    return redirect("submissions:requirement", page.integration.uuid, page.requirement.id)


def autosave_draft(request: AuthenticatedRequest, uuid: UUID, requirement_id: str) -> HttpResponse:
    """Save the input of a form as a draft."""
    page = load_page(request, uuid, requirement_id)
    if request.method != "POST":
        return redirect_to_page(page)
    return answer_autosave(lambda: save_draft(page))


REQUIREMENT_PATH = "integrations/<uuid:uuid>/requirements/<str:requirement_id>/"
urlpatterns = [
    path(REQUIREMENT_PATH, show_requirement, name="requirement"),
    path(f"{REQUIREMENT_PATH}draft/", autosave_draft, name="requirement_draft"),
    path("documents/<uuid:uuid>/", download_document, name="document"),
    path("meetings/<uuid:uuid>.ics", download_meeting, name="meeting_ics"),
]
