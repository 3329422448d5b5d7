"""Signal receivers that write the security log and revoke access after credential changes."""

from collections.abc import Callable
from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as mfa
from allauth.mfa.models import Authenticator
from allauth.socialaccount import signals as social
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.contrib.auth.signals import user_logged_out
from django.dispatch import Signal
from django.http import HttpRequest

from portal.accounts.access import end_other_sessions, revoke_access
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.accounts.security_log import record_security_event
from portal.accounts.single_sign_on import is_single_sign_on
from portal.core.value_types import NamedValues

FACTOR_NAMES = {"totp": "Authenticator app", "webauthn": "Passkey", "recovery_codes": "Recovery codes"}
LOGGED_SIGNALS: tuple[tuple[Signal, str], ...] = (
    (account.user_logged_in, "signed_in"),
    (user_logged_out, "signed_out"),
    (account.email_added, "email_added"),
    (account.email_confirmed, "email_confirmed"),
    (account.email_changed, "email_changed"),
    (account.email_removed, "email_removed"),
    (mfa.authentication_failed, "second_factor_failed"),
    (mfa.authenticator_removed, "second_factor_removed"),
)


def make_account_receiver(kind: str) -> Callable[..., None]:
    """Return a receiver that logs events of one kind."""

    def receive(sender: object, user: AnyUser | None = None, **kwargs: Any) -> None:
        address = kwargs.get("email_address") or kwargs.get("to_email_address")
        owner = user or (address.user if address else None)  # a confirmation comes without a user
        if isinstance(owner, User) and owner.pk is not None:
            detail = str(address.email) if address is not None else describe_method(kwargs)
            record_security_event(owner, kind, request=kwargs.get("request"), detail=detail)

    return receive


def describe_method(kwargs: NamedValues) -> str:
    """Return the name of the event's second factor, or an empty string."""
    authenticator = kwargs.get("authenticator")
    return FACTOR_NAMES.get(authenticator.type, "") if authenticator is not None else ""


def make_password_receiver(kind: str) -> Callable[..., None]:
    """Return a receiver that logs a new password and revokes access gained with the old one."""

    def receive(sender: object, request: HttpRequest, user: User, **kwargs: object) -> None:
        record_security_event(user, kind, request=request)
        # People often change a password because someone else may know it (decision 0062).
        revoke_access(user, request=request)

    return receive


def handle_factor_added(
    sender: object, request: HttpRequest, user: User, authenticator: Authenticator, **kwargs: object
) -> None:
    """Log the new factor and end other sessions, which started without it."""
    kind = "recovery_codes_created" if authenticator.type == "recovery_codes" else "second_factor_added"
    record_security_event(user, kind, request=request, detail=describe_method({"authenticator": authenticator}))
    if kind == "second_factor_added":
        end_other_sessions(user, request=request)


def handle_codes_renewed(sender: object, request: HttpRequest, user: User, **kwargs: object) -> None:
    record_security_event(user, "recovery_codes_created", request=request)


def handle_social_account_connected(
    sender: object, request: HttpRequest, sociallogin: SocialLogin, **kwargs: object
) -> None:
    kind = "single_sign_on_connected" if is_single_sign_on(sociallogin) else "github_connected"
    record_security_event(sociallogin.user, kind, request=request)


def handle_social_account_disconnected(
    sender: object, request: HttpRequest, socialaccount: SocialAccount, **kwargs: object
) -> None:
    is_github = socialaccount.provider == "github"
    kind = "github_disconnected" if is_github else "single_sign_on_disconnected"
    record_security_event(socialaccount.user, kind, request=request)


def connect_receivers() -> None:
    """Connect all receivers when the app is ready."""
    for signal, kind in LOGGED_SIGNALS:
        # Nothing else refers to these receivers, so weak references to them would not last.
        signal.connect(make_account_receiver(kind), weak=False, dispatch_uid=f"security log: {kind}")
    for name in ("password_changed", "password_set", "password_reset"):
        getattr(account, name).connect(make_password_receiver(name), weak=False, dispatch_uid=f"security log: {name}")
    mfa.authenticator_added.connect(handle_factor_added)
    mfa.authenticator_reset.connect(handle_codes_renewed)
    social.social_account_added.connect(handle_social_account_connected)
    social.social_account_removed.connect(handle_social_account_disconnected)
