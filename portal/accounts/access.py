"""Revocation of an account's sessions, API tokens, calendar URLs, and roles."""

from allauth.usersessions.models import UserSession
from django.dispatch import Signal
from django.http import HttpRequest

from portal.accounts.models import User

# Sent with `user`, `request`, and `is_deactivation` when a password changes or an account is deactivated. Receivers
# revoke the credentials that they issued to the user, and at a deactivation also those that belong to a partner.
access_revoked = Signal()
# Sent with `user` and `now` after the roles of a user changed or the account was deactivated, in the same transaction.
roles_changed = Signal()


def end_other_sessions(user: User, *, request: HttpRequest | None) -> None:
    """End every session of a user except the session of the request."""
    current_key: str | None = getattr(getattr(request, "session", None), "session_key", None)
    for session in UserSession.objects.filter(user=user):
        if session.session_key != current_key:
            session.end()


def revoke_access(user: User, *, request: HttpRequest | None = None, is_deactivation: bool = False) -> None:
    """End the user's sessions and revoke their credentials. The current session survives unless `is_deactivation`."""
    end_other_sessions(user, request=None if is_deactivation else request)
    access_revoked.send(User, user=user, request=request, is_deactivation=is_deactivation)
