"""How does a reviewer let a requirement count as met, for a reason and until a day?"""

from django.utils.translation import gettext as _

from integrations.submissions.forms.waivers import EndWaiver, Waive
from integrations.submissions.services import requirements
from integrations.submissions.views.requirements.page import Act, Page, plain


def waive(page: Page, form: Waive) -> str:
    reason, until = form.cleaned_data["reason"], form.cleaned_data["until"]
    same = page.state.waived_until == until and page.state.waiver_reason == reason
    if not same:
        requirements.waive(
            page.integration, page.requirement.id, reason=reason, until=until, by=page.user, now=page.now
        )
    return _("“%(title)s” is waived.") % {"title": page.requirement.title}


def end_waiver(page: Page, form: EndWaiver) -> str:
    reason = form.cleaned_data["reason"]
    requirements.end_waiver(page.integration, page.requirement.id, reason=reason, by=page.user, now=page.now)
    return _("The waiver of “%(title)s” is ended.") % {"title": page.requirement.title}


WAIVERS = {
    "waive": Act(lambda page: page.can_decide and not page.is_met, plain(Waive), waive),
    "end_waiver": Act(lambda page: page.can_decide and page.state.is_waived(page.now), plain(EndWaiver), end_waiver),
}
