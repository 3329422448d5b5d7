"""The page of an account's security log."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from integrations.views.common import page_of
from portal.accounts.models import SecurityEvent
from portal.accounts.security_log import KINDS

PAGE_SIZE = 50


@never_cache
def security_log(request: HttpRequest) -> HttpResponse:
    """List what happened to the reader's own account, newest first."""
    page = page_of(request, SecurityEvent.objects.filter(user=request.user.pk), PAGE_SIZE)
    rows = [(event, _(KINDS[event.kind].label)) for event in page.object_list]
    return render(request, "accounts/security_log.html", {"page": page, "rows": rows})
