"""Waivers on the requirement page."""

from django.utils.translation import gettext as _

from integrations.submissions.forms.waivers import WaiverEndForm, WaiverForm
from integrations.submissions.services import waivers
from integrations.submissions.views.requirements.page import RequirementAction, RequirementPage, make_form_factory


def waive_requirement(page: RequirementPage, form: WaiverForm) -> str:
    reason, expires_at = form.cleaned_data["reason"], form.cleaned_data["until"]
    is_unchanged = page.state.waiver_expires_at == expires_at and page.state.waiver_reason == reason
    if not is_unchanged:
        waivers.waive_requirement(
            page.integration, page.requirement.id, reason=reason, expires_at=expires_at, actor=page.user, now=page.now
        )
    return _("You waived “%(title)s”.") % {"title": page.requirement.title}


def end_waiver(page: RequirementPage, form: WaiverEndForm) -> str:
    reason = form.cleaned_data["reason"]
    waivers.end_waiver(page.integration, page.requirement.id, reason=reason, actor=page.user, now=page.now)
    return _("You ended the waiver of “%(title)s”.") % {"title": page.requirement.title}


WAIVER_ACTIONS = {
    "waive": RequirementAction(
        lambda page: page.can_decide and not page.is_met, make_form_factory(WaiverForm), waive_requirement
    ),
    "end_waiver": RequirementAction(
        lambda page: page.can_decide and page.state.is_waived(page.now), make_form_factory(WaiverEndForm), end_waiver
    ),
}
