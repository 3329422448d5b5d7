"""Services that store, refresh, and revoke GitHub grants.

Each change is one transaction with an entry in the person's security log, which sends an email.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _

from portal.accounts.models import User
from portal.accounts.security_log import record_security_event
from portal.core.crypto import DecryptionError, Secret
from portal.github_access import tokens
from portal.github_access.models import GitHubGrant
from verification.sources.errors import SourceNotFoundError
from verification.sources.http_cache import HttpCache
from verification.sources.models import GitHubRateLimit

GRANTED = "github_access_granted"
REVOKED = "github_access_revoked"
REJECTED = "github_access_rejected"


class GrantEndedError(SourceNotFoundError):
    """Grant that GitHub or its owner revoked: private repositories can't be read. The message says what to do."""


def is_available() -> bool:
    """Return whether people can grant access: sign-in with GitHub is configured."""
    return bool(settings.GITHUB_CLIENT_ID)


def get_install_url() -> str:
    """Return the page on which people select the repositories for the GitHub App; blank if its name isn't set."""
    slug = settings.GITHUB_APP_SLUG
    return f"{settings.GITHUB_WEB_URL}/apps/{slug}/installations/new" if slug else ""


def find_grant(user: User | None) -> GitHubGrant | None:
    """Return the grant of a person, active or revoked, or None if there never was one."""
    return GitHubGrant.objects.select_related("user").filter(user=user).first() if user is not None else None


@transaction.atomic
def store_grant(login: SocialLogin, *, user: User, now: datetime, request: HttpRequest | None = None) -> GitHubGrant:
    """Store the tokens of a GitHub account. They replace those of the person's earlier grant."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)  # there is no grant to lock at the first connection
    previous = GitHubGrant.objects.select_for_update().filter(user=user).first()
    if previous is not None:
        _clear_cache(previous)
    grant = previous or GitHubGrant(user=user)
    grant.account_id = int(login.account.uid)
    grant.login = str(login.account.extra_data.get("login", ""))[:100]
    grant.set_tokens(login.token.token, login.token.token_secret, login.token.expires_at)
    grant.granted_at = now
    grant.revoked_at = None
    grant.save()
    record_security_event(user, GRANTED, request=request, detail=grant.login, now=now)
    return grant


def get_access_token(grant: GitHubGrant, now: datetime) -> Secret:
    """Return a valid access token of a grant, refreshed if it expires soon. The grant then holds the same token.

    GitHub accepts a refresh token once, so the row stays locked while it is used.

    Raises:
        GrantEndedError: The grant is revoked.
        SourceUnavailableError: GitHub can't refresh the token now.
    """
    with transaction.atomic():
        row = GitHubGrant.objects.select_for_update().get(pk=grant.pk)
        try:
            if row.is_active and row.needs_refresh(now):
                token = tokens.refresh(row.decrypt("refresh_token"))
                row.set_tokens(token.token, token.refresh_token or "", token.expires_at)
                row.save(update_fields=GitHubGrant.TOKEN_FIELDS)
            if row.is_active:
                grant.access_token = row.access_token
                return row.decrypt("access_token")
        # The error is raised after the transaction, which must commit the end of the grant.
        except (tokens.RefreshRefusedError, DecryptionError):
            _end_grant(row, REJECTED, now)
    raise build_ended_error(grant)


def reject_grant(grant: GitHubGrant, now: datetime) -> bool:
    """End a grant whose token GitHub doesn't accept, and return whether it has ended.

    It continues if another process replaced the token in the meantime.
    """
    with transaction.atomic():
        row = GitHubGrant.objects.select_for_update().get(pk=grant.pk)
        if bytes(row.access_token) == bytes(grant.access_token):
            _end_grant(row, REJECTED, now)
        return not row.is_active


def revoke_grant(user: User, *, now: datetime, request: HttpRequest | None = None) -> Callable[[], bool]:
    """Delete the tokens of a person, even if GitHub can't be reached.

    Return the function that revokes them at GitHub. Call it after the transaction; it returns whether GitHub confirmed.
    """
    with transaction.atomic():
        grant = GitHubGrant.objects.select_for_update().filter(user=user, revoked_at=None).first()
        if grant is None:
            return lambda: True
        try:
            # GitHub needs the tokens to revoke them, and the row loses them now.
            values = grant.decrypt("access_token"), grant.decrypt("refresh_token")
        except DecryptionError:
            values = None
        is_expired = grant.expires_at is not None and grant.expires_at <= now
        _end_grant(grant, REVOKED, now, request)
    return partial(tokens.revoke, *values, is_expired=is_expired) if values else lambda: False


def _end_grant(grant: GitHubGrant, kind: str, now: datetime, request: HttpRequest | None = None) -> None:
    """Delete the tokens of a locked grant and what was read with them, once."""
    if not grant.is_active:
        return
    grant.access_token = grant.refresh_token = b""
    grant.expires_at = None
    grant.revoked_at = now
    grant.save()
    _clear_cache(grant)
    record_security_event(grant.user, kind, request=request, detail=grant.login, now=now)


def _clear_cache(grant: GitHubGrant) -> None:
    """Delete cached responses and counted requests, so that a new grant starts without them."""
    HttpCache(grant.source_name).clear()
    GitHubRateLimit.objects.filter(name=grant.source_name).delete()


def build_ended_error(grant: GitHubGrant) -> GrantEndedError:
    return GrantEndedError(
        _("The GitHub access of %(name)s has ended, so we can't read private repositories with it.")
        % {"name": grant.user}
        + " "
        + _("%(name)s can connect GitHub again, or you can make the repository public.") % {"name": grant.user}
    )
