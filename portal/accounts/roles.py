"""The one service that changes what a person may do in the portal: roles, deactivation, reactivation.

Each change is one transaction: the columns, an audit event, an entry of the person's security log and an email.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest

from integrations.reviews.models import ReviewerProfile
from portal.accounts.access import revoke_access
from portal.accounts.models import User
from portal.accounts.security_log import record_security_event
from portal.audit.services import record_account_event
from portal.core.errors import NotAllowed

ROLES = {"reviewer": "is_reviewer", "staff": "is_staff", "superuser": "is_superuser"}
COMMAND_LINE = "the command line"


def change_roles(
    user: User, *, grant: Collection[str] = (), revoke: Collection[str] = (), by: User | None, now: datetime,
    reason: str, request: HttpRequest | None = None,
) -> None:  # fmt: skip
    """Grant and revoke roles; nothing happens where the person has them so already.

    Args:
        user: Whose roles change.
        grant: Keys of ROLES to grant.
        revoke: Keys of ROLES to revoke.
        by: The superuser who decides; None for the command line of the server.
        now: The moment of the decision.
        reason: Why, for the audit log and the email.
        request: The request that asked for it.

    Raises:
        NotAllowed: Who decides may not, or the change would leave no superuser.
    """
    with _change(user, by=by, reason=reason) as row:
        wanted = dict.fromkeys(revoke, False) | dict.fromkeys(grant, True)
        changed = {role: value for role, value in wanted.items() if getattr(row, ROLES[role]) != value}
        if not changed:
            return
        addresses = EmailAddress.objects.filter(user=row, email__iexact=row.email, verified=True)
        if any(changed.values()) and not addresses.exists():
            raise NotAllowed("Roles need a confirmed email address. Ask the person to confirm it first.")
        for role, value in changed.items():
            setattr(row, ROLES[role], value)
        _save(row, [ROLES[role] for role in changed])
        if changed.get("reviewer"):
            ReviewerProfile.objects.get_or_create(user=row)
        summary = ", ".join(f"{'+' if value else '-'}{role}" for role, value in sorted(changed.items()))
        _announce(row, "roles_changed", by=by, now=now, reason=reason, request=request, roles=summary)


def deactivate(user: User, *, by: User | None, now: datetime, reason: str, request: HttpRequest | None = None) -> None:
    """Close an account: its sessions end and every token that it made is revoked. Raises NotAllowed."""
    with _change(user, by=by, reason=reason) as row:
        if row.is_active:
            row.is_active = False
            _save(row, ["is_active"])
            _announce(row, "deactivated", by=by, now=now, reason=reason, request=request)
            revoke_access(row, is_final=True)


def reactivate(user: User, *, by: User | None, now: datetime, reason: str, request: HttpRequest | None = None) -> None:
    """Open an account again; its owner signs in anew. Raises NotAllowed."""
    with _change(user, by=by, reason=reason) as row:
        if not row.is_active:
            row.is_active = True
            _save(row, ["is_active"])
            _announce(row, "reactivated", by=by, now=now, reason=reason, request=request)


@contextmanager
def _change(user: User, *, by: User | None, reason: str) -> Iterator[User]:
    """Yield the locked row of an account that this person may change."""
    if by is not None and by.pk == user.pk:
        raise NotAllowed("Nobody changes their own roles. Ask another superuser.", "may")
    if not reason.strip():
        raise NotAllowed("Enter the reason: it goes into the audit log and the email.")
    with transaction.atomic():
        # Superusers are locked too, in one order: of two who revoke each other, the second one is refused.
        is_superuser = Q(is_superuser=True, is_active=True)
        rows = User.objects.select_for_update().filter(Q(pk=user.pk) | is_superuser).order_by("pk")
        locked = {row.pk: row for row in rows}
        decider = locked.get(by.pk) if by is not None else None
        if by is not None and (decider is None or not decider.is_superuser):
            raise NotAllowed("Only a superuser may change roles.", "may")
        yield locked[user.pk]


def _save(row: User, columns: list[str]) -> None:
    row.save(update_fields=columns)
    if not User.objects.filter(is_superuser=True, is_active=True).exists():
        raise NotAllowed("The portal needs at least one active superuser. Grant the role to someone else first.")


def _announce(
    row: User, kind: str, *, by: User | None, now: datetime, reason: str, request: HttpRequest | None, roles: str = ""
) -> None:
    data: dict[str, Any] = {"person": row.pk, "name": str(row)} | ({"roles": roles} if roles else {})
    record_account_event(row, f"account_{kind}", by=by, now=now, note=reason, **data)
    detail = f"{roles}: {reason}" if roles else reason
    record_security_event(row, kind, request=request, detail=detail, actor=by or COMMAND_LINE, now=now)
