"""Permission predicates as conditions of queries. Each filters the rows for which its predicate is true."""

from django.db.models import Q

from integrations.partners.conflicts import get_conflicts
from integrations.partners.models import Partner
from integrations.partners.permissions import get_roles
from portal.accounts.models import User
from portal.accounts.role_names import list_programs

# Conditions on users, the same as can_write_for_programs and is_program_staff
WRITES_FOR_PROGRAMS = Q(is_reviewer=True) | Q(is_staff=True) | ~Q(program_roles=[])
IS_PROGRAM_STAFF = WRITES_FOR_PROGRAMS | Q(is_auditor=True)


def build_own_approval_condition(user: User) -> Q:
    """Return the condition for reviews that wait for someone else after the user's approval, as is_own_approval."""
    return Q(first_approver=user, review_state="waiting")


def build_decision_condition(user: User) -> Q:
    """Return the condition for integrations on which the user can decide, the same as can_decide."""
    if not (user.is_active and user.is_reviewer):
        # This matches no row. An empty condition would match all rows.
        return Q(pk__in=[])
    programs = list_programs(user, "reviewer")
    in_programs = Q(program_key__in=programs) if programs else Q()
    return in_programs & ~build_conflict_condition(user)


def build_conflict_condition(user: User) -> Q:
    """Return the condition for rows that the user created, or with whose company they have a conflict of interest."""
    return Q(partner__in=_list_own_partners(user)) | Q(created_by=user, created_by__isnull=False)


def build_partner_decision_condition(user: User) -> Q:
    """Return the condition for rows on whose company the user can decide, the same as can_decide_on_partner."""
    if not (user.is_active and user.is_reviewer):
        return Q(pk__in=[])
    programs = list_programs(user, "reviewer")
    partners = Partner.objects.filter(integrations__program_key__in=programs)
    in_programs = Q(partner__in=partners.values("pk")) if programs else Q()
    return in_programs & ~Q(partner__in=_list_own_partners(user))


def _list_own_partners(user: User) -> list[int]:
    """Return the IDs of the user's companies and of those with which the user has a conflict of interest."""
    return [*get_roles(user), *get_conflicts(user)]
