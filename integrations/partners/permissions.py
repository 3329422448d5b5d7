"""Permission predicates over an integration or partner and a user. A user of None is the portal itself.

Permissions on companies and integrations are decided only here. Other apps have their own permissions.
"""

from collections import defaultdict
from collections.abc import Callable, Collection
from typing import TypeAlias, TypeGuard

from django.db.models import BigIntegerField

from integrations.partners.conflicts import CurrentMembership, PartnerIntegration, get_conflicts
from integrations.partners.models import Membership, Partner
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.accounts.role_names import list_programs
from portal.core.compiled_queries import CompiledQuery, Parameter

PermissionRule: TypeAlias = Callable[[PartnerIntegration, AnyUser | None], bool]

EDITOR_ROLES = ("owner", "editor")
MEMBERSHIPS = CompiledQuery(
    lambda: (
        Membership.objects.filter(user=Parameter("user", BigIntegerField()), ended_at=None)
        .order_by("partner__name")
        .values_list("partner", "role", "partner__name", "partner__slug")
    )
)


def can_manage_conflicts(partner: Partner, user: AnyUser | None, reviewer: User | None = None) -> bool:
    """Return whether the user records and removes others' conflicts: managers of the company's programs and staff."""
    if not _is_active(user) or user == reviewer:
        return False
    programs = list_programs(user, "manager")
    if not (user.is_staff or programs) or _is_involved(partner, user):
        return False
    return user.is_staff or partner.integrations.filter(program_key__in=programs).exists()


def _is_active(user: AnyUser | None) -> TypeGuard[User]:
    """Return whether the user is signed in and active."""
    return user is not None and user.is_authenticated and user.is_active


def _is_involved(partner: Partner, user: User) -> bool:
    """Return whether the user is a member of the partner or has a conflict of interest with it."""
    return bool(get_role(partner, user)) or partner.pk in get_conflicts(user)


def get_roles(user: AnyUser | None) -> dict[int, str]:
    """Return the user's current roles by partner ID. One query per request, cached on the user.

    A user who acts for a partner through its token has only the roles in `acting_roles`.
    """
    if user is None or not user.is_authenticated:
        return {}
    # A token of a company must not reach the other companies of the person who created it.
    acting_roles: dict[int, str] | None = getattr(user, "acting_roles", None)
    if acting_roles is not None:
        return acting_roles
    return {membership.partner: membership.role for membership in list_current_memberships(user)}


def list_current_memberships(user: User) -> list[CurrentMembership]:
    """Return the user's current memberships by partner name. One query per request, cached on the user."""
    if getattr(user, "_roles", None) is None and is_program_staff(user):
        get_conflicts(user)  # which reads both
    if getattr(user, "_roles", None) is None:
        user._roles = [CurrentMembership(*row) for row in MEMBERSHIPS.fetch(user=user.pk)]  # type: ignore[attr-defined]
    memberships: list[CurrentMembership] = user._roles  # type: ignore[attr-defined]
    return memberships


def load_memberships(users: Collection[User]) -> None:
    """Read the current memberships of users with one query for all of them."""
    memberships = Membership.objects.filter(user__in=users, ended_at=None).order_by("partner__name")
    rows = memberships.values_list("user", "partner", "role", "partner__name", "partner__slug")
    by_user: defaultdict[int, list[CurrentMembership]] = defaultdict(list)
    for user_id, partner_id, role, name, slug in rows:
        by_user[user_id].append(CurrentMembership(partner_id, role, name, slug))
    for user in users:
        user._roles = by_user[user.pk]  # type: ignore[attr-defined]


def get_role(partner: Partner, user: AnyUser | None) -> str:
    """Return the user's current role in the partner, or an empty string."""
    return get_roles(user).get(partner.pk, "")


def clear_cached_roles(user: object) -> None:
    """Clear the cached roles and conflicts after one of them changed in this request."""
    for name in ("_roles", "_conflicts"):
        if getattr(user, name, None) is not None:
            delattr(user, name)  # works through the lazy request.user


