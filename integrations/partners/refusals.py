"""Refusals of the permission rules, and what conflicts of interest forbid, as sentences for people."""

from collections.abc import Callable
from typing import TypeVar

from django.utils.translation import gettext as _, gettext_noop

from integrations.partners.conflicts import PartnerIntegration, find_conflict
from portal.accounts.requests import AnyUser
from portal.core.content_files import Content, load_content
from portal.core.errors import ActionRefused

Subject = TypeVar("Subject")
DEFAULT_REFUSAL = gettext_noop("You don't have permission to do this.")


class Refusal(Content):
    """Text of a refusal, and the names of the rules, conflicts, or states that it is for."""

    names: tuple[str, ...]
    text: str


TEXTS = {
    group: {name: refusal.text for refusal in refusals for name in refusal.names}
    for group, refusals in load_content(
        "integrations/partners/content/refusals.yaml", dict[str, tuple[Refusal, ...]]
    ).items()
}
# Rules that can refuse a reviewer of the program for a conflict of interest alone.
REVIEWER_RULES = ("can_decide", "can_put_on_hold", "can_decide_compliance", "can_undo_decision", "can_open_credentials")


def get_refusal(rule: str) -> str:
    """Return the translated refusal of a rule."""
    return _(TEXTS["rules"].get(rule, DEFAULT_REFUSAL))


def require_permission(rule: Callable[[Subject, AnyUser | None], bool], subject: Subject, user: AnyUser | None) -> None:
    """Raise ActionRefused if the rule refuses the user."""
    if not rule(subject, user):
        raise ActionRefused(get_refusal(rule.__name__), "forbidden")


def explain_conflict(integration: PartnerIntegration, user: AnyUser | None) -> str:
    """Return the reviewer's conflict of interest with an integration, or an empty string."""
    kind = find_conflict(integration, user)
    return _(TEXTS["conflicts"][kind]) % {"reviewer": user, "company": integration.partner} if kind else ""


def explain_refusal(rule: str, integration: PartnerIntegration, user: AnyUser | None) -> str:
    """Return the refusal of a rule, or the conflict of interest that causes it."""
    # "Only reviewers" would be no reason for a reviewer who has a conflict of interest.
    return (explain_conflict(integration, user) if rule in REVIEWER_RULES else "") or get_refusal(rule)
