"""Data of a requirement page, and forms of its actions: fields, availability, and effect."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar, Unpack
from uuid import UUID

from django import forms
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _, gettext_lazy
from django_stubs_ext import StrOrPromise

from integrations.partners import permissions
from integrations.programs.requirements import AnswerScope, FulfillingParty, Requirement, RequirementKind
from integrations.submissions.access import load_visible_integration
from integrations.submissions.models import Integration, IntegrationDraft, RequirementFulfillment
from integrations.submissions.presenters import describe_deadline
from integrations.submissions.selectors import context as context_selectors
from integrations.submissions.selectors.history import list_visible_events
from integrations.submissions.services.requirements import ANSWER_RULES
from integrations.submissions.workflow.states import Status
from portal.accounts.requests import AuthenticatedRequest
from portal.audit.models import AuditEvent
from portal.core.form_fields import FormArguments, MultiLineField
from portal.core.uploads import UploadField, describe_accepted_files, get_oversized_fields
from portal.core.value_types import TemplateContext

MAX_RECENT_EVENTS = 20
PARTNER_FORM = (RequirementKind.FORM, FulfillingParty.PARTNER)
Result = TypeVar("Result")


@dataclass(frozen=True)
class RequirementPage:
    """Requirement of an integration, as one user sees it now."""

    request: AuthenticatedRequest
    integration: Integration
    requirement: Requirement
    state: RequirementFulfillment
    now: datetime

    @property
    def user(self) -> Any:
        return self.request.user

    @property
    def is_open(self) -> bool:
        """Return whether submissions are possible: the requirement applies and the integration is open."""
        return self.integration.is_open and context_selectors.is_applicable(self.requirement, self.integration)

    @property
    def can_answer(self) -> bool:
        return self.is_open and ANSWER_RULES[self.requirement.responsible_party](self.integration, self.user)

    @property
    def can_decide(self) -> bool:
        return self.is_open and permissions.can_decide(self.integration, self.user)

    @property
    def can_save_draft(self) -> bool:
        """Return whether the user can save a draft, which only forms of the partner have."""
        is_partner_form = (self.requirement.kind, self.requirement.responsible_party) == PARTNER_FORM
        return is_partner_form and self.can_answer

    @property
    def is_met(self) -> bool:
        return self.state.is_met(self.now)

    @cached_property
    def draft(self) -> IntegrationDraft | None:
        """Return the partner's open draft of a form."""
        if not self.can_save_draft:
            return None
        rows = self.integration.drafts.filter(requirement_id=self.requirement.id, sent_at=None)
        return rows.select_related("saved_by").first()

    def call(self, service: Callable[..., Result], *arguments: object, **keywords: object) -> Result:
        """Call a service on the requirement for the user."""
        return service(self.integration, self.requirement.id, *arguments, actor=self.user, now=self.now, **keywords)


