"""Pages about the security of an account: its log, and signing in again."""

from allauth.account.utils import get_next_redirect_url
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from integrations.views.common import page_of
from integrations.views.reauthentication import has_recent_authentication
from portal.accounts.models import SecurityEvent
from portal.accounts.security_log import KINDS

PAGE_SIZE = 50


@never_cache
def security_log(request: HttpRequest) -> HttpResponse:
    """List what happened to the reader's own account, newest first."""
    page = page_of(request, SecurityEvent.objects.filter(user=request.user.pk), PAGE_SIZE)
    rows = [(event, _(KINDS[event.kind].label)) for event in page.object_list]
    return render(request, "accounts/security_log.html", {"page": page, "rows": rows})


@never_cache
def sign_in_again(request: HttpRequest) -> HttpResponse:
    """Ask somebody without a password and second factor to sign in again, then lead on to `next`."""
    target = get_next_redirect_url(request) or ""
    if has_recent_authentication(request):
        # not redirect(), which would look for a page of that name
        return HttpResponseRedirect(target or resolve_url("profile"))
    return render(request, "accounts/sign_in_again.html", {"target": target})
