"""The end of what an account has opened: sessions, API tokens, calendar addresses."""

from typing import Any

from allauth.usersessions.models import UserSession
from django.dispatch import Signal
from django.http import HttpRequest

from portal.accounts.models import User

# Sent with `user`, `request` and `is_final` when a password changed or the account was deactivated: whoever issues
# credentials that act for a person revokes them. `is_final` includes those that belong to a company.
access_revoked = Signal()


def end_other_sessions(user: User, *, request: HttpRequest | None = None) -> int:
    """End every session of a person but the one of the request; return how many."""
    current_key: Any = getattr(getattr(request, "session", None), "session_key", None)
    sessions = [session for session in UserSession.objects.filter(user=user) if session.session_key != current_key]
    for session in sessions:
        session.end()
    return len(sessions)


def revoke_access(user: User, *, request: HttpRequest | None = None, is_final: bool = False) -> None:
    """End the sessions, without a final revocation but the present one, and revoke what acts for the person."""
    end_other_sessions(user, request=None if is_final else request)
    access_revoked.send(User, user=user, request=request, is_final=is_final)
