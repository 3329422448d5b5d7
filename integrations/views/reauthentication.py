"""Proof that the person at the keyboard is the account's owner, before something that a stolen session must not do."""

import time

from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from allauth.core.exceptions import ReauthenticationRequired
from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from integrations.workflow import NotAllowed


def has_recent_authentication(request: HttpRequest) -> bool:
    """Whether the person signed in, or proved again who they are, within SIGN_IN_AGAIN_MINUTES."""
    records = get_authentication_records(request, request.user)  # type: ignore[arg-type]
    last = max((float(record["at"]) for record in records), default=0.0)
    return time.time() - last < settings.SIGN_IN_AGAIN_MINUTES * 60


def require_recent_authentication(request: HttpRequest) -> None:
    """Return if the sign-in is recent.

    Raises:
        ReauthenticationRequired: The person is asked for the password or second factor; the request then continues.
        NotAllowed: The account has neither, for example because it signs in with GitHub alone.
    """
    if has_recent_authentication(request):
        return
    if not get_adapter().get_reauthentication_methods(request.user):
        raise NotAllowed(_("Sign out and sign in again first: your last sign-in was too long ago for this."))
    raise ReauthenticationRequired
