"""Selectors of the people page: who can see whom, and the filters of the list."""

from collections.abc import Iterable
from datetime import datetime
from functools import reduce
from operator import or_

from allauth.mfa.models import Authenticator
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import Cast

from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.accounts.role_names import COLUMNS_BY_ROLE, list_programs
from portal.accounts.single_sign_on import select_trusted_accounts
from portal.audit.models import AuditEvent
from portal.core.value_types import NamedValues


def _join(conditions: Iterable[Q]) -> Q:
    return reduce(or_, conditions, Q())


HAS_ROLE = _join(Q((column, True)) for column in COLUMNS_BY_ROLE.values()) | ~Q(program_roles=[])


def can_view_people(reader: AnyUser) -> bool:
    """Return whether a user can open the people page: administrators, auditors, and program managers."""
    if not reader.is_authenticated:
        return False
    return reader.is_superuser or reader.is_auditor or bool(list_programs(reader, "manager"))


def select_people(reader: User) -> QuerySet[User]:
    """Return the accounts that a user can see. Program managers see the people of their programs."""
    # Recovery codes replace another factor and are none by themselves.
    factors = Authenticator.objects.filter(user=OuterRef("pk")).exclude(type=Authenticator.Type.RECOVERY_CODES)
    people = User.objects.annotate(
        program_roles_text=Cast("program_roles", TextField()),
        has_second_factor=Exists(factors) | Exists(select_trusted_accounts().filter(user=OuterRef("pk"))),
        last_action_at=Subquery(AuditEvent.objects.filter(actor_id=OuterRef("pk")).order_by("-at").values("at")[:1]),
    ).order_by("name", "email")
    if reader.is_superuser or reader.is_auditor:
        return people
    return people.filter(_join(build_program_condition(program) for program in list_programs(reader, "manager")))


def build_program_condition(program: str, role: str = "") -> Q:
    """Return the condition on people with the role in a program, or with any role in it."""
    return _join(
        # As text, because Django can't search JSON lists on SQLite.
        Q(program_roles_text__contains=f'"{name}:{program}"')
        | (Q(is_reviewer=True) & ~Q(program_roles_text__contains='"reviewer:') if name == "reviewer" else Q())
        for name in ("reviewer", "manager")
        if role in ("", name)
    )


def filter_people(people: QuerySet[User], filters: NamedValues) -> QuerySet[User]:
    """Return the people who match the valid filters. Without a role filter, only people with a role."""
    role = filters.get("role") or ""
    program = filters.get("program") or ""
    if query := filters.get("q"):
        people = people.filter(Q(name__icontains=query) | Q(email__icontains=query))
    if role == "none":
        people = people.exclude(HAS_ROLE)
    elif role != "all":
        people = people.filter(_select_role(role, program))
    if active := filters.get("active"):
        people = people.filter(is_active=active == "yes")
    if second_factor := filters.get("second_factor"):
        people = people.filter(Q(has_second_factor=second_factor == "on"))  # in Q, mypy accepts an annotation
    return people


def _select_role(role: str, program: str) -> Q:
    if program and role in ("", "reviewer", "manager"):
        return build_program_condition(program, role)
    if role == "manager":
        return Q(program_roles_text__contains='"manager:')
    return Q((COLUMNS_BY_ROLE[role], True)) if role else HAS_ROLE


def get_last_activity(user: User) -> datetime | None:
    """Return the time of a listed user's newest audit event or sign-in."""
    return max(filter(None, (user.last_login, getattr(user, "last_action_at", None))), default=None)
