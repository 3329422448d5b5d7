"""Refusals by permission rules, conflicts of interest, and states of companies, as sentences for people."""

from collections.abc import Callable
from typing import Annotated, TypeVar

from django.utils.translation import gettext as _, gettext_noop

from integrations.partners.conflicts import PartnerIntegration, find_conflict
from integrations.partners.models import ConflictKind, VerificationState
from portal.accounts.requests import AnyUser
from portal.core.content_files import Content, load_content, require_keys
from portal.core.errors import ActionRefused

Subject = TypeVar("Subject")
DEFAULT_REFUSAL = gettext_noop("You don't have permission to do this.")
# The states in which a company can't do everything. A verified company can, and a closed one has no integrations.
REFUSED_STATES = (VerificationState.UNVERIFIED, VerificationState.NEEDS_DECISION, VerificationState.REJECTED)


class Refusal(Content):
    """Text of a refusal."""

    text: str


class RuleRefusal(Refusal):
    """Text of a refusal by permission rules, which are named like their functions."""

    names: tuple[str, ...]


class RefusalFile(Content):
    """Content of refusals.yaml."""

    rules: tuple[RuleRefusal, ...]
    conflicts: Annotated[dict[ConflictKind, Refusal], require_keys(ConflictKind)]
    companies: Annotated[dict[VerificationState, Refusal], require_keys(REFUSED_STATES)]


REFUSALS = load_content("integrations/partners/content/refusals.yaml", RefusalFile)
REFUSALS_BY_RULE = {name: refusal.text for refusal in REFUSALS.rules for name in refusal.names}
# Rules that can refuse a reviewer of the program for a conflict of interest alone.
REVIEWER_RULES = ("can_decide", "can_put_on_hold", "can_decide_compliance", "can_undo_decision", "can_open_credentials")


def get_refusal(rule: str) -> str:
    """Return the translated refusal of a rule."""
    return _(REFUSALS_BY_RULE.get(rule, DEFAULT_REFUSAL))


def get_company_refusal(state: VerificationState) -> str:
    """Return why a company in this state can't do something, translated."""
    return _(REFUSALS.companies[state].text)


def require_permission(rule: Callable[[Subject, AnyUser | None], bool], subject: Subject, user: AnyUser | None) -> None:
    """Raise ActionRefused if the rule refuses the user."""
    if not rule(subject, user):
        raise ActionRefused(get_refusal(rule.__name__), "forbidden")


def explain_conflict(integration: PartnerIntegration, user: AnyUser | None) -> str:
    """Return the reviewer's conflict of interest with an integration, or an empty string."""
    kind = find_conflict(integration, user)
    if kind is None:
        return ""
    return _(REFUSALS.conflicts[kind].text) % {"reviewer": user, "company": integration.partner}


def explain_refusal(rule: str, integration: PartnerIntegration, user: AnyUser | None) -> str:
    """Return the refusal of a rule, or the conflict of interest that causes it."""
    # "Only reviewers" would be no reason for a reviewer who has a conflict of interest.
    return (explain_conflict(integration, user) if rule in REVIEWER_RULES else "") or get_refusal(rule)
