"""Forms that were sent without a session or too long after the sign-in, kept for a day until their author signed in.

The fields wait in the cache under a random key; the browser holds the signed key in a cookie of its own. No session
is opened or changed, so a forged request can neither sign anybody out nor fill the session table.
"""

import secrets
from collections.abc import Callable
from functools import partial

from allauth.core.internal import ratelimit
from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict

Handler = Callable[[HttpRequest], HttpResponse]
COOKIE = "unsent_form"
SIGN_IN_PAGES = ("/accounts/login/", "/accounts/signup/")
SIGN_IN_AGAIN = "/accounts/sign-in-again/"  # its sign-in opens a new session, so the library's own copy is lost
ACCOUNT_PAGES = "/accounts/"  # passwords and codes are typed there
ADDRESS_PAGE = "/accounts/email/"  # the one among them that asks for neither
AUTOSAVE = "autosave"  # the page itself still holds what a script failed to save
NEVER_KEPT = frozenset({"csrfmiddlewaretoken", "password", "password1", "password2", "code", "secret", "key"})
MAX_CHARACTERS = 64_000
MAX_AGE_SECONDS = 24 * 3600  # a sign-up waits for its confirmation mail
LIMIT = {"keep": "10/h/ip"}


def keep_unsent_forms(get_response: Handler) -> Handler:
    """Keep a form whose sender is led to the sign-in; `request.unsent()` gives it back to its page.

    Only a page that ran leads to the sign-in, and before it ran the CSRF check passed: what another site sends is
    refused with 403 and never kept, so nobody can plant a form in somebody else's browser.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        request.unsent = partial(take, request)  # type: ignore[attr-defined]
        response = get_response(request)
        if _is_led_to_sign_in(request, response):
            _keep(request, response)
        elif getattr(request, "unsent_was_taken", False):
            response.delete_cookie(COOKIE, samesite="Lax")
        return response

    return middleware


def take(request: HttpRequest) -> QueryDict | None:
    """Return what its author typed on this page before signing in, once; None for anything else."""
    key = request.get_signed_cookie(COOKIE, default="", salt=COOKIE, max_age=MAX_AGE_SECONDS)
    if not key or request.method != "GET" or not request.user.is_authenticated:
        return None
    kept = cache.get(f"{COOKIE}:{key}")
    if not kept or kept["path"] != request.path:
        return None
    cache.delete(f"{COOKIE}:{key}")
    request.unsent_was_taken = True  # type: ignore[attr-defined]
    return QueryDict(kept["fields"])


def _is_led_to_sign_in(request: HttpRequest, response: HttpResponse) -> bool:
    pages = SIGN_IN_AGAIN if request.user.is_authenticated else SIGN_IN_PAGES
    return (
        request.method == "POST"
        and (request.path == ADDRESS_PAGE or not request.path.startswith(ACCOUNT_PAGES))
        and request.headers.get("X-Requested-With") != AUTOSAVE
        and response.get("Location", "").startswith(pages)
    )


def _keep(request: HttpRequest, response: HttpResponse) -> None:
    fields = request.POST.copy()
    for name in NEVER_KEPT & set(fields):
        del fields[name]
    encoded = fields.urlencode()
    if not fields or len(encoded) > MAX_CHARACTERS or not _is_within_limit(request):
        return
    key = secrets.token_urlsafe(24)
    cache.set(f"{COOKIE}:{key}", {"path": request.path, "fields": encoded}, MAX_AGE_SECONDS)
    response.set_signed_cookie(
        COOKIE, key, salt=COOKIE, max_age=MAX_AGE_SECONDS, httponly=True, samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )  # fmt: skip


def _is_within_limit(request: HttpRequest) -> bool:
    """Whether this address may have one more form kept: the cache is shared and finite."""
    try:
        return bool(ratelimit.consume(request, app="portal", action="keep", config=LIMIT))
    except PermissionDenied:  # no address to count by
        return False
