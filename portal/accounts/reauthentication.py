"""Proof that the person at the keyboard is the account's owner, before something that a stolen session must not do."""

import time

from allauth.account.authentication import get_authentication_records
from allauth.core.exceptions import ReauthenticationRequired
from django.conf import settings
from django.http import HttpRequest


def has_recent_authentication(request: HttpRequest) -> bool:
    """Return whether the person signed in, or proved again who they are, within REAUTHENTICATION_MINUTES."""
    records = get_authentication_records(request, request.user)  # type: ignore[arg-type]
    last = max((float(record["at"]) for record in records), default=0.0)
    return time.time() - last < settings.REAUTHENTICATION_MINUTES * 60


def require_recent_authentication(request: HttpRequest) -> None:
    """Return if the sign-in is recent.

    Raises:
        ReauthenticationRequired: The person is asked for the password or second factor, and the request then continues.
            Who has neither signs in with GitHub again and finds the form filled in.
    """
    if not has_recent_authentication(request):
        raise ReauthenticationRequired