def can_view(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    return user is None or is_program_staff(user) or bool(get_role(integration.partner, user))


def can_edit(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    return can_edit_partner(integration.partner, user)


def can_manage(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    return can_manage_partner(integration.partner, user)


def can_decide(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    """Return whether the user is an active reviewer of the program without a conflict of interest."""
    has_no_conflict = _can_review(user, integration.partner) and integration.created_by_id != user.pk
    return has_no_conflict and can_review_program(integration.program_key, user)


def can_review_now(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    """Return whether the user can decide and didn't give the first approval of a review that needs a second one."""
    is_own = is_own_approval(integration.first_approver_id, integration.review_state, user)
    return can_decide(integration, user) and not is_own


def is_own_approval(first_approver_id: int | None, review_state: str, user: AnyUser | None) -> bool:
    """Return whether a review waits for someone else after the user's approval."""
    return user is not None and first_approver_id == user.pk and review_state == "waiting"


def can_complete_step(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    """Return whether the user can edit. The portal completes a step whose last requirement the program met."""
    return user is None or can_edit(integration, user)


def can_put_on_hold(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    """Return whether the user can decide. The portal can also put an integration on hold."""
    return user is None or can_decide(integration, user)


def can_decide_compliance(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    """Return whether the user can decide in the compliance procedure of a supported integration."""
    return integration.stage == "support" and can_decide(integration, user)


def can_request_reinstatement(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    return integration.stage == "support" and can_edit(integration, user)


def is_machine(_integration: PartnerIntegration, user: AnyUser | None) -> bool:
    """Return whether the portal itself acts. It never decides in the compliance procedure."""
    return user is None


# The company withdraws and ends support. The same rules as the transitions that the undo reverses.
COMPANY_DECISION_RULES = {"withdrawn": can_edit, "archived": can_manage}


def can_undo_decision(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    """Return whether the user belongs to the side that decided."""
    rule = COMPANY_DECISION_RULES.get(integration.stage, can_decide)
    return rule(integration, user)


def can_reopen(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    """Return whether the user belongs to the side that ended the integration.

    In other stages both sides pass, so that the refusal names the person who acted first.
    """
    rules = {"withdrawn": (can_edit,), "declined": (can_decide,)}.get(integration.stage, (can_edit, can_decide))
    return any(rule(integration, user) for rule in rules)


def can_assign_reviewer(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    return can_act_for_program(integration, user)


def can_write_note(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    return can_act_for_program(integration, user)


def can_post_message(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    return can_write_for_programs(user) or can_edit(integration, user)


# Both sides sign agreements and attend meetings (FulfillingParty.BOTH).
def can_take_part(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    """Return whether the user can take part in meetings and agreements."""
    return can_edit(integration, user) or can_decide(integration, user)


def can_open_credentials(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    """Return whether the user is the assigned reviewer, who alone can view test accounts."""
    return user is not None and can_decide(integration, user) and integration.reviewer_id == user.pk


def is_never_allowed(_integration: PartnerIntegration, _user: object) -> bool:
    """Return False, for transitions that only follow from others."""
    return False


def can_edit_partner(partner: Partner, user: AnyUser | None) -> bool:
    return get_role(partner, user) in EDITOR_ROLES


def can_manage_partner(partner: Partner, user: AnyUser | None) -> bool:
    return get_role(partner, user) == "owner"


def can_decide_on_partner(partner: Partner, user: AnyUser | None) -> bool:
    """Return whether the user is an active reviewer who doesn't belong to the partner.

    A reviewer of some programs decides on the companies that have an integration in one of them.
    """
    if not _can_review(user, partner):
        return False
    programs = list_programs(user, "reviewer")
    return not programs or partner.integrations.filter(program_key__in=programs).exists()


def can_review_program(program_key: str, user: AnyUser | None) -> bool:
    """Return whether the user is a reviewer of the program. Reviewers without a limit review all programs."""
    if not _is_active(user) or not user.is_reviewer:
        return False
    programs = list_programs(user, "reviewer")
    return not programs or program_key in programs


def can_manage_program(program_key: str, user: AnyUser | None) -> bool:
    """Return whether the user manages settings and reports of the program: its managers and staff."""
    return _is_active(user) and (user.is_staff or program_key in list_programs(user, "manager"))


def can_change_absences(user: AnyUser | None) -> bool:
    """Return whether the user can set when other reviewers are out of office: program managers and staff."""
    return _is_active(user) and (user.is_staff or bool(list_programs(user, "manager")))


def can_change_absence(reviewer: User, user: AnyUser) -> bool:
    """Return whether the user can set when a reviewer is out of office."""
    return user.pk == reviewer.pk or can_change_absences(user)


def _can_review(user: AnyUser | None, partner: Partner) -> TypeGuard[User]:
    """Return whether the user is an active reviewer who neither belongs to the partner nor has another conflict."""
    # docs/explanation/companies.md, "Conflicts of interest", which also follow from facts that no one has recorded yet.
    return _is_active(user) and user.is_reviewer and not _is_involved(partner, user)


def can_merge_partners(source: Partner, target: Partner, user: AnyUser | None) -> bool:
    """Return whether the user is active staff, and neither a member of a partner nor in a conflict with one."""
    return _is_active(user) and user.is_staff and not _is_involved(source, user) and not _is_involved(target, user)


def can_appoint_owner(partner: Partner, user: AnyUser | None) -> bool:
    """Return whether the user is active staff, and neither a member of the partner nor in a conflict with it."""
    return _is_active(user) and user.is_staff and not _is_involved(partner, user)


def is_program_staff(user: AnyUser | None) -> bool:
    """Return whether the user can see every integration: reviewers, program managers, staff, and auditors."""
    return can_write_for_programs(user) or bool(user is not None and user.is_authenticated and user.is_auditor)


def can_write_for_programs(user: AnyUser | None) -> bool:
    """Return whether the user can write on behalf of the programs: all program staff except auditors."""
    if user is None or not user.is_authenticated:
        return False
    return bool(user.is_reviewer or user.is_staff or list_programs(user, "manager"))


def can_read_audit_log(user: AnyUser | None) -> bool:
    """Return whether the user can read the events of all streams: staff and auditors."""
    return _is_active(user) and (user.is_staff or user.is_auditor)


def can_act_for_program(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    """Return whether the user writes for the programs and is not a member of the integration's partner."""
    return can_write_for_programs(user) and not get_role(integration.partner, user)


def can_view_notes(integration: PartnerIntegration, user: AnyUser | None) -> bool:
    """Return whether the user can see internal notes. Members of the partner never can."""
    # People who are on both sides of an integration act as members of the company, never as program staff.
    return is_program_staff(user) and not get_role(integration.partner, user)


def can_download(partner: Partner, user: AnyUser | None, *, is_agreement: bool) -> bool:
    """Return whether the user can download a document. Agreements are for owners and program staff only."""
    return is_program_staff(user) or (
        can_manage_partner(partner, user) if is_agreement else bool(get_role(partner, user))
    )
