"""Services that change roles, deactivate accounts, and reactivate accounts.

Each change is one transaction: the columns, an audit event, an entry in the user's security log, an email to the user,
and an email to the other administrators.
"""

import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from operator import itemgetter
from typing import NotRequired, TypedDict, Unpack

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils.translation import gettext as _

from portal.accounts.access import revoke_access, roles_changed
from portal.accounts.models import DELETED_EMAIL_DOMAIN, RoleRequest, User
from portal.accounts.role_names import (
    ADMINISTRATOR,
    AUDITOR,
    COLUMNS_BY_ROLE,
    ROLES,
    list_manageable_roles,
    list_roles,
    merge_roles,
)
from portal.accounts.security_log import TEXTS, record_security_event
from portal.audit.services import record_account_event
from portal.core.errors import ActionRefused
from portal.notifications import email as mail

COMMAND_LINE_ACTOR = "the command line"
SINGLE_SIGN_ON_ACTOR = "single sign-on"


class _DecisionDetails(TypedDict):
    now: datetime
    reason: str  # for the audit log and the email
    request: NotRequired[HttpRequest | None]  # the cause of the change


class Decision(_DecisionDetails):
    """Arguments of a change: who decides when and why."""

    actor: User | None  # an administrator or program manager; None for the command line and single sign-on


class PersonalDecision(_DecisionDetails):
    """Arguments of a change that only a person decides on."""

    actor: User  # an administrator


@dataclass(frozen=True, slots=True)
class AccountChange:
    """Change of an account, with the locked rows of the account and of the actor."""

    row: User
    actor: User | None
    now: datetime
    reason: str
    request: HttpRequest | None = None


def change_roles(
    user: User,
    *,
    grant: Collection[str] = (),
    revoke: Collection[str] = (),
    invited_at: datetime | None = None,
    **decision: Unpack[Decision],
) -> None:
    """Grant and revoke roles. Do nothing if the user already has exactly these roles.

    Args:
        user: User whose roles change.
        grant: Roles to grant, see role_names.ROLES.
        revoke: Roles to revoke.
        invited_at: When the user was invited to the granted roles, if they accept an invitation.
        decision: Who decides when and why. A program manager can change roles of their programs.

    Raises:
        ActionRefused: The actor lacks permission, the roles conflict, the invitation is older than the last
            revocation, or the change would leave no superuser.
    """
    with _change(user, is_open_to_managers=True, **decision) as change:
        _require_manageable([*grant, *revoke], change.actor)
        revoked_at = change.row.roles_revoked_at
        # Otherwise, an invitation that was sent earlier would restore a role that was revoked since.
        if invited_at is not None and revoked_at is not None and invited_at < revoked_at:
            raise ActionRefused(_("Your roles changed after you received this invitation. Ask for a new one."))
        needs_approval = settings.ADMINISTRATOR_APPROVAL and not change.row.is_superuser
        if ADMINISTRATOR in grant and needs_approval and change.actor is not None:
            _request_administrator_role(change, change.actor)
            grant = [role for role in grant if role != ADMINISTRATOR]
        _apply(change, grant, revoke)


def keep_last_administrator(user: User, *, now: datetime, reason: str, request: HttpRequest | None = None) -> bool:
    """Return whether a user is the only active administrator. If so, record that the role was not revoked."""
    with _change(user, actor=None, now=now, reason=reason, request=request) as change:
        is_last = not User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk).exists()
        if is_last:
            _announce(change, "administrator_kept")
        return is_last


def approve_request(role_request: RoleRequest, **decision: Unpack[PersonalDecision]) -> None:
    """Grant the administrator role that another administrator requested. Raises ActionRefused."""
    with _change(role_request.user, **decision) as change:
        locked_request = _take_request(role_request)
        requester = locked_request.requested_by
        if requester == change.actor:
            raise ActionRefused(_("A second administrator must approve this request."), "forbidden")
        if not requester.is_active or not requester.is_superuser:
            raise ActionRefused(_("The person who requested this is no longer an administrator. Request it again."))
        locked_request.delete()
        reason = f"{change.reason} (requested by {requester}: {locked_request.reason})"
        _apply(replace(change, reason=reason), [ADMINISTRATOR], ())


