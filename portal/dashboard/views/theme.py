"""Selection of the light, dark, or system theme, stored in a cookie."""

from datetime import timedelta

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from portal.dashboard.context_processors import THEME_COOKIE, THEMES

COOKIE_AGE = timedelta(days=365)


@login_not_required
@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Store the selected theme and redirect to the previous page."""
    next_url = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(
        next_url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        next_url = "/"
    response = redirect(next_url)
    theme = request.POST.get("theme", "")
    if theme in THEMES:
        response.set_cookie(
            THEME_COOKIE, theme, max_age=COOKIE_AGE, samesite="Lax", secure=request.is_secure(), httponly=False
        )
    return response
