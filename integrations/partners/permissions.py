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

EDITING = ("owner", "editor")
OTHERWISE = gettext_noop("You may not do this.")
REFUSALS = {
    "may_see": gettext_noop("This is not visible to you."),
    "may_edit": gettext_noop("Only owners and editors of the company may do this."),
    "may_manage": gettext_noop("Only owners of the company may do this."),
    "may_decide": gettext_noop(
        "Only a reviewer of the program may do this, and never on their own company's integration."
    ),
    "may_hold": gettext_noop(
        "Only a reviewer of the program may do this, and never on their own company's integration."
    ),
    "may_judge": gettext_noop(
        "Only a reviewer of the program may do this once it is in support, and never on their own company’s."
    ),
    "may_ask_back": gettext_noop("Only owners and editors of the company may do this, once it is in support."),
    "only_machine": gettext_noop("The portal does this by itself."),
    "may_undo": gettext_noop("Only a reviewer of the program may undo a decision."),
    "may_reopen": gettext_noop("A withdrawn integration is opened again by its company, a declined one by a reviewer."),
    "may_assign": gettext_noop("Only people of the program may do this."),
    "may_note": gettext_noop("Only people of the program keep notes."),
    "may_speak": gettext_noop("Only owners and editors of the company and people of the program may write here."),
    "may_meet": gettext_noop("Only owners and editors of the company and reviewers of the program may do this."),
    "may_open": gettext_noop("Only the assigned reviewer may open these."),
    "nobody": gettext_noop("This happens by itself."),
}


def refusal(rule: str) -> str:
    """The sentence for somebody whom a rule turns away, in the reader's language."""
    return _(REFUSALS.get(rule, OTHERWISE))


def roles_of(user: Any) -> dict[int, str]:
    """The person's current roles by partner's id. One query a request: kept on the user.

    Who acts for a company, as its token does, has the role that `acting_roles` says and no other.
    """
    if user is None or not user.is_authenticated:
        return {}
    acting: dict[int, str] | None = getattr(user, "acting_roles", None)
    if acting is not None:
        return acting
    return {place.partner: place.role for place in places_of(user)}


@dataclass(frozen=True, slots=True)
class Place:
    """A person's current membership: the company's id, name and slug, and the role in it."""

    partner: int
    role: str
    name: str
    slug: str


def places_of(user: Any) -> list[Place]:
    """The person's current memberships by the company's name. One query a request: kept on the user."""
    known: list[Place] | None = getattr(user, "_roles", None)
    if known is None:
        current = user.memberships.filter(ended_at=None).order_by("partner__name")
        rows = current.values_list("partner_id", "role", "partner__name", "partner__slug")
        known = user._roles = [Place(*row) for row in rows]
    return known


def role_of(partner: "Partner", user: Any) -> str:
    """The person's current role in the partner, blank for none."""
    return roles_of(user).get(partner.pk, "")


def forget_roles(user: Any) -> None:
    """After a membership changed in this request."""
    if getattr(user, "_roles", None) is not None:
        del user._roles  # through the proxy that request.user is


def may_see(integration: "Integration", user: Any) -> bool:
    return user is None or user.is_reviewer or user.is_staff or bool(role_of(integration.partner, user))


def may_edit(integration: "Integration", user: Any) -> bool:
    return edits(integration.partner, user)


def may_manage(integration: "Integration", user: Any) -> bool:
    return manages(integration.partner, user)


def may_decide(integration: "Integration", user: Any) -> bool:
    """A reviewer, and never one of the integration's own company."""
    return user is not None and user.is_active and user.is_reviewer and not role_of(integration.partner, user)


def may_hold(integration: "Integration", user: Any) -> bool:
    """A reviewer; the machine too, where it found what a person has to decide."""
    return user is None or may_decide(integration, user)


def may_judge(integration: "Integration", user: Any) -> bool:
    """Takes part in the due process of a standing: a reviewer, about what was released."""
    return integration.stage == "support" and may_decide(integration, user)


def may_ask_back(integration: "Integration", user: Any) -> bool:
    return integration.stage == "support" and may_edit(integration, user)


def only_machine(_integration: "Integration", user: Any) -> bool:
    """What the portal notes by itself; it never decides on a standing."""
    return user is None


def may_undo(integration: "Integration", user: Any) -> bool:
    return may_decide(integration, user)


def may_reopen(integration: "Integration", user: Any) -> bool:
    """Who ended it opens it again; once it is open, both are told who was faster."""
    sides = {"withdrawn": (may_edit,), "declined": (may_decide,)}.get(integration.stage, (may_edit, may_decide))
    return any(may(integration, user) for may in sides)


def may_assign(integration: "Integration", user: Any) -> bool:
    return is_of_program(integration, user)


def may_note(integration: "Integration", user: Any) -> bool:
    return is_of_program(integration, user)


def may_speak(integration: "Integration", user: Any) -> bool:
    return works_for_program(user) or may_edit(integration, user)


def may_meet(integration: "Integration", user: Any) -> bool:
    """Has a part in what both sides do: meetings and agreements."""
    return may_edit(integration, user) or may_decide(integration, user)


def may_open(integration: "Integration", user: Any) -> bool:
    """Test credentials are opened by the assigned reviewer alone."""
    return may_decide(integration, user) and integration.reviewer_id == user.pk


def nobody(_integration: "Integration", _user: Any) -> bool:
    """Steps that follow from others and are never taken by hand."""
    return False


def edits(partner: "Partner", user: Any) -> bool:
    return role_of(partner, user) in EDITING


def manages(partner: "Partner", user: Any) -> bool:
    return role_of(partner, user) == "owner"


def works_for_program(user: Any) -> bool:
    """Sees every integration: reviewers and staff."""
    return bool(user is not None and user.is_authenticated and (user.is_reviewer or user.is_staff))


def is_of_program(integration: "Integration", user: Any) -> bool:
    """Somebody of the program who does not also belong to the integration's own company."""
    return works_for_program(user) and not role_of(integration.partner, user)


def may_see_notes(integration: "Integration", user: Any) -> bool:
    """The program's own notes, which nobody of the company sees, whoever else they are."""
    return is_of_program(integration, user)


def may_download(partner: "Partner", user: Any, *, is_agreement: bool) -> bool:
    """A document is for the company's team and the program, an agreement for its owners and the program."""
    return works_for_program(user) or (manages(partner, user) if is_agreement else bool(role_of(partner, user)))
