"""Receivers that store a grant when a person connects GitHub, and revoke it with the account."""

from allauth.account.adapter import get_adapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.signals import pre_social_login
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from portal.accounts.access import access_revoked
from portal.accounts.models import User
from portal.github_access import services

STATE_KEY = "grant_for"  # the person's ID, in the state that only the connect page sets


def store_requested_grant(sender: object, request: HttpRequest, sociallogin: SocialLogin, **kwargs: object) -> None:
    """Store the grant if the connect page of this person asked for it. A sign-in alone stores nothing."""
    user = request.user
    if not isinstance(user, User) or sociallogin.state.get(STATE_KEY) != user.pk:
        return
    # This GitHub account signs in another person, whose access must not become a grant of this one.
    if sociallogin.is_existing and sociallogin.user != user:
        get_adapter(request).add_message(
            request, messages.ERROR, "socialaccount/messages/account_connected_other.txt", {"sociallogin": sociallogin}
        )
        raise ImmediateHttpResponse(redirect("github_access:access"))
    services.store_grant(sociallogin, user=user, now=timezone.now(), request=request)
    messages.success(request, _("GitHub connected."))


def revoke_deactivated_user_grant(
    sender: object, user: User, request: HttpRequest | None = None, *, is_deactivation: bool = False, **kwargs: object
) -> None:
    """Revoke the grant of a deactivated account."""
    if is_deactivation:
        transaction.on_commit(services.revoke_grant(user, now=timezone.now()))


def connect_receivers() -> None:
    """Connect all receivers when the app is ready."""
    pre_social_login.connect(store_requested_grant)
    access_revoked.connect(revoke_deactivated_user_grant)
