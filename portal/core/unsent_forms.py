"""Forms that were sent without a session or too long after the sign-in, kept for a day until their author signed in.

The fields wait in the cache under a random key; the browser holds the signed key in a cookie of its own. No session
is opened or changed, so a forged request can neither sign anybody out nor fill the session table.

A second cookie names who was signed in last, because an expired session no longer does. What that person typed is given
to nobody else. What a visitor typed is given to who signs in next in the same browser.
"""

import secrets
from collections.abc import Callable
from functools import partial

from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.signals import user_logged_in
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict

Handler = Callable[[HttpRequest], HttpResponse]
COOKIE, AUTHOR_COOKIE = "unsent_form", "form_author"
SIGN_IN_PAGES = ("/accounts/login/", "/accounts/signup/")
SIGN_IN_AGAIN = "/accounts/sign-in-again/"  # its sign-in opens a new session, so the library's own copy is lost
ACCOUNT_PAGES = "/accounts/"  # passwords and codes are typed there
ADDRESS_PAGE = "/accounts/email/"  # the one among them that asks for neither
AUTOSAVE = "autosave"  # the page itself still holds what a script failed to save
EXCLUDED_FIELDS = frozenset({"csrfmiddlewaretoken", "password", "password1", "password2", "code", "secret", "key"})
MAX_CHARACTERS = 64_000
MAX_AGE_SECONDS = 24 * 3600  # a sign-up waits for its confirmation mail
RATE_LIMIT = {"keep": "10/h/ip"}


def store_unsent_forms(get_response: Handler) -> Handler:
    """Keep a form whose sender is led to the sign-in; `request.unsent()` gives it back to its page.

    Only a page that ran leads to the sign-in, and before it ran the CSRF check passed: what another site sends is
    refused with 403 and never kept, so nobody can plant a form in somebody else's browser.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        request.unsent = partial(take_unsent_form, request)  # type: ignore[attr-defined]
        response = get_response(request)
        if _is_redirected_to_sign_in(request, response):
            _store_form(request, response)
        elif getattr(request, "unsent_was_taken", False):
            response.delete_cookie(COOKIE, samesite="Lax")
        _note_author(request, response)
        return response

    return middleware


def take_unsent_form(request: HttpRequest) -> QueryDict | None:
    """Return what its author typed on this page before signing in, once; None for anything else."""
    if request.method != "GET" or not request.user.is_authenticated:
        return None
    discard_form_of_another(request, request.user)
    key = _read_key(request)
    stored_form = cache.get(key) if key else None
    if not stored_form or stored_form["path"] != request.path:
        return None
    cache.delete(key)
    request.unsent_was_taken = True  # type: ignore[attr-defined]
    return QueryDict(stored_form["fields"])


def discard_form_of_another(request: HttpRequest, user: AbstractBaseUser | AnonymousUser) -> None:
    """Delete the form that waits in this browser unless this person, or a visitor, typed it."""
    key = _read_key(request)
    kept = cache.get(key) if key else None
    if kept and kept["author"] not in ("", str(user.pk)):
        cache.delete(key)


def _on_sign_in(sender: object, request: HttpRequest | None, user: AbstractBaseUser, **_: object) -> None:
    if request is not None:
        discard_form_of_another(request, user)


user_logged_in.connect(_on_sign_in, dispatch_uid="unsent forms")


def _read_key(request: HttpRequest) -> str:
    key = request.get_signed_cookie(COOKIE, default="", salt=COOKIE, max_age=MAX_AGE_SECONDS)
    return f"{COOKIE}:{key}" if key else ""


def _read_author(request: HttpRequest) -> str:
    """Return the number of who is or was last signed in with this browser; blank where nobody was."""
    if request.user.is_authenticated:
        return str(request.user.pk)
    return request.get_signed_cookie(AUTHOR_COOKIE, default="", salt=AUTHOR_COOKIE) or ""


def _note_author(request: HttpRequest, response: HttpResponse) -> None:
    """Name a signed-in person in the cookie, but never on a page that is the same for everybody."""
    if not request.session.accessed or "public" in response.get("Cache-Control", ""):
        return
    known = request.get_signed_cookie(AUTHOR_COOKIE, default="", salt=AUTHOR_COOKIE)
    if request.user.is_authenticated and known != str(request.user.pk):
        _set_cookie(response, AUTHOR_COOKIE, str(request.user.pk), settings.SESSION_COOKIE_AGE + MAX_AGE_SECONDS)


def _set_cookie(response: HttpResponse, name: str, value: str, max_age: int) -> None:
    response.set_signed_cookie(
        name, value, salt=name, max_age=max_age, httponly=True, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
    )


def _is_redirected_to_sign_in(request: HttpRequest, response: HttpResponse) -> bool:
    pages = SIGN_IN_AGAIN if request.user.is_authenticated else SIGN_IN_PAGES
    return (
        request.method == "POST"
        and (request.path == ADDRESS_PAGE or not request.path.startswith(ACCOUNT_PAGES))
        and request.headers.get("X-Requested-With") != AUTOSAVE
        and response.get("Location", "").startswith(pages)
    )


def _store_form(request: HttpRequest, response: HttpResponse) -> None:
    fields = request.POST.copy()
    for name in EXCLUDED_FIELDS & set(fields):
        del fields[name]
    encoded_fields = fields.urlencode()
    if not fields or len(encoded_fields) > MAX_CHARACTERS or not _is_within_limit(request):
        return
    key = secrets.token_urlsafe(24)
    waiting = {"path": request.path, "fields": encoded_fields, "author": _read_author(request)}
    cache.set(f"{COOKIE}:{key}", waiting, MAX_AGE_SECONDS)
    _set_cookie(response, COOKIE, key, MAX_AGE_SECONDS)


def _is_within_limit(request: HttpRequest) -> bool:
    """Return whether this address may have one more form kept: the cache is shared and finite."""
    try:
        return bool(ratelimit.consume(request, app="portal", action="keep", config=RATE_LIMIT))
    except PermissionDenied:  # no address to count by
        return False
