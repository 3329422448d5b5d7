"""Enrollment of the first program staff with a link that sets a password and a second factor.

The link needs no mail server. Its token is allauth's password reset token. The token expires after
PASSWORD_RESET_TIMEOUT and with its first use, because its signature covers the password.
"""

from datetime import datetime, timedelta
from typing import Any

from allauth.account.forms import default_token_generator
from allauth.account.internal.flows.password_reset import perform_password_reset_login
from allauth.account.internal.flows.reauthentication import reauthenticate_by_password
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from allauth.account.views import PasswordResetFromKeyView
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.decorators import method_decorator

from portal.accounts import roles
from portal.accounts.models import User
from portal.accounts.security_log import record_security_event
from portal.core.errors import ActionRefused

ENROLLMENT_REASON = "Set up by the operator with manage.py bootstrap."


def list_administrators() -> list[User]:
    """Return the active superusers, including those who have not used their link."""
    return list(User.objects.filter(is_superuser=True, is_active=True).order_by("pk"))


@transaction.atomic
def enroll(email: str, name: str, role_names: tuple[str, ...], now: datetime) -> User:
    """Grant the roles to the account with this address and return it. Create the account if it doesn't exist.

    The operator vouches for the address of a new account, so it counts as verified. The owner of an existing account
    must have confirmed the address, because someone else may have signed up with it.

    Raises:
        ActionRefused: The roles can't be granted.
    """
    user = User.objects.filter(email=email.lower()).first()
    if user is not None and not user.is_active:
        raise ActionRefused("This account is deactivated. Reactivate it first with manage.py change_role --reactivate.")
    if user is None:
        user = User.objects.create_user(email, None, name=name)
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    roles.change_roles(user, grant=role_names, actor=None, now=now, reason=ENROLLMENT_REASON)
    user.refresh_from_db()
    return user


def is_unused(user: User) -> bool:
    """Return whether an account has no password, no other sign-in method, and no earlier sign-in."""
    has_sign_in_method = (
        user.has_usable_password()
        or SocialAccount.objects.filter(user=user).exists()
        or Authenticator.objects.filter(user=user).exists()
    )
    return not has_sign_in_method and user.last_login is None


def create_link(user: User) -> str:
    """Return a new link for an unused account and invalidate earlier links.

    Raises:
        ValueError: The account is in use. A link would replace its password and end its sessions.
    """
    if not is_unused(user):
        raise ValueError("only an unused account can get a link")
    # Django stores a new random text, which the signature of a token covers, so earlier links stop working.
    user.set_unusable_password()
    user.save(update_fields=["password"])
    parts = {"uidb36": user_pk_to_url_str(user), "key": default_token_generator.make_token(user)}
    return settings.SITE_URL + reverse("accounts:enrollment", kwargs=parts)


def get_link_expiration(now: datetime) -> datetime:
    """Return the expiration time of a link created now."""
    return now + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)


@method_decorator(login_not_required, name="dispatch")
class EnrollmentView(PasswordResetFromKeyView):
    """Enrollment page that sets the password, signs the user in, and continues to the second factor."""

    template_name = "accounts/enrollment.html"

    def get_context_data(self, **context: object) -> dict[str, object]:
        """Treat a link to an account in use as already used."""
        is_used = self.reset_user is not None and not is_unused(self.reset_user)
        return super().get_context_data(**context | ({"token_fail": True} if is_used else {}))

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """Set the password of an unused account. Other accounts use the password reset."""
        # The account may have been used since the page was opened.
        if not is_unused(self.reset_user):
            return self.get(request, *args, **kwargs)
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        form.save()
        record_security_event(self.reset_user, "password_set", request=self.request)
        response: HttpResponse = perform_password_reset_login(self.request, self.reset_user)
        if not self.request.user.is_authenticated:
            return response
        reauthenticate_by_password(self.request)  # so that the next page doesn't ask for it again
        return redirect("mfa_activate_totp")
