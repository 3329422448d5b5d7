"""Refusals of the permission rules, as sentences for people."""

from collections.abc import Callable
from typing import TypeVar

from django.utils.translation import gettext as _, gettext_noop

from integrations.partners.conflicts import PartnerIntegration, explain_conflict
from portal.accounts.requests import AnyUser
from portal.core.errors import ActionRefused

Subject = TypeVar("Subject")
DEFAULT_REFUSAL = gettext_noop("You don't have permission to do this.")
REVIEWERS_ONLY = gettext_noop(
    "Only reviewers of the program can do this. Reviewers can't decide on their own company's integrations."
)
REFUSALS_BY_RULE = {
    "can_view": gettext_noop("You don't have access to this page."),
    "can_edit": gettext_noop("Only owners and editors of the company can do this."),
    "can_edit_partner": gettext_noop("Only owners and editors of the company can do this."),
    "can_manage": gettext_noop("Only owners of the company can do this."),
    "can_manage_partner": gettext_noop("Only owners of the company can do this."),
    "can_decide": REVIEWERS_ONLY,
    "can_complete_step": gettext_noop("Only owners and editors of the company can do this."),
    "can_put_on_hold": REVIEWERS_ONLY,
    "can_decide_compliance": gettext_noop(
        "Only reviewers of the program can do this while the integration is in support. Reviewers can't decide on "
        "their own company's integrations."
    ),
    "can_request_reinstatement": gettext_noop(
        "Only owners and editors of the company can do this while the integration is in support."
    ),
    "is_machine": gettext_noop("The portal does this automatically."),
    "can_undo_decision": gettext_noop("Only the side that decided can undo a decision."),
    "can_reopen": gettext_noop(
        "The company can reopen a withdrawn integration. A reviewer can reopen a declined integration."
    ),
    "can_assign_reviewer": gettext_noop("Only program staff can do this."),
    "can_write_note": gettext_noop("Only program staff can write notes."),
    "can_post_message": gettext_noop("Only owners and editors of the company and program staff can write messages."),
    "can_take_part": gettext_noop("Only owners and editors of the company and reviewers can do this."),
    "can_open_credentials": gettext_noop("Only the assigned reviewer can view the test account."),
    "can_decide_on_partner": gettext_noop("Only reviewers can do this. Reviewers can't decide on their own company."),
    "can_manage_webhooks": gettext_noop(
        "Only owners can manage the webhooks of a company, and only staff can manage those of the program."
    ),
    "can_merge_partners": gettext_noop("Only staff can merge partners. Staff can't merge their own company."),
    "is_never_allowed": gettext_noop("This happens automatically."),
}


# Rules that can refuse a reviewer of the program for a conflict of interest alone.
REVIEWER_RULES = ("can_decide", "can_put_on_hold", "can_decide_compliance", "can_undo_decision", "can_open_credentials")


def get_refusal(rule: str) -> str:
    """Return the translated refusal of a rule."""
    return _(REFUSALS_BY_RULE.get(rule, DEFAULT_REFUSAL))


def require_permission(rule: Callable[[Subject, AnyUser | None], bool], subject: Subject, user: AnyUser | None) -> None:
    """Raise ActionRefused if the rule refuses the user."""
    if not rule(subject, user):
        raise ActionRefused(get_refusal(rule.__name__), "forbidden")


def explain_refusal(rule: str, integration: PartnerIntegration, user: AnyUser | None) -> str:
    """Return the refusal of a rule, or the conflict of interest that causes it."""
    # "Only reviewers" would be no reason for a reviewer who has a conflict of interest.
    return (explain_conflict(integration, user) if rule in REVIEWER_RULES else "") or get_refusal(rule)