def reject_request(role_request: RoleRequest, **decision: Unpack[PersonalDecision]) -> None:
    """Reject or withdraw a request for the administrator role. Raises ActionRefused."""
    with _change(role_request.user, **decision) as change:
        _take_request(role_request).delete()
        _announce(change, "role_request_rejected")


def end_sessions(user: User, **decision: Unpack[PersonalDecision]) -> None:
    """End a user's sessions and revoke their personal API tokens. Raises ActionRefused."""
    with _change(user, **decision) as change:
        revoke_access(change.row)
        _announce(change, "signed_out_everywhere")


def deactivate(user: User, **decision: Unpack[Decision]) -> None:
    """Deactivate an account, end its sessions, and revoke its tokens. Raises ActionRefused."""
    with _change(user, **decision) as change:
        if change.row.is_active:
            change.row.is_active = False
            _save(change.row, ["is_active"])
            _announce(change, "deactivated")
            revoke_access(change.row, is_deactivation=True)
            roles_changed.send(User, user=change.row, now=change.now)


def reactivate(user: User, **decision: Unpack[Decision]) -> None:
    """Reactivate an account. The owner must sign in again. Raises ActionRefused."""
    with _change(user, **decision) as change:
        if change.row.email.endswith(f"@{DELETED_EMAIL_DOMAIN}"):
            raise ActionRefused(_("The personal data of this account was deleted. The person needs a new account."))
        if not change.row.is_active:
            change.row.is_active = True
            _save(change.row, ["is_active"])
            _announce(change, "reactivated")


@contextmanager
def _change(user: User, *, is_open_to_managers: bool = False, **decision: Unpack[Decision]) -> Iterator[AccountChange]:
    """Yield the change of an account that the actor can change. Raises ActionRefused."""
    actor = decision["actor"]
    if actor is not None and actor.pk == user.pk:
        raise ActionRefused(_("You can't change your own roles. Ask an administrator."), "forbidden")
    if not decision["reason"].strip():
        raise ActionRefused(_("Enter a reason. It appears in the audit log and the email."), "validation-error")
    with transaction.atomic():
        # Lock all superusers in one order: if two of them revoke each other, the second request is refused.
        # Without `no_key`, a change of a company that records an event of these users would wait for this lock.
        is_superuser = Q(is_superuser=True, is_active=True)
        people = Q(pk__in=[user.pk, actor.pk if actor else user.pk])
        users = User.objects.select_for_update(no_key=True).filter(people | is_superuser).order_by("pk")
        rows = {row.pk: row for row in users}
        if actor is not None:
            decision["actor"] = rows[actor.pk]
            _require_permission(rows[actor.pk], is_open_to_managers=is_open_to_managers)
        yield AccountChange(rows[user.pk], **decision)


def _require_permission(actor: User, *, is_open_to_managers: bool) -> None:
    is_manager = is_open_to_managers and bool(list_manageable_roles(actor))
    if not actor.is_active or not (actor.is_superuser or is_manager):
        raise ActionRefused(_("Only administrators can change other people's access."), "forbidden")


def _require_manageable(changed_roles: Collection[str], actor: User | None) -> None:
    """Refuse roles that the actor can't manage."""
    if actor is None or actor.is_superuser:
        return
    if not set(changed_roles) <= set(list_manageable_roles(actor)):
        raise ActionRefused(_("You can only change roles in the programs that you manage."), "forbidden")


def _request_administrator_role(change: AccountChange, requester: User) -> None:
    _require_confirmed_address(change.row)
    if RoleRequest.objects.filter(user=change.row).exists():
        raise ActionRefused(_("This request is already waiting for approval by a second administrator."), "conflict")
    RoleRequest.objects.create(
        user=change.row, requested_by=requester, reason=change.reason[:200], requested_at=change.now
    )
    _announce(change, "role_requested")


