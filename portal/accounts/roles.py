"""Services that change roles, deactivate accounts, and reactivate accounts.

Each change is one transaction: the columns, an audit event, an entry in the user's security log, and an email.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest

from portal.accounts.access import revoke_access
from portal.accounts.models import User
from portal.accounts.security_log import record_security_event
from portal.audit.services import record_account_event
from portal.core.errors import ActionRefused

COLUMNS_BY_ROLE = {"reviewer": "is_reviewer", "staff": "is_staff", "superuser": "is_superuser"}
COMMAND_LINE_ACTOR = "the command line"


def _has_confirmed_address(user: User) -> bool:
    return EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True).exists()


def change_roles(
    user: User,
    *,
    grant: Collection[str] = (),
    revoke: Collection[str] = (),
    actor: User | None,
    now: datetime,
    reason: str,
    request: HttpRequest | None = None,
) -> None:
    """Grant and revoke roles. Do nothing if the user already has exactly these roles.

    Args:
        user: User whose roles change.
        grant: Keys of COLUMNS_BY_ROLE to grant.
        revoke: Keys of COLUMNS_BY_ROLE to revoke.
        actor: Superuser who decides, or None for the server's command line.
        now: Time of the decision.
        reason: Reason for the audit log and the email.
        request: Request that caused the change.

    Raises:
        ActionRefused: The actor lacks permission, or the change would leave no superuser.
    """
    with _change(user, actor=actor, reason=reason) as row:
        values_by_role = dict.fromkeys(revoke, False) | dict.fromkeys(grant, True)
        changed_roles = {
            role: value for role, value in values_by_role.items() if getattr(row, COLUMNS_BY_ROLE[role]) != value
        }
        if not changed_roles:
            return
        if any(changed_roles.values()) and not _has_confirmed_address(row):
            raise ActionRefused("Roles need a confirmed email address. Ask the person to confirm it first.")
        for role, value in changed_roles.items():
            setattr(row, COLUMNS_BY_ROLE[role], value)
        _save(row, [COLUMNS_BY_ROLE[role] for role in changed_roles])
        summary = ", ".join(f"{'+' if value else '-'}{role}" for role, value in sorted(changed_roles.items()))
        _announce(row, "roles_changed", actor=actor, now=now, reason=reason, request=request, roles=summary)


def deactivate(
    user: User, *, actor: User | None, now: datetime, reason: str, request: HttpRequest | None = None
) -> None:
    """Deactivate an account, end its sessions, and revoke its tokens. Raises ActionRefused."""
    with _change(user, actor=actor, reason=reason) as row:
        if row.is_active:
            row.is_active = False
            _save(row, ["is_active"])
            _announce(row, "deactivated", actor=actor, now=now, reason=reason, request=request)
            revoke_access(row, is_final=True)


def reactivate(
    user: User, *, actor: User | None, now: datetime, reason: str, request: HttpRequest | None = None
) -> None:
    """Reactivate an account. The owner must sign in again. Raises ActionRefused."""
    with _change(user, actor=actor, reason=reason) as row:
        if not row.is_active:
            row.is_active = True
            _save(row, ["is_active"])
            _announce(row, "reactivated", actor=actor, now=now, reason=reason, request=request)


@contextmanager
def _change(user: User, *, actor: User | None, reason: str) -> Iterator[User]:
    """Yield the locked row of an account that the actor can change. Raises ActionRefused."""
    if actor is not None and actor.pk == user.pk:
        raise ActionRefused("You can't change your own roles. Ask another superuser.", "forbidden")
    if not reason.strip():
        raise ActionRefused("Enter a reason. It appears in the audit log and the email.")
    with transaction.atomic():
        # Lock all superusers in one order: if two of them revoke each other, the second request is refused.
        is_superuser = Q(is_superuser=True, is_active=True)
        rows = User.objects.select_for_update().filter(Q(pk=user.pk) | is_superuser).order_by("pk")
        rows_by_pk = {row.pk: row for row in rows}
        locked_actor = rows_by_pk.get(actor.pk) if actor is not None else None
        if actor is not None and (locked_actor is None or not locked_actor.is_superuser):
            raise ActionRefused("Only superusers can change roles.", "forbidden")
        yield rows_by_pk[user.pk]


def _save(row: User, columns: list[str]) -> None:
    row.save(update_fields=columns)
    if not User.objects.filter(is_superuser=True, is_active=True).exists():
        raise ActionRefused("The portal needs at least one active superuser. Grant the role to someone else first.")


def _announce(
    row: User,
    kind: str,
    *,
    actor: User | None,
    now: datetime,
    reason: str,
    request: HttpRequest | None,
    roles: str = "",
) -> None:
    data: dict[str, object] = {"person": row.pk, "name": str(row)} | ({"roles": roles} if roles else {})
    record_account_event(row, f"account.{kind}", actor=actor, now=now, note=reason, **data)
    detail = f"{roles}: {reason}" if roles else reason
    record_security_event(row, kind, request=request, detail=detail, actor=actor or COMMAND_LINE_ACTOR, now=now)
