"""Enrollment of the first people of the program: a link that sets a password and leads to the second factor.

The link needs no mail server. Its token is the library's password-reset token: it ends after PASSWORD_RESET_TIMEOUT and
with the first use, because the password is part of what it signs.
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
    """Return the active superusers, those who have not used their link included."""
    return list(User.objects.filter(is_superuser=True, is_active=True).order_by("pk"))


@transaction.atomic
def enroll(email: str, name: str, role_names: tuple[str, ...], now: datetime) -> User:
    """Return the person with this address and these roles; create the account where there is none.

    The operator vouches for the address of a new account, so it counts as verified. An account that exists must have
    confirmed it: its owner may be somebody else. Raises ActionRefused where the roles cannot be granted.
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
    """Return whether nobody has used an account yet: it has no password, no other way in, and no sign-in."""
    has_way_in = (
        user.has_usable_password()
        or SocialAccount.objects.filter(user=user).exists()
        or Authenticator.objects.filter(user=user).exists()
    )
    return not has_way_in and user.last_login is None


def create_link(user: User) -> str:
    """Return a new link for an account that nobody has used; earlier links to it end.

    Raises:
        ValueError: Somebody has used the account. A link would set their password and end their sessions.
    """
    if not is_unused(user):
        raise ValueError("only an account that nobody has used gets a link")
    user.set_unusable_password()
    user.save(update_fields=["password"])
    parts = {"uidb36": user_pk_to_url_str(user), "key": default_token_generator.make_token(user)}
    return settings.SITE_URL + reverse("enrollment", kwargs=parts)


def get_link_end(now: datetime) -> datetime:
    """Return when a link that is made now ends."""
    return now + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)


@method_decorator(login_not_required, name="dispatch")
class EnrollmentView(PasswordResetFromKeyView):  # type: ignore[misc]
    """The page of the link: choose a password, then go on to the second factor, signed in."""

    template_name = "partners/enrollment.html"

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        """Take the link to an account that somebody uses for a used one."""
        is_used = self.reset_user is not None and not is_unused(self.reset_user)
        return super().get_context_data(**context | ({"token_fail": True} if is_used else {}))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Never set the password of an account that somebody uses: that is what a reset is for."""
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
        reauthenticate_by_password(self.request)  # they have just typed it: the next page does not ask again
        return redirect("mfa_activate_totp")
