"""Adapters that connect django-allauth with the portal's email log, messages, and encryption."""

import secrets
from collections.abc import Iterable, Mapping
from zoneinfo import available_timezones

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core import context as allauth_context
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django import forms
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy

from portal.accounts import second_factor_secrets, single_sign_on
from portal.accounts.models import User
from portal.accounts.provider_settings import SINGLE_SIGN_ON_ID
from portal.accounts.reauthentication import has_recent_authentication
from portal.accounts.requests import AnyUser
from portal.accounts.security_log import TEXTS, AccountEmail, record_failed_sign_in, record_security_event
from portal.core import crypto
from portal.core.client_ip import get_client_network
from portal.core.form_fields import explain_text_refusal
from portal.core.site_urls import replace_host
from portal.core.value_types import JsonObject, NamedValues
from portal.notifications import email as mail

BROWSER_ZONE_FIELD = "browser_zone"  # hidden in the forms to sign in and sign up, filled in by a script


def list_verified_addresses(user: AnyUser) -> list[str]:
    """Return the verified email addresses of a user in lower case, the primary address first."""
    addresses = EmailAddress.objects.filter(user=user, verified=True).order_by("-primary", "pk")
    return [address.lower() for address in addresses.values_list("email", flat=True)]


def _update_time_zone(request: HttpRequest, user: User) -> bool:
    """Set the user's time zone from the browser. Return whether it changed, without saving.

    Unknown time zones are ignored. A time zone that the user selected is kept.
    """
    browser_zone = request.POST.get(BROWSER_ZONE_FIELD, "")
    if user.zone_chosen or browser_zone == user.zone or browser_zone not in available_timezones():
        return False
    user.zone = browser_zone
    return True


