"""The opened requirement of an integration page: its actions, their forms, and its context."""

from collections.abc import Mapping

from integrations.partners import permissions
from integrations.programs.requirements import RequirementKind
from integrations.submissions.models import Integration
from integrations.submissions.views.requirements.agreements import AGREEMENT_PAGE
from integrations.submissions.views.requirements.answers import ATTESTATION_PAGE, FORM_PAGE, NotApplicableForm
from integrations.submissions.views.requirements.credentials import CREDENTIALS_PAGE
from integrations.submissions.views.requirements.documents import DOCUMENT_PAGE
from integrations.submissions.views.requirements.meetings import MEETING_PAGE
from integrations.submissions.views.requirements.page import (
    ActionForm,
    RequirementKindPage,
    RequirementPage,
    build_page_context,
    build_requirement_page,
)
from integrations.submissions.views.requirements.waivers import WAIVER_ACTIONS
from portal.accounts.requests import AuthenticatedRequest
from portal.core.value_types import TemplateContext


def build_check_context(page: RequirementPage) -> TemplateContext:
    integration = page.integration
    can_request = permissions.can_edit(integration, page.user) or permissions.can_write_for_programs(page.user)
    return {"can_run_checks": integration.is_open and can_request}


PAGES_BY_KIND: dict[RequirementKind, RequirementKindPage] = {
    RequirementKind.FORM: FORM_PAGE,
    RequirementKind.ATTESTATION: ATTESTATION_PAGE,
    RequirementKind.DOCUMENT: DOCUMENT_PAGE,
    RequirementKind.AGREEMENT: AGREEMENT_PAGE,
    RequirementKind.MEETING: MEETING_PAGE,
    RequirementKind.CREDENTIALS: CREDENTIALS_PAGE,
    RequirementKind.CHECK: RequirementKindPage({}, build_check_context),
}
BoundForms = Mapping[str, ActionForm]


def list_actions(kind: RequirementKind) -> dict[str, type[ActionForm]]:
    """Return all actions on requirements of a kind, available to the user or not."""
    return {"not_needed": NotApplicableForm, **PAGES_BY_KIND[kind].actions, **WAIVER_ACTIONS}


def restore_unsent_form(page: RequirementPage) -> BoundForms:
    """Return the form with input from before a sign-in interrupted it."""
    unsent = page.request.unsent()
    name = unsent.get("action", "") if unsent else ""
    # The button that saves a draft has no fields. Those of the answer have the input.
    if name == "draft":
        name = "answer"
    action = list_actions(page.requirement.kind).get(name)
    return {name: action(page, data=unsent, auto_id=f"{name}-%s")} if action else {}


def build_opened_context(page: RequirementPage, bound_forms: BoundForms) -> TemplateContext:
    """Return the context of the opened requirement with its available forms; submitted forms retain their input.

    The form with the name in the URL parameter `open` is open with the focus, and so are forms with errors.
    """
    kind = page.requirement.kind
    unbound_forms = {
        name: action(page, auto_id=f"{name}-%s")
        for name, action in list_actions(kind).items()
        # A form with errors stays on the page, even if its action has become unavailable.
        if name not in bound_forms and action.is_available(page)
    }
    forms = {**unbound_forms, **bound_forms}
    for name, form in forms.items():
        form.is_open = form.is_bound or name == page.request.GET.get("open")
        if form.is_open and not form.is_bound:
            for field in form.visible_fields()[:1]:
                field.field.widget.attrs["autofocus"] = True
    return {
        **build_page_context(page),
        **PAGES_BY_KIND[kind].context(page),
        "forms": forms,
        "bound": bound_forms,
        "kind_template": f"submissions/kinds/{kind}.html",
    }


def open_next_requirement(request: AuthenticatedRequest, integration: Integration) -> TemplateContext:
    """Return the context of the requirement that the user has to fulfill next; empty without one."""
    kind, _, requirement_id = integration.next_action_target.partition(":")
    requirement = integration.edition.get_requirement(requirement_id) if kind == "requirement" else None
    if requirement is None:
        return {}
    page = build_requirement_page(request, integration, requirement)
    return build_opened_context(page, {}) if page.can_answer and not page.is_met else {}
