"""Services that create, authenticate, and revoke API tokens.

A token is `ptl_`, 32 random characters, and a 6-character CRC-32 checksum. The checksum lets secret scanners recognize
real tokens, and rejects mistyped tokens without a database query.
"""

import re
import secrets
import zlib
from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from functools import partial
from uuid import uuid4

from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions, refusals
from integrations.partners.models import Partner, Role
from portal.accounts.access import access_revoked
from portal.accounts.models import User
from portal.accounts.security_log import record_security_event
from portal.api.models import ApiToken
from portal.api.scopes import SCOPES, list_available_scopes
from portal.audit.models import AuditEvent
from portal.audit.services import record_event, subscribe
from portal.core.crypto import hash_token
from portal.core.errors import ActionRefused
from portal.core.site_urls import build_absolute_url
from portal.inbox.deadlines import MAX_PER_KIND, RETENTION_PERIOD, SOURCES, CalendarDeadline, build_deadline
from portal.jobs.batches import process_each
from portal.notifications import email

KEY_PREFIX = "ptl_"
BASE62_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
RANDOM_LENGTH = 32
CHECKSUM_LENGTH = 6
DISPLAY_PREFIX_LENGTH = 10
TOKEN_PATTERN = re.compile(rf"{KEY_PREFIX}[0-9A-Za-z]{{{RANDOM_LENGTH + CHECKSUM_LENGTH}}}")
MAX_LIFETIME_DAYS = 365
MAX_TOKENS = 50
WARNING_DAYS = 7
PLACEHOLDER_EMAIL_DOMAIN = "tokens.invalid"  # can never receive email (RFC 2606)


def compute_checksum(text: str) -> str:
    """Return the CRC-32 checksum as six base-62 characters."""
    # Six digits can hold any checksum, because 62⁶ is more than 2³².
    number = zlib.crc32(text.encode())
    digits = ""
    for _position in range(CHECKSUM_LENGTH):
        number, digit = divmod(number, len(BASE62_ALPHABET))
        digits = BASE62_ALPHABET[digit] + digits
    return digits


def generate_secret() -> str:
    body = KEY_PREFIX + "".join(secrets.choice(BASE62_ALPHABET) for _position in range(RANDOM_LENGTH))
    return body + compute_checksum(body)


def is_well_formed(secret: str) -> bool:
    """Return whether the format and checksum of a token are valid."""
    return (
        bool(TOKEN_PATTERN.fullmatch(secret))
        and compute_checksum(secret[:-CHECKSUM_LENGTH]) == secret[-CHECKSUM_LENGTH:]
    )


def create_token(
    name: str,
    scopes: Collection[str],
    days: int,
    *,
    actor: User,
    now: datetime,
    partner: Partner | None = None,
    role: str = Role.EDITOR,
    request: HttpRequest | None = None,
) -> tuple[ApiToken, str]:
    """Create a token, for `partner` if given. Return the token and its secret, which is not stored.

    Raises:
        ActionRefused: The actor is not an owner, or the scopes, role, expiration, or number of tokens is not allowed.
    """
    secret = generate_secret()
    with transaction.atomic():
        _lock_owner(partner or actor)
        _check_request(scopes, days, actor=actor, partner=partner, role=role)
        if ApiToken.objects.owned_by(partner or actor).live(now).count() >= MAX_TOKENS:
            message = _("You reached the limit of %(count)s tokens. Revoke an unused token first.")
            raise ActionRefused(message % {"count": MAX_TOKENS}, "limit-reached")
        token = ApiToken.objects.create(
            name=name,
            prefix=secret[:DISPLAY_PREFIX_LENGTH],
            digest=hash_token(secret),
            user=_create_token_user(partner, name) if partner else actor,
            partner=partner,
            role=role if partner else "",
            created_by=actor,
            created_at=now,
            scopes=[scope.key for scope in SCOPES if scope.key in scopes],
            expires_at=now + timedelta(days=days),
        )
        _send_emails("token_created", token, now)
        record_security_event(actor, "token_created", request=request, detail=str(token), now=now)
        _record_partner_event(token, "token.created", actor, now)
    return token, secret


