"""Reauthentication before actions that a stolen session must not perform."""

import time

from allauth.account.authentication import get_authentication_records
from allauth.core.exceptions import ReauthenticationRequired
from django.conf import settings
from django.http import HttpRequest


def has_recent_authentication(request: HttpRequest) -> bool:
    """Return whether the user signed in or reauthenticated within REAUTHENTICATION_MINUTES."""
    records = get_authentication_records(request, request.user)
    # A session without a record of its sign-in is never recent.
    last = max((float(record["at"]) for record in records), default=0.0)
    return time.time() - last < settings.REAUTHENTICATION_MINUTES * 60


def require_recent_authentication(request: HttpRequest) -> None:
    """Do nothing if the sign-in is recent.

    Raises:
        ReauthenticationRequired: allauth asks for the password or second factor, then continues the request. Users
            without either sign in with GitHub again and return to the filled-in form.
    """
    if not has_recent_authentication(request):
        raise ReauthenticationRequired
