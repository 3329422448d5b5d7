"""Who may? Predicates over (integration, user); a user of None is the machine.

The only place where a permission is asked. Each predicate is used by the steps of the model, by the actions
and by the pages alike.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

if TYPE_CHECKING:
    from integrations.partners.models.partners import Partner
    from integrations.submissions.models.integration import Integration

EDITOR_ROLES = ("owner", "editor")
DEFAULT_REFUSAL = gettext_noop("You may not do this.")
REFUSALS_BY_RULE = {
    "can_view": gettext_noop("This is not visible to you."),
    "can_edit": gettext_noop("Only owners and editors of the company may do this."),
    "can_manage": gettext_noop("Only owners of the company may do this."),
    "can_decide": gettext_noop(
        "Only a reviewer of the program may do this, and never on their own company's integration."
    ),
    "can_put_on_hold": gettext_noop(
        "Only a reviewer of the program may do this, and never on their own company's integration."
    ),
    "can_decide_compliance": gettext_noop(
        "Only a reviewer of the program may do this once it is in support, and never on their own company’s."
    ),
    "can_request_reinstatement": gettext_noop(
        "Only owners and editors of the company may do this, once it is in support."
    ),
    "is_machine": gettext_noop("The portal does this by itself."),
    "can_undo_decision": gettext_noop("Only a reviewer of the program may undo a decision."),
    "can_reopen": gettext_noop("A withdrawn integration is opened again by its company, a declined one by a reviewer."),
    "can_assign_reviewer": gettext_noop("Only people of the program may do this."),
    "can_write_note": gettext_noop("Only people of the program keep notes."),
    "can_post_message": gettext_noop(
        "Only owners and editors of the company and people of the program may write here."
    ),
    "can_take_part": gettext_noop("Only owners and editors of the company and reviewers of the program may do this."),
    "can_open_credentials": gettext_noop("Only the assigned reviewer may open these."),
    "is_never_allowed": gettext_noop("This happens by itself."),
}


def get_refusal(rule: str) -> str:
    """The sentence for somebody whom a rule turns away, in the reader's language."""
    return _(REFUSALS_BY_RULE.get(rule, DEFAULT_REFUSAL))


def get_roles(user: Any) -> dict[int, str]:
    """The person's current roles by partner's id. One query a request: kept on the user.

    Who acts for a company, as its token does, has the role that `acting_roles` says and no other.
    """
    if user is None or not user.is_authenticated:
        return {}
    acting_roles: dict[int, str] | None = getattr(user, "acting_roles", None)
    if acting_roles is not None:
        return acting_roles
    return {membership.partner: membership.role for membership in list_current_memberships(user)}


@dataclass(frozen=True, slots=True)
class CurrentMembership:
    """A person's current membership: the company's id, name and slug, and the role in it."""

    partner: int
    role: str
    name: str
    slug: str


def list_current_memberships(user: Any) -> list[CurrentMembership]:
    """The person's current memberships by the company's name. One query a request: kept on the user."""
    memberships: list[CurrentMembership] | None = getattr(user, "_roles", None)
    if memberships is None:
        current_memberships = user.memberships.filter(ended_at=None).order_by("partner__name")
        rows = current_memberships.values_list("partner_id", "role", "partner__name", "partner__slug")
        memberships = user._roles = [CurrentMembership(*row) for row in rows]
    return memberships


def get_role(partner: "Partner", user: Any) -> str:
    """The person's current role in the partner, blank for none."""
    return get_roles(user).get(partner.pk, "")


def forget_roles(user: Any) -> None:
    """After a membership changed in this request."""
    if getattr(user, "_roles", None) is not None:
        del user._roles  # through the proxy that request.user is


def can_view(integration: "Integration", user: Any) -> bool:
    return user is None or user.is_reviewer or user.is_staff or bool(get_role(integration.partner, user))


def can_edit(integration: "Integration", user: Any) -> bool:
    return can_edit_partner(integration.partner, user)


def can_manage(integration: "Integration", user: Any) -> bool:
    return can_manage_partner(integration.partner, user)


def can_decide(integration: "Integration", user: Any) -> bool:
    """A reviewer, and never one of the integration's own company."""
    return user is not None and user.is_active and user.is_reviewer and not get_role(integration.partner, user)


def can_put_on_hold(integration: "Integration", user: Any) -> bool:
    """A reviewer; the machine too, where it found what a person has to decide."""
    return user is None or can_decide(integration, user)


def can_decide_compliance(integration: "Integration", user: Any) -> bool:
    """Takes part in the due process of a standing: a reviewer, about what was released."""
    return integration.stage == "support" and can_decide(integration, user)


def can_request_reinstatement(integration: "Integration", user: Any) -> bool:
    return integration.stage == "support" and can_edit(integration, user)


def is_machine(_integration: "Integration", user: Any) -> bool:
    """What the portal notes by itself; it never decides on a standing."""
    return user is None


def can_undo_decision(integration: "Integration", user: Any) -> bool:
    return can_decide(integration, user)


def can_reopen(integration: "Integration", user: Any) -> bool:
    """Who ended it opens it again; once it is open, both are told who was faster."""
    rules = {"withdrawn": (can_edit,), "declined": (can_decide,)}.get(integration.stage, (can_edit, can_decide))
    return any(rule(integration, user) for rule in rules)


def can_assign_reviewer(integration: "Integration", user: Any) -> bool:
    return can_act_for_program(integration, user)


def can_write_note(integration: "Integration", user: Any) -> bool:
    return can_act_for_program(integration, user)


def can_post_message(integration: "Integration", user: Any) -> bool:
    return is_program_staff(user) or can_edit(integration, user)


def can_take_part(integration: "Integration", user: Any) -> bool:
    """Has a part in what both sides do: meetings and agreements."""
    return can_edit(integration, user) or can_decide(integration, user)


def can_open_credentials(integration: "Integration", user: Any) -> bool:
    """Test credentials are opened by the assigned reviewer alone."""
    return can_decide(integration, user) and integration.reviewer_id == user.pk


def is_never_allowed(_integration: "Integration", _user: Any) -> bool:
    """Steps that follow from others and are never taken by hand."""
    return False


def can_edit_partner(partner: "Partner", user: Any) -> bool:
    return get_role(partner, user) in EDITOR_ROLES


def can_manage_partner(partner: "Partner", user: Any) -> bool:
    return get_role(partner, user) == "owner"


def is_program_staff(user: Any) -> bool:
    """Sees every integration: reviewers and staff."""
    return bool(user is not None and user.is_authenticated and (user.is_reviewer or user.is_staff))


def can_act_for_program(integration: "Integration", user: Any) -> bool:
    """Somebody of the program who does not also belong to the integration's own company."""
    return is_program_staff(user) and not get_role(integration.partner, user)


def can_view_notes(integration: "Integration", user: Any) -> bool:
    """The program's own notes, which nobody of the company sees, whoever else they are."""
    return can_act_for_program(integration, user)


def can_download(partner: "Partner", user: Any, *, is_agreement: bool) -> bool:
    """A document is for the company's team and the program, an agreement for its owners and the program."""
    return is_program_staff(user) or (
        can_manage_partner(partner, user) if is_agreement else bool(get_role(partner, user))
    )