def _take_request(role_request: RoleRequest) -> RoleRequest:
    locked_request = RoleRequest.objects.select_for_update(of=("self",)).filter(pk=role_request.pk).first()
    if locked_request is None:
        raise ActionRefused(_("Someone already decided on this request."), "conflict")
    return locked_request


def _require_confirmed_address(user: User) -> None:
    # Someone else may have signed up with the address.
    if not EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True).exists():
        raise ActionRefused(_("Roles require a confirmed email address. Ask the person to confirm it first."))


def _apply(change: AccountChange, grant: Collection[str], revoke: Collection[str]) -> None:
    row = change.row
    if unknown := {*grant, *revoke} - {*ROLES, *row.program_roles}:
        raise ActionRefused(_("Unknown role: %(roles)s.") % {"roles": ", ".join(sorted(unknown))}, "validation-error")
    current = set(list_roles(row))
    roles = merge_roles(current, grant, revoke)
    if roles == current:
        return
    _require_manageable(roles ^ current, change.actor)  # a limit to a program also revokes the role for all programs
    if roles - current:
        _require_confirmed_address(row)
    if AUDITOR in roles and len(roles) > 1:
        raise ActionRefused(_("Auditors have read-only access and no other roles. Revoke the other roles first."))
    _set_columns(row, roles)
    if current - roles:
        row.roles_revoked_at = change.now
    _save(row, ["program_roles", "roles_revoked_at", *COLUMNS_BY_ROLE.values()])
    if not roles:  # held emails and digests would still report what the person can no longer see
        mail.silence_former_staff(row.pk)
    if row.is_superuser:
        RoleRequest.objects.filter(user=row).delete()
    changes = [("+", role) for role in roles - current] + [("-", role) for role in current - roles]
    summary = ", ".join(sign + role for sign, role in sorted(changes, key=itemgetter(1)))
    _announce(change, "roles_changed", summary)
    roles_changed.send(User, user=row, now=change.now)


def _set_columns(row: User, roles: set[str]) -> None:
    row.program_roles = sorted(role for role in roles if ":" in role)
    for role, column in COLUMNS_BY_ROLE.items():
        setattr(row, column, role in roles)
    row.is_reviewer = any(role.partition(":")[0] == "reviewer" for role in roles)


def _save(row: User, columns: list[str]) -> None:
    row.save(update_fields=columns)
    if not User.objects.filter(is_superuser=True, is_active=True).exists():
        raise ActionRefused(_("The portal needs at least one active superuser. Grant the role to someone else first."))


def _announce(change: AccountChange, kind: str, roles: str = "") -> None:
    row = change.row
    actor = change.actor
    now = change.now
    reason = change.reason
    data: dict[str, object] = {"person": row.pk, "name": str(row)} | ({"roles": roles} if roles else {})
    record_account_event(row, f"account.{kind}", actor=actor, now=now, note=reason, **data)
    detail = f"{roles}: {reason}" if roles else reason
    actor_name = str(actor or (SINGLE_SIGN_ON_ACTOR if change.request else COMMAND_LINE_ACTOR))
    record_security_event(row, kind, request=change.request, detail=detail, actor=actor_name, now=now)
    excluded_ids = {row.pk, actor.pk if actor else row.pk}
    notify_administrators(str(row), row.email, kind, detail, actor_name=actor_name, now=now, excluded_ids=excluded_ids)


def notify_administrators(
    name: str,
    address: str,
    kind: str,
    detail: str,
    *,
    actor_name: str,
    now: datetime,
    excluded_ids: Collection[int],
) -> None:
    """Queue an email to every administrator except the excluded ones, who already know."""
    context = {
        "name": name,
        "address": address,
        "change": TEXTS.events[kind].label,
        "detail": detail,
        "actor": actor_name,
        "at": now,
    }
    administrators = User.objects.filter(is_superuser=True, is_active=True).exclude(pk__in=excluded_ids)
    for administrator in administrators.order_by("pk"):
        mail.queue("person_changed", f"person_changed:{secrets.token_hex(12)}", administrator, context, now=now)