def _lock_owner(owner: User | Partner) -> None:
    """Lock the owner of tokens, so that parallel requests can't exceed the limit.

    A partner is also locked while one of its owners is removed, whose tokens are revoked then.
    """
    owners = Partner.objects.all() if isinstance(owner, Partner) else User.objects.all()
    owners.select_for_update(of=("self",), no_key=True).get(pk=owner.pk)


def _record_partner_event(token: ApiToken, event_type: str, actor: User | None, now: datetime) -> None:
    """Record an event of a partner token in its partner's history."""
    if token.partner:
        locked_partner = Partner.objects.select_for_update(no_key=True).get(pk=token.partner.pk)
        record_event(locked_partner, event_type, actor=actor, now=now, token=token.name, prefix=token.prefix)


def _check_request(scopes: Collection[str], days: int, *, actor: User, partner: Partner | None, role: str) -> None:
    # The roles may be older than the lock: another owner may just have removed the actor.
    permissions.clear_cached_roles(actor)
    if partner:
        refusals.require_permission(permissions.can_manage_partner, partner, actor)
    if partner and role not in (Role.EDITOR, Role.VIEWER):
        raise ActionRefused(
            _("Select the role editor or viewer. Owner actions require a personal token."), "validation-error"
        )
    allowed_scopes = {scope.key for scope in list_available_scopes(actor, partner)}
    if not scopes or not set(scopes) <= allowed_scopes:
        raise ActionRefused(_("Select at least one listed scope."), "validation-error")
    if not 1 <= days <= MAX_LIFETIME_DAYS:
        raise ActionRefused(
            _("Enter an expiration of 1 to %(days)s days.") % {"days": MAX_LIFETIME_DAYS}, "validation-error"
        )


def _create_token_user(partner: Partner, name: str) -> User:
    """Create the technical user that events of a partner token refer to. It can't sign in or receive email."""
    actor = User(email=f"{uuid4()}@{PLACEHOLDER_EMAIL_DOMAIN}", name=f"{partner.name}'s token {name}"[:120])
    actor.set_unusable_password()
    actor.save()
    return actor


def revoke_token(token: ApiToken, *, actor: User, now: datetime, request: HttpRequest | None = None) -> None:
    """Revoke a token immediately. Revoking it again has no effect."""
    if token.partner:
        refusals.require_permission(permissions.can_manage_partner, token.partner, actor)
    with transaction.atomic():
        _lock_owner(token.partner or actor)  # before the token, as when an owner is removed
        if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
            record_security_event(actor, "token_revoked", request=request, detail=str(token), now=now)
            _record_partner_event(token, "token.revoked", actor, now)


def authenticate_token(secret: str, now: datetime) -> ApiToken | None:
    """Return the live token of this secret if its user and creator are active, or None."""
    if not is_well_formed(secret):
        return None
    # The technical user of a partner token is always active, so its creator must be active, too.
    rows = ApiToken.objects.live(now).filter(user__is_active=True, created_by__is_active=True)
    try:  # get() needs no order, for which Django hashes each column of the three tables
        return rows.select_related("user", "partner").get(digest=hash_token(secret))
    except ApiToken.DoesNotExist:
        return None


def get_acting_user(token: ApiToken) -> User:
    """Return the user of a token. Partner tokens only have their role in their partner."""
    user: User = token.user
    if token.partner_id:
        user.acting_roles = {token.partner_id: token.role}  # type: ignore[attr-defined]
    return user


def warn_expiring_tokens(now: datetime | None = None, limit: int = 100) -> int:
    """Send one email for each token that expires within a week. Return the number of tokens."""
    now = now or timezone.now()
    expiring_tokens = ApiToken.objects.live(now).filter(
        warned_at=None, expires_at__lte=now + timedelta(days=WARNING_DAYS)
    )
    tokens = list(expiring_tokens.select_related("user", "partner", "created_by")[:limit])
    return process_each(tokens, partial(_warn_of_expiration, now=now), "warn of the expiration of token")


