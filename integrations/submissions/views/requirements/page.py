"""What is the page of one requirement made of? The row, who looks, and which buttons they are offered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.programs.schema import AnswerScope, Edition, FulfillingParty, Requirement
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.selectors import context as context_selectors
from integrations.submissions.services.requirements import ANSWER_RULES
from integrations.submissions.views.mixins import load_visible_integration
from integrations.submissions.workflow.states import Status
from portal.audit.models import AuditEvent

MAX_RECENT_EVENTS = 20


@dataclass(frozen=True, slots=True)
class RequirementPage:
    """One requirement of one integration, as one person sees it now."""

    request: HttpRequest
    integration: Integration
    requirement: Requirement
    state: RequirementFulfillment
    now: datetime

    @property
    def user(self) -> Any:
        return self.request.user

    @property
    def is_open(self) -> bool:
        """Whether anything can be handed in: it applies, and the integration has not ended."""
        return self.integration.is_open and context_selectors.is_applicable(self.requirement, self.integration)

    @property
    def can_answer(self) -> bool:
        return self.is_open and ANSWER_RULES[self.requirement.who](self.integration, self.user)

    @property
    def can_decide(self) -> bool:
        return self.is_open and permissions.can_decide(self.integration, self.user)

    @property
    def is_met(self) -> bool:
        return self.state.is_met(self.now)


@dataclass(frozen=True, slots=True)
class RequirementAction:
    """A button: whom it is offered, its form, and what it does.

    `form` takes the page and a form's own arguments; `do` takes the page and the form, which is in order, and
    returns the sentence that is said afterwards, or a page of its own. It may raise ActionRefused.
    """

    offered: Callable[[RequirementPage], bool]
    form: Callable[..., forms.Form]
    do: Callable[[RequirementPage, Any], str | HttpResponse]


@dataclass(frozen=True, slots=True)
class RequirementKindPage:
    """What one kind of requirement adds to the page: its buttons and what its template shows."""

    acts: Mapping[str, RequirementAction]
    context: Callable[[RequirementPage], dict[str, Any]] = lambda page: {}


def make_form_factory(form: type[forms.Form]) -> Callable[..., forms.Form]:
    """For forms that need nothing from the page."""
    return lambda page, **form_kwargs: form(**form_kwargs)


def load_page(request: HttpRequest, uuid: UUID, requirement_id: str) -> RequirementPage:
    """Raises Http404 for what is not the person's to see, or not in the edition."""
    integration = load_visible_integration(request, uuid)
    requirement = integration.edition.requirement(requirement_id)
    if requirement is None:
        raise Http404(_("This edition of the program has no such requirement."))
    existing = (
        integration.fulfillments.select_related("submitted_by", "waived_by")
        .filter(requirement_id=requirement_id)
        .first()
    )
    state = existing or RequirementFulfillment(integration=integration, requirement_id=requirement_id)
    state.integration = integration
    return RequirementPage(request, integration, requirement, state, timezone.now())


def list_events(page: RequirementPage) -> list[AuditEvent]:
    """What happened to this requirement, newest first; the program also sees what is internal."""
    events = page.integration.events.filter(data__requirement=page.requirement.id)
    if not permissions.can_view_notes(page.integration, page.user):
        events = events.shown_to_partner()
    return list(events.order_by("-seq")[:MAX_RECENT_EVENTS])


def describe_deadline(edition: Edition, requirement: Requirement) -> str:
    """What must wait for the requirement, under its published name."""
    tier = next((tier for tier in edition.tiers if requirement in tier.requirements), None)
    if tier is not None:
        return _("the tier %(name)s") % {"name": tier.name}
    positions, position = edition.positions(), edition.deadline(requirement)
    if position >= len(positions):
        return _("keeping the standing")
    step, stage = positions[position]
    return step.name if len(step.stages) == 1 else f"{step.name} ({stage})"


def get_partner_label(page: RequirementPage) -> str:
    """The company as the person who looks calls it."""
    return (
        _("your company")
        if permissions.get_role(page.integration.partner, page.user)
        else page.integration.partner.name
    )


def describe_responsible_party(page: RequirementPage) -> str:
    """Who fulfils it, in words for the person who looks."""
    partner_label = get_partner_label(page)
    partner_label = partner_label[0].upper() + partner_label[1:]
    return {
        FulfillingParty.PARTNER: partner_label,
        FulfillingParty.PROGRAM: _("The program"),
        FulfillingParty.BOTH: _("%(company)s and the program") % {"company": partner_label},
        FulfillingParty.MACHINE: _("The portal, by itself"),
    }[page.requirement.who]


def describe_scope(page: RequirementPage) -> str:
    """How far one answer reaches; blank where it is for this integration alone."""
    if page.requirement.scope != AnswerScope.PARTNER:
        return ""
    if page.requirement.agreement:
        return _("Signed once for %(company)s: it counts for all of its integrations.") % {
            "company": get_partner_label(page)
        }
    scope_label = (
        _("your integrations")
        if permissions.get_role(page.integration.partner, page.user)
        else _("the company's integrations")
    )
    return _("Given once for all of %(whose)s in this program.") % {"whose": scope_label}


def build_page_context(page: RequirementPage) -> dict[str, Any]:
    """What every kind of requirement shows."""
    return {
        "page": page,
        "integration": page.integration,
        "requirement": page.requirement,
        "state": page.state,
        "shown": page.state.shown(page.now),
        "is_waived": page.state.is_waived(page.now),
        "who": describe_responsible_party(page),
        "needed_before": describe_deadline(page.integration.edition, page.requirement),
        "given_once": describe_scope(page),
        "applies": context_selectors.is_applicable(page.requirement, page.integration),
        "events": list_events(page),
        "for_program": permissions.is_program_staff(page.user),
        "waits_for": page.state.data.get("waits_for", "") if page.state.status == Status.AWAITING_OTHER_PARTY else "",
        "zone": timezone.get_current_timezone_name(),
    }
