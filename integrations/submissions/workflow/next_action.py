"""Sentences of next actions, queue reasons, and compliance requests.

The database stores a code with parameters; the sentence is rendered in the reader's language. Titles, names, and
reasons among the parameters stay as they are.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy, ngettext_lazy

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

SentenceParams = Mapping[str, object]

# codes of actions on a requirement, with the label of the button
ACTION_LABELS = {
    "complete_form": gettext_lazy("Complete the form"),
    "upload": gettext_lazy("Upload"),
    "sign": gettext_lazy("Sign"),
    "sign_renewal": gettext_lazy("Sign"),
    "confirm": gettext_lazy("Confirm"),
    "propose_times": gettext_lazy("Propose times"),
    "choose_time": gettext_lazy("Choose a time"),
    "add_test_account": gettext_lazy("Add test account"),
    "fix_check": gettext_lazy("Fix check"),
    "complete": gettext_lazy("Complete"),
    "run_check": gettext_lazy("Run check"),
    "wait_for": gettext_lazy("Wait for"),
}
REQUIREMENT_ACTIONS = {
    "complete_form": gettext_lazy("Complete the form “%(title)s”"),
    "upload": gettext_lazy("Upload “%(title)s”"),
    "sign": gettext_lazy("Sign “%(title)s”"),
    "sign_renewal": gettext_lazy("Sign “%(title)s (renewal)”"),
    "confirm": gettext_lazy("Confirm “%(title)s”"),
    "propose_times": gettext_lazy("Propose times for “%(title)s”"),
    "choose_time": gettext_lazy("Choose a time for “%(title)s”"),
    "add_test_account": gettext_lazy("Add test account “%(title)s”"),
    "fix_check": gettext_lazy("Fix check “%(title)s”"),
    "complete": gettext_lazy("Complete “%(title)s”"),
    "run_check": gettext_lazy("Run check “%(title)s”"),
    "wait_for": gettext_lazy("Wait for “%(title)s”"),
}
COMPLIANCE_REQUESTS = {
    "sla_breaches": ngettext_lazy(
        "%(count)s SLA breach within %(days)s days", "%(count)s SLA breaches within %(days)s days", "count"
    ),
    "slow_issue": gettext_lazy("an issue took more than %(factor)s times its target"),
    "reinstatement": gettext_lazy("the partner requested reinstatement"),
}
SENTENCES: "Mapping[str, StrOrPromise]" = {
    **REQUIREMENT_ACTIONS,
    **COMPLIANCE_REQUESTS,
    # other next actions
    "complete_step": gettext_lazy("Complete step “%(step)s”"),
    "request_review": gettext_lazy("Request review"),
    "request_another_review": gettext_lazy("Request another review"),
    "review": gettext_lazy("Review round %(round)s"),
    "respond_to_findings": ngettext_lazy("Respond to %(count)s finding", "Respond to %(count)s findings", "count"),
    "publish": gettext_lazy("Publish the listing"),
    "on_hold": gettext_lazy("On hold: %(reason)s"),
    "decide_on_tier": gettext_lazy("Decide on tier %(tier)s"),
    "decide_on_request": gettext_lazy("Decide on the compliance request: %(request)s"),
    "respond_to_notice": gettext_lazy("Respond to the notice"),
    "decide_on_suspension": gettext_lazy("Decide on the suspension"),
    "review_notice_response": gettext_lazy("Review the partner's response to the notice"),
    "decide_on_notice_appeal": gettext_lazy("Decide on the appeal against the notice"),
    "fix_issues": gettext_lazy("Fix the issues that led to the suspension"),
    "decide_on_delisting": gettext_lazy("Decide on the delisting"),
    "review_suspension_response": gettext_lazy("Review the partner's response to the suspension"),
    "decide_on_suspension_appeal": gettext_lazy("Decide on the appeal against the suspension"),
    "none_delisted": gettext_lazy("No action needed. The integration is delisted."),
    "none_unlisted": gettext_lazy("No action needed. The partner ended its support commitment."),
    "none_monitored": gettext_lazy("No action needed. We monitor this integration."),
    # reasons in the queue
    "hold": gettext_lazy("on hold: %(reason)s"),
    "deadline_ended": gettext_lazy("deadline ended"),
    "partner_responded": gettext_lazy("partner responded"),
    "appeal": gettext_lazy("appeal"),
    "new_review": gettext_lazy("new review"),
    "repeated_review": gettext_lazy("review round %(round)s"),
    "resolved_findings": ngettext_lazy("response to %(count)s finding", "response to %(count)s findings", "count"),
    "ready_to_publish": gettext_lazy("ready to publish"),
    "tier_request": gettext_lazy("request for tier %(tier)s"),
    "requirement": "%(title)s",
    "renewal": gettext_lazy("%(title)s (renewal)"),
}


def render_sentence(code: str, params: SentenceParams) -> str:
    """Return the sentence of a code in the reader's language; blank without a code.

    A parameter with a code and parameters of its own is a sentence within the sentence.
    """
    values = {name: render_sentence(**value) if isinstance(value, dict) else value for name, value in params.items()}
    return str(SENTENCES[code] % values) if code else ""
