"""Waivers on the requirement page."""

from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.forms.requirement_actions import (
    WaiverDeclineForm,
    WaiverEndForm,
    WaiverForm,
    WaiverRequestForm,
)
from integrations.submissions.services import waivers
from integrations.submissions.views.requirements.page import RequirementAction, RequirementPage
from portal.core.value_types import NamedValues


def waive_requirement(page: RequirementPage, data: NamedValues) -> str:
    reason, expires_at = data["reason"], data["until"]
    if (page.state.waiver_reason, page.state.waiver_expires_at) != (reason, expires_at):
        page.call(waivers.waive_requirement, reason=reason, expires_at=expires_at)
    return _("You waived “%(title)s”.") % {"title": page.requirement.title}


def end_waiver(page: RequirementPage, data: NamedValues) -> str:
    page.call(waivers.end_waiver, **data)
    return _("You ended the waiver of “%(title)s”.") % {"title": page.requirement.title}


def request_waiver(page: RequirementPage, data: NamedValues) -> str:
    page.call(waivers.request_waiver, **data)
    return _("You requested a waiver of “%(title)s”.") % {"title": page.requirement.title}


def decline_waiver(page: RequirementPage, data: NamedValues) -> str:
    page.call(waivers.decline_waiver, **data)
    return _("You declined the waiver of “%(title)s”.") % {"title": page.requirement.title}


def can_request_waiver(page: RequirementPage) -> bool:
    """Return whether the user can request a waiver of an open requirement that has no request."""
    is_requested = page.state.waiver_requested_at is not None
    return page.is_open and not page.is_met and not is_requested and permissions.can_edit(page.integration, page.user)


WAIVER_ACTIONS = {
    "request_waiver": RequirementAction(can_request_waiver, WaiverRequestForm, request_waiver),
    "decline_waiver": RequirementAction(
        lambda page: page.can_decide and page.state.waiver_requested_at is not None, WaiverDeclineForm, decline_waiver
    ),
    "waive": RequirementAction(lambda page: page.can_decide and not page.is_met, WaiverForm, waive_requirement),
    "end_waiver": RequirementAction(
        lambda page: page.can_decide and page.state.is_waived(page.now), WaiverEndForm, end_waiver
    ),
}
