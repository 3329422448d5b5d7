"""Waivers on the requirement page."""

from django.utils.translation import gettext as _

from integrations.submissions.forms.requirement_actions import WaiverEndForm, WaiverForm
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


WAIVER_ACTIONS = {
    "waive": RequirementAction(lambda page: page.can_decide and not page.is_met, WaiverForm, waive_requirement),
    "end_waiver": RequirementAction(
        lambda page: page.can_decide and page.state.is_waived(page.now), WaiverEndForm, end_waiver
    ),
}
