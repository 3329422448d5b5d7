"""Pages that connect GitHub for private repositories and revoke the access."""

from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.providers.base import AuthProcess
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from portal.accounts.reauthentication import require_recent_authentication
from portal.accounts.requests import AuthenticatedRequest
from portal.github_access import services
from portal.github_access.receivers import STATE_KEY


def show_access(request: AuthenticatedRequest) -> HttpResponse:
    """Show whether GitHub is connected, with buttons to connect it and to end the access."""
    context = {
        "grant": services.find_grant(request.user),
        "is_available": services.is_available(),
        "install_url": services.get_install_url(),
        "next_url": request.GET.get("next", ""),  # checked when GitHub is connected
    }
    return render(request, "github_access/access.html", context)


def connect(request: AuthenticatedRequest) -> HttpResponse:
    """Redirect to GitHub, which asks for access and then redirects to `next`."""
    if request.method != "POST":  # after signing in again
        return redirect("github_access:access")
    if not services.is_available():
        raise Http404(_("Sign-in with GitHub is not available."))
    require_recent_authentication(request)
    next_url = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(next_url, allowed_hosts=None):
        next_url = reverse("github_access:access")
    provider = get_adapter(request).get_provider(request, "github")
    response: HttpResponse = provider.redirect(
        request, AuthProcess.REDIRECT, next_url=next_url, **{STATE_KEY: request.user.pk}
    )
    return response


def revoke(request: AuthenticatedRequest) -> HttpResponse:
    """Delete the tokens and revoke them at GitHub."""
    if request.method != "POST":  # after signing in again
        return redirect("github_access:access")
    require_recent_authentication(request)
    revoke_at_github = services.revoke_grant(request.user, now=timezone.now(), request=request)
    if revoke_at_github():
        messages.success(request, _("GitHub access revoked."))
    else:
        messages.warning(
            request,
            _("We deleted our copy of your GitHub access, but GitHub didn't confirm it. Revoke it at %(url)s too.")
            % {"url": f"{settings.GITHUB_WEB_URL}/settings/apps/authorizations"},
        )
    return redirect("github_access:access")