class ActionForm(forms.Form):
    """Form of an action, which can consist of its button alone.

    `is_open`: whether a form that a button opens is open from the start.
    """

    is_open = False

    def __init__(self, page: RequirementPage, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.page = page

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        """Return whether the user can perform the action now."""
        return page.can_answer

    def perform(self) -> str | HttpResponse:
        """Perform the action with the valid input. Return a success message or a response. Raises ActionRefused."""
        raise NotImplementedError


class ItemActionForm(ActionForm):
    """Button for one of several items; `uuid` identifies the item."""

    uuid = forms.UUIDField(
        widget=forms.HiddenInput, error_messages=dict.fromkeys(("required", "invalid"), gettext_lazy("Select an item."))
    )


class FileActionForm(ActionForm):
    """Form with a file field that reports files rejected for their size."""

    def __init__(self, page: RequirementPage, accept: tuple[str, ...], **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(page, **kwargs)
        field = UploadField(accept=accept, label=_("File"), help_text=describe_accepted_files(accept))
        field.was_oversized = "file" in get_oversized_fields(page.request)
        self.fields["file"] = field


def build_replaces_field(replaceable: Sequence[tuple[str, str]]) -> forms.ChoiceField:
    """Return a field to choose which of the existing items, given as (uuid, name) pairs, the submission replaces."""
    return forms.ChoiceField(
        label=_("Replaces"),
        choices=[("", _("Nothing (add a new one)")), *replaceable],
        required=False,
        widget=forms.Select if replaceable else forms.HiddenInput,
        error_messages={"invalid_choice": _("This item was replaced or removed. Reload the page.")},
    )


def build_reason_field(help_text: StrOrPromise, *, missing: StrOrPromise, max_length: int = 500) -> MultiLineField:
    """Return a field for the reason of an action. `missing`: the error if there is none."""
    return MultiLineField(
        label=gettext_lazy("Reason"),
        help_text=help_text,
        max_length=max_length,
        rows=3,
        error_messages={"required": missing},
    )


@dataclass(frozen=True, slots=True)
class RequirementKindPage:
    """Actions by name, and the context that one kind of requirement adds to the page."""

    actions: Mapping[str, type[ActionForm]]
    context: Callable[[RequirementPage], TemplateContext] = lambda page: {}


def load_page(request: AuthenticatedRequest, uuid: UUID, requirement_id: str) -> RequirementPage:
    """Return the page of a requirement. Raises Http404."""
    integration = load_visible_integration(request, uuid)
    requirement = integration.edition.get_requirement(requirement_id)
    if requirement is None:
        raise Http404(_("Requirement not found in this edition."))
    return build_requirement_page(request, integration, requirement)


def build_requirement_page(
    request: AuthenticatedRequest, integration: Integration, requirement: Requirement
) -> RequirementPage:
    """Return the requirement of a loaded integration."""
    # Unsaved: the first change creates the row while the integration is locked.
    state = integration.fulfillments_by_id.get(requirement.id) or RequirementFulfillment(
        integration=integration, requirement_id=requirement.id
    )
    return RequirementPage(request, integration, requirement, state, timezone.now())


def list_events(page: RequirementPage) -> list[AuditEvent]:
    """Return events of the requirement, newest first."""
    events = list_visible_events(page.integration, page.user).filter(data__requirement=page.requirement.id)
    return list(events.order_by("-seq")[:MAX_RECENT_EVENTS])


def get_partner_label(page: RequirementPage) -> str:
    """Return what the user calls the partner."""
    partner = page.integration.partner
    return _("your company") if permissions.get_role(partner, page.user) else partner.name


def describe_responsible_party(page: RequirementPage) -> str:
    """Return who fulfills the requirement."""
    partner_label = capfirst(get_partner_label(page))
    return {
        FulfillingParty.PARTNER: partner_label,
        FulfillingParty.PROGRAM: _("The program"),
        FulfillingParty.BOTH: _("%(company)s and the program") % {"company": partner_label},
        FulfillingParty.PORTAL: _("Automated check"),
    }[page.requirement.responsible_party]


def describe_scope(page: RequirementPage) -> str:
    """Return which integrations an answer applies to; blank for a single one."""
    if page.requirement.scope != AnswerScope.PARTNER:
        return ""
    if page.requirement.agreement:
        company = get_partner_label(page)
        return _("One signature for %(company)s applies to all of its integrations.") % {"company": company}
    if permissions.get_role(page.integration.partner, page.user):
        return _("One submission applies to all of your integrations in this program.")
    return _("One submission applies to all of the partner's integrations in this program.")


def build_page_context(page: RequirementPage) -> TemplateContext:
    """Return the context that all kinds of requirements share."""
    display_status = page.state.get_display_status(page.now)
    return {
        "page": page,
        "requirement_url": reverse("submissions:requirement", args=[page.integration.uuid, page.requirement.id]),
        "requirement": page.requirement,
        "state": page.state,
        "display_status": display_status,
        "needs_access": context_selectors.needs_access(page.state),
        "is_waived": page.state.is_waived(page.now),
        "responsible_party": describe_responsible_party(page),
        "deadline": describe_deadline(page.integration.edition, page.requirement),
        "scope": describe_scope(page),
        "applies": context_selectors.is_applicable(page.requirement, page.integration),
        "events": list_events(page),
        "can_view_notes": permissions.can_view_notes(page.integration, page.user),
        "waits_for": page.state.data.get("waits_for", "") if display_status == Status.AWAITING_OTHER_PARTY else "",
        "zone": timezone.get_current_timezone_name(),
    }
