"""How is a token made, shown once, found again and taken back?

A secret is `ptl_`, 32 random characters, and 6 that are the CRC-32 of what stands before: whoever scans for leaked
secrets can tell a real one from a word that looks like it, and a mistyped one needs no look into the database.
"""

import hashlib
import re
import secrets
import zlib
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from integrations.partners import permissions
from integrations.partners.models import Partner, Role
from portal.accounts.access import access_revoked
from portal.accounts.models import User
from portal.accounts.security_log import record_security_event
from portal.api import scopes as table
from portal.api.models import ApiToken
from portal.audit.models import Event
from portal.audit.services import listen, record
from portal.core.errors import NotAllowed
from portal.notifications import email as mail

PREFIX = "ptl_"
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
RANDOM, CHECK, SHOWN = 32, 6, 10
FORM = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{RANDOM + CHECK}}}")
MOST_DAYS = 365
MOST_TOKENS = 50
WARN_DAYS = 7
NOBODY = "tokens.invalid"  # a domain that can never get a mail (RFC 2606)


def checksum(text: str) -> str:
    """Six characters in base 62."""
    number, found = zlib.crc32(text.encode()), ""
    for _ in range(CHECK):
        number, digit = divmod(number, len(ALPHABET))
        found = ALPHABET[digit] + found
    return found


def new_secret() -> str:
    body = PREFIX + "".join(secrets.choice(ALPHABET) for _ in range(RANDOM))
    return body + checksum(body)


def is_well_formed(secret: str) -> bool:
    """Whether it could be one of ours, without looking it up."""
    return bool(FORM.fullmatch(secret)) and checksum(secret[:-CHECK]) == secret[-CHECK:]


def digest(secret: str) -> str:
    """What is kept. The secret has 190 random bits: a slow hash would add nothing."""
    return hashlib.sha256(secret.encode()).hexdigest()


def make(
    name: str, scopes: Collection[str], days: int, *, by: Any, now: datetime, partner: Partner | None = None,
    role: str = Role.EDITOR, request: HttpRequest | None = None,
) -> tuple[ApiToken, str]:  # fmt: skip
    """A new token and its secret, which is never shown again. With `partner` it is the company's.

    Raises NotAllowed for who is no owner of the company, for unknown scopes, for more than a year.
    """
    _refuse(scopes, days, by=by, partner=partner, role=role)
    secret = new_secret()
    with transaction.atomic():
        mine = ApiToken.objects.filter(partner=partner) if partner else ApiToken.objects.filter(user=by)
        if mine.filter(revoked_at=None, expires_at__gt=now).count() >= MOST_TOKENS:
            raise NotAllowed(f"There are {MOST_TOKENS} tokens already. Revoke one that is not used.")
        token = ApiToken.objects.create(
            name=name, prefix=secret[:SHOWN], digest=digest(secret), user=_actor(partner, name) if partner else by,
            partner=partner, role=role if partner else "", made_by=by, made_at=now,
            scopes=[scope.key for scope in table.SCOPES if scope.key in scopes],
            expires_at=now + timedelta(days=days),
        )  # fmt: skip
        _tell("token_made", token, now)
        record_security_event(by, "token_created", request=request, detail=str(token), now=now)
        if partner:
            locked = Partner.objects.select_for_update(no_key=True).get(pk=partner.pk)
            record(locked, "token_made", by=by, now=now, token=token.name, prefix=token.prefix)
    return token, secret


def _refuse(scopes: Collection[str], days: int, *, by: Any, partner: Partner | None, role: str) -> None:
    if partner and not permissions.manages(partner, by):
        raise NotAllowed(permissions.refusal("may_manage"), "may")
    if partner and role not in (Role.EDITOR, Role.VIEWER):
        raise NotAllowed("A company's token edits or reads. What owners do needs a person's own token.")
    known = {
        scope.key for scope in table.offered(program=permissions.works_for_program(by), company=partner is not None)
    }
    if not scopes or not set(scopes) <= known:
        raise NotAllowed("Choose what the token may do from the list.")
    if not 1 <= days <= MOST_DAYS:
        raise NotAllowed(f"A token lives for at most {MOST_DAYS} days.")


def _actor(partner: Partner, name: str) -> User:
    """Who the events of a company's token name. It has no password, belongs to nobody and gets no mail."""
    actor = User(email=f"{uuid4()}@{NOBODY}", name=f"{partner.name}'s token {name}"[:120])
    actor.set_unusable_password()
    actor.save()
    return actor