@transaction.atomic
def _warn_of_expiration(token: ApiToken, now: datetime) -> None:
    # Parallel runs read the same tokens. Only the one that changes the row sends the email.
    if ApiToken.objects.filter(pk=token.pk, warned_at=None).update(warned_at=now):
        _send_emails("token_expiring", token, now)


def _send_emails(template: str, token: ApiToken, now: datetime) -> None:
    """Queue an email to the token's user, or to all owners of the partner."""
    template_context = {"token": token, "partner": token.partner}
    recipients = [token.user] if token.partner is None else token.partner.list_members(Role.OWNER)
    for recipient in recipients:
        # The key is unique, so a repeated job sends no second email.
        email.queue(template, f"{template}:{token.uuid}:{recipient.email}", recipient, template_context, now=now)


FORMER_OWNER_EVENT_TYPES = ("member.removed", "member.role_changed", "member.moved")


def revoke_former_owner_tokens(event: AuditEvent) -> None:
    """Revoke partner tokens that a former owner created, so that no access remains."""
    if not event.stream.startswith("partner:") or event.event_type not in FORMER_OWNER_EVENT_TYPES:
        return
    # The member became an owner, so nothing ended.
    if event.event_type == "member.role_changed" and event.data["role"] == Role.OWNER:
        return
    live_tokens = ApiToken.objects.live(event.at).select_related("partner")
    for token in live_tokens.filter(partner=event.partner, created_by_id=event.data["person"]):
        ApiToken.objects.filter(pk=token.pk).update(revoked_at=event.at)
        _record_partner_event(token, "token.revoked", None, event.at)


def revoke_user_tokens(
    sender: object, *, user: User, request: HttpRequest | None, is_deactivation: bool, **kwargs: object
) -> None:
    """Revoke a user's tokens. With `is_deactivation`, also revoke partner tokens that the user created."""
    # Partner tokens stay after a password change: all owners can revoke them, and CI must not stop
    # (docs/decisions/0062).
    now = timezone.now()
    owned_by_user = Q(user=user) | Q(created_by=user) if is_deactivation else Q(user=user)
    with transaction.atomic():
        tokens = ApiToken.objects.live(now).filter(owned_by_user)
        partners = Partner.objects.filter(pk__in=tokens.exclude(partner=None).values("partner_id")).order_by("pk")
        list(partners.select_for_update(of=("self",), no_key=True))  # before the tokens, as when an owner is removed
        live_tokens = list(tokens.select_for_update(of=("self",)).order_by("pk"))
        ApiToken.objects.filter(pk__in=[token.pk for token in live_tokens]).update(revoked_at=now)
        for token in live_tokens:
            _record_partner_event(token, "token.revoked", None, now)
        if live_tokens:
            names = ", ".join(map(str, live_tokens))
            record_security_event(user, "tokens_revoked", request=request, detail=names, now=now)


def list_token_deadlines(person: User, now: datetime) -> Iterator[CalendarDeadline]:
    """Yield the expirations of a person's tokens and of those that belong to their companies."""
    owned_partner_ids = [pk for pk, role in permissions.get_roles(person).items() if role == "owner"]
    condition = Q(user=person, partner=None) | Q(partner__in=owned_partner_ids)
    for token in ApiToken.objects.filter(condition, expires_at__gte=now - RETENTION_PERIOD).order_by("pk")[
        :MAX_PER_KIND
    ]:
        yield build_deadline(
            f"token-{token.uuid}",
            "API token expires",
            token.expires_at,
            build_absolute_url("api:tokens"),
            token.created_at,
            is_done=token.revoked_at is not None,
        )


def register_handlers() -> None:
    """Connect the handlers when the app is ready."""
    subscribe(revoke_former_owner_tokens)
    access_revoked.connect(revoke_user_tokens)
    SOURCES.append(list_token_deadlines)
