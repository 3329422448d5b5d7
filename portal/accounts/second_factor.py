"""Second factor required of program staff."""

from collections.abc import Callable
from functools import partial

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import SimpleLazyObject
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.cache import never_cache

from portal.accounts.requests import AnyUser, AuthenticatedRequest
from portal.accounts.role_names import list_roles
from portal.accounts.single_sign_on import select_trusted_accounts

# Pages available without a second factor: its setup, sign-out, and the color theme.
OPEN_PATHS = ("/accounts/", "/profile/second-factor/", "/theme/")
# Public pages that still depend on the signed-in user.
PERSONAL_PATHS = ("/emails/", "/invitations/", "/programs/choose/", "/help/getting-started/")
RETURN_KEY = "second_factor_return_to"


def has_privileges(user: AnyUser) -> bool:
    """Return whether a user has a role of the program."""
    return user.is_authenticated and bool(list_roles(user))


def has_second_factor(user: AnyUser) -> bool:
    """Return whether a user has a second factor, in the portal or at the trusted provider of single sign-on."""
    return is_mfa_enabled(user) or select_trusted_accounts().filter(user=user.pk).exists()


def is_second_factor_missing(user: AnyUser) -> bool:
    """Return whether the user must set up a second factor before using privileged pages."""
    return settings.STAFF_SECOND_FACTOR == "required" and has_privileges(user) and not has_second_factor(user)


def as_visitor(user: AnyUser) -> AnyUser:
    """Return the user, or an anonymous user if a required second factor is missing."""
    return AnonymousUser() if is_second_factor_missing(user) else user


class RequireSecondFactorMiddleware(MiddlewareMixin):
    """Redirect program staff without a second factor to its setup, then back to the requested page.

    Every page that requires sign-in counts as privileged, because nearly all of them show more to program staff.
    Public pages remain available and show the content for visitors.
    """

    def process_view(
        self, request: HttpRequest, view: Callable[..., object], _args: object, _kwargs: object
    ) -> HttpResponse | None:
        """Return a redirect to the setup, or None to continue."""
        if settings.STAFF_SECOND_FACTOR != "required" or request.path.startswith(OPEN_PATHS):
            return None
        is_personal = request.path == reverse("dashboard:home") or request.path.startswith(PERSONAL_PATHS)
        if not getattr(view, "login_required", True) and not is_personal:
            # lazy: loading the user would make every public page depend on the session cookie
            request.user = SimpleLazyObject(partial(as_visitor, request.user))  # type: ignore[assignment]
            return None
        if not is_second_factor_missing(request.user):
            return None
        target = request.get_full_path() if request.method in ("GET", "HEAD") else ""
        query = f"?{urlencode({REDIRECT_FIELD_NAME: target})}" if target else ""
        return redirect(reverse("accounts:second_factor_required") + query)


@never_cache
def show_second_factor_required(request: AuthenticatedRequest) -> HttpResponse:
    """Explain the required second factor. With one, redirect to the page that the user requested."""
    target = request.GET.get(REDIRECT_FIELD_NAME, "")
    if url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure()):
        request.session[RETURN_KEY] = target
    if is_second_factor_missing(request.user):
        return render(request, "accounts/second_factor_required.html", {})
    # not redirect(), which would resolve the target as a URL name
    return HttpResponseRedirect(request.session.pop(RETURN_KEY, "") or resolve_url("dashboard:home"))