def revoke(token: ApiToken, *, by: Any, now: datetime, request: HttpRequest | None = None) -> None:
    """Take it back; it is refused from the next request on. Pressed twice it is revoked once."""
    if token.partner and by is not None and not permissions.manages(token.partner, by):
        raise NotAllowed(permissions.refusal("may_manage"), "may")
    with transaction.atomic():
        taken = ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now)
        if taken and by is not None:
            record_security_event(by, "token_revoked", request=request, detail=str(token), now=now)
        if taken and token.partner:
            locked = Partner.objects.select_for_update(no_key=True).get(pk=token.partner.pk)
            record(locked, "token_revoked", by=by, now=now, token=token.name, prefix=token.prefix)


def find(secret: str, now: datetime) -> ApiToken | None:
    """The live token of this secret, whose person and maker are still active; None for any other text."""
    if not is_well_formed(secret):
        return None
    rows = ApiToken.objects.select_related("user", "partner").filter(user__is_active=True, made_by__is_active=True)
    token = rows.filter(digest=digest(secret)).first()
    return token if token is not None and token.is_live(now) else None


def acting(token: ApiToken) -> User:
    """Who the request is by. A company's token has its one role in its one company, whatever rows there are."""
    user: User = token.user
    if token.partner_id:
        user.acting_roles = {token.partner_id: token.role}  # type: ignore[attr-defined]
    return user


def warn_due(now: datetime | None = None, limit: int = 100) -> int:
    """Tell of tokens that end within a week, once each. Returns of how many."""
    now = now or timezone.now()
    soon = ApiToken.objects.filter(revoked_at=None, warned_at=None, expires_at__lte=now + timedelta(days=WARN_DAYS))
    found = list(soon.filter(expires_at__gt=now).select_related("user", "partner", "made_by")[:limit])
    for token in found:
        with transaction.atomic():
            if ApiToken.objects.filter(pk=token.pk, warned_at=None).update(warned_at=now):
                _tell("token_ends", token, now)
    return len(found)


def _tell(name: str, token: ApiToken, now: datetime) -> None:
    """A mail to the person, or to every owner of the company."""
    told = {"token": token, "partner": token.partner}
    for person in owners(token):
        mail.queue(name, f"{name}:{token.uuid}:{person.email}", person, told, now=now)


def owners(token: ApiToken) -> list[User]:
    """Who answers for a token."""
    if token.partner is None:
        return [token.user]
    current = token.partner.memberships.filter(ended_at=None, role=Role.OWNER, user__is_active=True)
    return [membership.user for membership in current.select_related("user").order_by("pk")]


def hear(event: Event) -> None:
    """Who no longer manages the company keeps no open door into it: the tokens that they made end with their place."""
    if not event.stream.startswith("partner:") or event.verb not in ("membership_ended", "role_changed"):
        return
    if event.verb == "role_changed" and event.data["role"] == Role.OWNER:
        return
    theirs = ApiToken.objects.filter(partner=event.partner, made_by_id=event.data["person"], revoked_at=None)
    for token in theirs:
        ApiToken.objects.filter(pk=token.pk).update(revoked_at=event.at)
        record(token.partner, "token_revoked", by=None, now=event.at, token=token.name, prefix=token.prefix)  # type: ignore[arg-type]


def revoke_all(sender: Any, *, user: User, request: HttpRequest | None, is_final: bool, **_: Any) -> None:
    """Revoke a person's tokens; finally, with the account, also those of companies that the person created."""
    now, owned = timezone.now(), Q(user=user) | Q(made_by=user) if is_final else Q(user=user)
    with transaction.atomic():
        live = list(ApiToken.objects.select_for_update(of=("self",)).filter(owned, revoked_at=None, expires_at__gt=now))
        ApiToken.objects.filter(pk__in=[token.pk for token in live]).update(revoked_at=now)
        for token in live:
            if token.partner:
                locked = Partner.objects.select_for_update(no_key=True).get(pk=token.partner.pk)
                record(locked, "token_revoked", by=None, now=now, token=token.name, prefix=token.prefix)
        if live:
            names = ", ".join(map(str, live))
            record_security_event(user, "tokens_revoked", request=request, detail=names, now=now)


def connect() -> None:
    """Called once when the app is ready."""
    listen(hear)
    access_revoked.connect(revoke_all)
