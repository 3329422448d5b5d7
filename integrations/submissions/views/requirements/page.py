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
from integrations.programs.schema import Edition, Requirement, Scope, Who
from integrations.submissions.models import Integration, RequirementState
from integrations.submissions.selectors import context as facts
from integrations.submissions.services.requirements import ANSWERING
from integrations.submissions.views.mixins import load
from integrations.submissions.workflow.states import Status
from portal.audit.models import Event

LATELY = 20


@dataclass(frozen=True, slots=True)
class Page:
    """One requirement of one integration, as one person sees it now."""

    request: HttpRequest
    integration: Integration
    requirement: Requirement
    state: RequirementState
    now: datetime

    @property
    def user(self) -> Any:
        return self.request.user

    @property
    def is_open(self) -> bool:
        """Whether anything can be handed in: it applies, and the integration has not ended."""
        return self.integration.is_open and facts.applies(self.requirement, self.integration)

    @property
    def can_answer(self) -> bool:
        return self.is_open and ANSWERING[self.requirement.who](self.integration, self.user)

    @property
    def can_decide(self) -> bool:
        return self.is_open and permissions.may_decide(self.integration, self.user)

    @property
    def is_met(self) -> bool:
        return self.state.is_met(self.now)


@dataclass(frozen=True, slots=True)
class Act:
    """A button: whom it is offered, its form, and what it does.

    `form` takes the page and a form's own arguments; `do` takes the page and the form, which is in order, and
    returns the sentence that is said afterwards, or a page of its own. It may raise NotAllowed.
    """

    offered: Callable[[Page], bool]
    form: Callable[..., forms.Form]
    do: Callable[[Page, Any], str | HttpResponse]


@dataclass(frozen=True, slots=True)
class KindPage:
    """What one kind of requirement adds to the page: its buttons and what its template shows."""

    acts: Mapping[str, Act]
    context: Callable[[Page], dict[str, Any]] = lambda page: {}


def plain(form: type[forms.Form]) -> Callable[..., forms.Form]:
    """For forms that need nothing from the page."""
    return lambda page, **typed: form(**typed)


def open_page(request: HttpRequest, uuid: UUID, requirement_id: str) -> Page:
    """Raises Http404 for what is not the person's to see, or not in the edition."""
    integration = load(request, uuid)
    requirement = integration.edition.requirement(requirement_id)
    if requirement is None:
        raise Http404(_("This edition of the program has no such requirement."))
    known = integration.states.select_related("given_by", "waived_by").filter(requirement_id=requirement_id).first()
    state = known or RequirementState(integration=integration, requirement_id=requirement_id)
    state.integration = integration
    return Page(request, integration, requirement, state, timezone.now())


def history_of(page: Page) -> list[Event]:
    """What happened to this requirement, newest first; the program also sees what is internal."""
    events = page.integration.events.filter(data__requirement=page.requirement.id)
    if not permissions.may_see_notes(page.integration, page.user):
        events = events.shown_to_partner()
    return list(events.order_by("-seq")[:LATELY])


def needed_before(edition: Edition, requirement: Requirement) -> str:
    """What must wait for the requirement, under its published name."""
    tier = next((tier for tier in edition.tiers if requirement in tier.requirements), None)
    if tier is not None:
        return _("the tier %(name)s") % {"name": tier.name}
    places, position = edition.positions(), edition.deadline(requirement)
    if position >= len(places):
        return _("keeping the standing")
    step, stage = places[position]
    return step.name if len(step.stages) == 1 else f"{step.name} ({stage})"


def company_of(page: Page) -> str:
    """The company as the person who looks calls it."""
    return (
        _("your company") if permissions.role_of(page.integration.partner, page.user) else page.integration.partner.name
    )


def who_of(page: Page) -> str:
    """Who fulfils it, in words for the person who looks."""
    company = company_of(page)
    company = company[0].upper() + company[1:]
    return {
        Who.PARTNER: company,
        Who.PROGRAM: _("The program"),
        Who.BOTH: _("%(company)s and the program") % {"company": company},
        Who.MACHINE: _("The portal, by itself"),
    }[page.requirement.who]


def given_once(page: Page) -> str:
    """How far one answer reaches; blank where it is for this integration alone."""
    if page.requirement.scope != Scope.PARTNER:
        return ""
    if page.requirement.agreement:
        return _("Signed once for %(company)s: it counts for all of its integrations.") % {"company": company_of(page)}
    whose = (
        _("your integrations")
        if permissions.role_of(page.integration.partner, page.user)
        else _("the company's integrations")
    )
    return _("Given once for all of %(whose)s in this program.") % {"whose": whose}


def context_of(page: Page) -> dict[str, Any]:
    """What every kind of requirement shows."""
    return {
        "page": page,
        "integration": page.integration,
        "requirement": page.requirement,
        "state": page.state,
        "shown": page.state.shown(page.now),
        "is_waived": page.state.is_waived(page.now),
        "who": who_of(page),
        "needed_before": needed_before(page.integration.edition, page.requirement),
        "given_once": given_once(page),
        "applies": facts.applies(page.requirement, page.integration),
        "events": history_of(page),
        "for_program": permissions.works_for_program(page.user),
        "waits_for": page.state.data.get("waits_for", "") if page.state.status == Status.WAITING else "",
        "zone": timezone.get_current_timezone_name(),
    }
