"""Data of a requirement page."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar
from uuid import UUID

from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.programs.requirements import AnswerScope, FulfillingParty, Requirement, RequirementKind
from integrations.programs.schema import Edition
from integrations.submissions.models import Integration, IntegrationDraft, RequirementFulfillment
from integrations.submissions.selectors import context as context_selectors
from integrations.submissions.services.requirements import ANSWER_RULES
from integrations.submissions.views.access import load_visible_integration
from integrations.submissions.workflow.states import STAGE_LABELS, Status
from portal.accounts.requests import AuthenticatedRequest
from portal.audit.models import AuditEvent
from portal.core.value_types import TemplateContext

MAX_RECENT_EVENTS = 20
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
        return self.can_answer and self.requirement.responsible_party == FulfillingParty.PARTNER

    @property
    def is_met(self) -> bool:
        return self.state.is_met(self.now)

    @cached_property
    def draft(self) -> IntegrationDraft | None:
        """Return the partner's open draft of a form."""
        if self.requirement.kind != RequirementKind.FORM or not self.can_save_draft:
            return None
        rows = self.integration.drafts.filter(requirement_id=self.requirement.id, sent_at=None)
        return rows.select_related("saved_by").first()

    def call(self, service: Callable[..., Result], *arguments: object, **keywords: object) -> Result:
        """Call a service on the requirement for the user."""
        return service(self.integration, self.requirement.id, *arguments, actor=self.user, now=self.now, **keywords)


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
    """Return events of the requirement, newest first. Program staff also see internal events."""
    events = page.integration.events.filter(data__requirement=page.requirement.id)
    if not permissions.can_view_notes(page.integration, page.user):
        events = events.visible_to_partner()
    return list(events.order_by("-seq")[:MAX_RECENT_EVENTS])


def describe_deadline(edition: Edition, requirement: Requirement) -> str:
    """Return the name of the step or tier that needs the requirement."""
    tier = next((tier for tier in edition.tiers if requirement in tier.requirements), None)
    if tier is not None:
        return _("Tier %(name)s") % {"name": tier.name}
    positions, position = edition.positions, edition.get_deadline(requirement)
    if position >= len(positions):
        return _("Staying listed")
    step, stage = positions[position]
    return step.name if len(step.stages) == 1 else f"{step.name} ({STAGE_LABELS[stage]})"


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
        FulfillingParty.MACHINE: _("Automated check"),
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