class AccountAdapter(DefaultAccountAdapter):
    """Account adapter that queues emails in the email log and sets the portal's error messages."""

    def is_safe_url(self, url: str | None) -> bool:
        """Return whether a redirect to the URL after sign-in is safe. A malformed URL is not."""
        try:
            return bool(super().is_safe_url(url))
        except ValueError:
            return False

    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": gettext_lazy("The email address or password is incorrect."),
        "incorrect_password": gettext_lazy("Incorrect password. Try again."),
        "invalid_login": gettext_lazy("The email address or password is incorrect."),
        "invalid_or_expired_key": gettext_lazy("This link has expired. Request a new one."),
        "invalid_password_reset": gettext_lazy("This link was already used or has expired. Request a new one."),
        "rate_limited": gettext_lazy("Too many attempts. Try again in a few minutes."),
        "too_many_login_attempts": gettext_lazy("Too many attempts. Try again in a few minutes."),
        "duplicate_email": gettext_lazy("Your account already has this email address."),
        "email_taken": gettext_lazy("You can't use this email address. Enter another one."),
    }

    def send_mail(self, template_prefix: str, email: str, context: Mapping[str, object]) -> None:
        """Queue the email for this address only, because a sign-in link is not a notification."""
        account_email = TEXTS.emails.get(template_prefix, AccountEmail())
        name = account_email.template
        change = account_email.subject
        # Links with tokens must not lead to the host that a client, who can be anyone, named in the request.
        links = {key: replace_host(str(value)) for key, value in context.items() if key.endswith("_url")}
        email_context = {**context, **links, "address": email, "change": change, "at": context.get("timestamp")}
        with transaction.atomic():
            # A random key, because a repeated request must send a new email.
            mail.queue(name, f"{name}:{secrets.token_hex(12)}", email, email_context)

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client address that sign-in limits count. For IPv6, return the first address of the network.

        Raises:
            PermissionDenied: The server doesn't provide a client address.
        """
        if client := get_client_network(request):
            return client.partition("/")[0]
        raise PermissionDenied(_("The portal can't determine the IP address of this request. Contact the operator."))

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: object) -> str:
        """Return the key of an account's limit of failed sign-ins.

        django-allauth adds the host of the request, in which a client can name any port to get another limit.
        """
        return str(credentials.get("email") or "").lower()

    def save_user(self, request: HttpRequest, user: User, form: forms.Form, commit: bool = True) -> User:
        user.name = form.cleaned_data.get("name", user.name)
        _update_time_zone(request, user)
        return super().save_user(request, user, form, commit)

    def login(self, request: HttpRequest, user: User) -> None:
        if _update_time_zone(request, user):
            user.save(update_fields=["zone"])
        super().login(request, user)

    def pre_login(
        self, request: HttpRequest, user: User, *, signal_kwargs: NamedValues | None, **kwargs: object
    ) -> HttpResponse | None:
        """Return a refusal of a deactivated account or of a sign-in without the required single sign-on."""
        refusal = super().pre_login(request, user, signal_kwargs=signal_kwargs, **kwargs)
        # The one place that every kind of sign-in passes, including those with a passkey or a reset link.
        return refusal or single_sign_on.refuse_sign_in(request, user, (signal_kwargs or {}).get("sociallogin"))

    def get_logout_redirect_url(self, request: HttpRequest) -> str:
        """Return the sign-out page of the provider if the session began with single sign-on."""
        if settings.OIDC_LOGOUT_URL and single_sign_on.is_single_sign_on_session(request):
            return settings.OIDC_LOGOUT_URL
        return str(super().get_logout_redirect_url(request))

    def authentication_failed(self, request: HttpRequest, **credentials: object) -> None:
        """Log a failed sign-in."""
        record_failed_sign_in(request, str(credentials.get("email") or ""))

    def get_reauthentication_methods(self, user: User) -> list[dict[str, object]]:
        """Return the reauthentication methods. Without a password or second factor, the user signs in again."""
        methods: list[JsonObject] = super().get_reauthentication_methods(user)
        if methods or not user.is_authenticated:
            return methods
        return [{"id": "sign_in_again", "description": _("Sign in again"), "url": reverse("accounts:sign_in_again")}]

    def is_reauthentication_required(self, *, app: str, **kwargs: object) -> bool:
        """Return whether a sensitive change requires reauthentication. A recent sign-in is enough.

        allauth never asks accounts that have neither a password nor a second factor, so this method raises for them.

        Raises:
            ReauthenticationRequired: Such an account has no recent sign-in.
        """
        request = allauth_context.request
        if has_recent_authentication(request):
            return False
        if not super().get_reauthentication_methods(request.user):
            raise ReauthenticationRequired
        return bool(super().is_reauthentication_required(app=app, **kwargs))

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("accounts:profile")


class UserSessionsAdapter(DefaultUserSessionsAdapter):
    """Session adapter that logs sessions ended by their owner."""

    def end_sessions(self, sessions: list[UserSession]) -> None:
        super().end_sessions(sessions)
        if sessions:
            record_security_event(sessions[0].user, "sessions_ended", request=allauth_context.request)


class SocialAccountAdapter(DefaultSocialAccountAdapter):
    """Social account adapter that fills in the name from the provider."""

    error_messages = DefaultSocialAccountAdapter.error_messages | {
        "invalid_token": gettext_lazy("GitHub sent an unexpected response. Try again."),
    }

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Refuse people whom the provider of single sign-on doesn't vouch for. Raises ImmediateHttpResponse."""
        if single_sign_on.is_single_sign_on(sociallogin):
            single_sign_on.require_known_address(request, sociallogin)

    def populate_user(self, request: HttpRequest, sociallogin: object, data: Mapping[str, object]) -> User:
        user: User = super().populate_user(request, sociallogin, data)
        names = (" ".join(str(data.get(key) or "").split())[:120] for key in ("name", "username"))
        # Emails and other people's pages show the name, so a provider can't set one that the forms refuse.
        user.name = next((name for name in names if name and not explain_text_refusal(name)), "")
        return user

    def get_signup_form_initial_data(self, sociallogin: SocialLogin) -> dict[str, object]:
        return super().get_signup_form_initial_data(sociallogin) | {"name": sociallogin.user.name}

    def get_app(self, request: HttpRequest, provider: str, client_id: str | None = None) -> SocialApp:
        try:
            return super().get_app(request, provider, client_id)
        except SocialApp.DoesNotExist:
            # Anyone can enter the URL of a provider that isn't set up.
            raise Http404(_("This sign-in is not available.")) from None

    def validate_disconnect(self, account: SocialAccount, accounts: Iterable[SocialAccount]) -> None:
        """Refuse to disconnect single sign-on. Raises ValidationError."""
        super().validate_disconnect(account, accounts)
        if account.provider == SINGLE_SIGN_ON_ID:
            raise forms.ValidationError(_("Your organization manages this account."))


class MFAAdapter(DefaultMFAAdapter):
    """MFA adapter that encrypts secrets at rest and sets the portal's error messages."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": gettext_lazy("Incorrect code. Enter the current code from your authenticator app."),
        "rate_limited": gettext_lazy("Too many attempts. Try again in a few minutes."),
    }

    def encrypt(self, text: str) -> str:
        """Encrypt the secret of an authenticator app or the seed of recovery codes."""
        return second_factor_secrets.encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt a stored secret. Raises PermissionDenied if no configured key can decrypt it."""
        try:
            return second_factor_secrets.decrypt(encrypted_text)
        except crypto.DecryptionError:
            message = _(
                "The portal can't read your second factor because its encryption key is missing. Contact the program."
            )
            raise PermissionDenied(message) from None
