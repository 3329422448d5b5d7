"""Forms submitted without a recent sign-in, stored for a day until their author signs in.

The cache stores the encrypted fields under a random key, and a separate cookie holds the signed key. No session is
created or changed, so a forged request can neither sign anyone out nor fill the session table.

A second cookie names the last signed-in user, because an expired session no longer does. Only that user gets their form
back. The form of a visitor goes to the next user who signs in with the same browser.
"""

import secrets
from collections.abc import Callable
from functools import partial

from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME, SESSION_KEY
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.signals import user_logged_in
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict

from portal.core import crypto

Handler = Callable[[HttpRequest], HttpResponse]
COOKIE = "unsent_form"
AUTHOR_COOKIE = "form_author"
SIGN_IN_PAGES = ("/accounts/login/", "/accounts/signup/")
SIGN_IN_AGAIN = "/accounts/sign-in-again/"  # it opens a new session, so django-allauth loses its own copy
ACCOUNT_PAGES = "/accounts/"  # forms with passwords and codes
ADDRESS_PAGE = "/accounts/email/"  # the only account page without passwords and codes
AUTOSAVE = "autosave"  # the page still has the text if saving fails
EXCLUDED_FIELDS = frozenset({"csrfmiddlewaretoken", "password", "password1", "password2", "code", "secret", "key"})
MAX_CHARACTERS = 64_000
MAX_AGE_SECONDS = 24 * 3600  # a sign-up includes the confirmation by email
RATE_LIMIT = {"keep": "10/h/ip"}


def store_unsent_forms(get_response: Handler) -> Handler:
    """Store a form whose author must sign in first. `request.unsent()` returns it to its page.

    Only a view redirects to the sign-in page, so the CSRF check has passed. Another site therefore cannot plant a form
    in someone's browser.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        request.unsent = partial(take_unsent_form, request)  # type: ignore[attr-defined]
        request.is_form_stored = partial(is_form_stored, request)  # type: ignore[attr-defined]
        response = get_response(request)
        if _is_redirected_to_sign_in(request, response):
            _store_form(request, response)
        elif getattr(request, "unsent_was_taken", False):
            response.delete_cookie(COOKIE, samesite="Lax")
        _set_author_cookie(request, response)
        return response

    return middleware


def take_unsent_form(request: HttpRequest) -> QueryDict | None:
    """Return and delete the form that the user filled in on this page before they signed in, or return None."""
    if request.method != "GET" or not request.user.is_authenticated:
        return None
    discard_other_users_form(request, request.user)
    key = _read_key(request)
    stored_form = cache.get(key) if key else None
    if not stored_form or stored_form["path"] != request.path:
        return None
    cache.delete(key)
    request.unsent_was_taken = True  # type: ignore[attr-defined]
    try:
        return QueryDict(crypto.decrypt(stored_form["fields"], key).value)
    except crypto.DecryptionError:  # the encryption key was replaced since
        return None


def is_form_stored(request: HttpRequest) -> bool:
    """Return whether the page that follows this sign-in page gets a stored form back."""
    key = _read_key(request)
    stored_form = cache.get(key) if key else None
    following = request.POST.get(REDIRECT_FIELD_NAME) or request.GET.get(REDIRECT_FIELD_NAME, "")
    return bool(stored_form and stored_form["path"] == following.partition("?")[0])


def discard_other_users_form(request: HttpRequest, user: AbstractBaseUser | AnonymousUser) -> None:
    """Delete the stored form of this browser unless its author is this user or a visitor."""
    key = _read_key(request)
    stored_form = cache.get(key) if key else None
    if stored_form and stored_form["author"] not in ("", str(user.pk)):
        cache.delete(key)


def _on_sign_in(sender: object, request: HttpRequest | None, user: AbstractBaseUser, **_: object) -> None:
    if request is not None:
        discard_other_users_form(request, user)


user_logged_in.connect(_on_sign_in, dispatch_uid="unsent forms")


def _read_key(request: HttpRequest) -> str:
    key = request.get_signed_cookie(COOKIE, default="", salt=COOKIE, max_age=MAX_AGE_SECONDS)
    return f"{COOKIE}:{key}" if key else ""


def _read_author(request: HttpRequest) -> str:
    """Return the ID of the current or last signed-in user of this browser, or an empty string."""
    if request.user.is_authenticated:
        return str(request.user.pk)
    return request.get_signed_cookie(AUTHOR_COOKIE, default="", salt=AUTHOR_COOKIE) or ""


def _set_author_cookie(request: HttpRequest, response: HttpResponse) -> None:
    """Set the author cookie to the signed-in user, but never on a public page or in a response to an API token."""
    if not request.session.accessed or "public" in response.get("Cache-Control", ""):
        return
    if SESSION_KEY not in request.session:
        return
    author = request.get_signed_cookie(AUTHOR_COOKIE, default="", salt=AUTHOR_COOKIE)
    if request.user.is_authenticated and author != str(request.user.pk):
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
    # A field can be a secret under any name, such as the URL of a webhook.
    fields_at_rest = crypto.encrypt(crypto.Secret(encoded_fields), f"{COOKIE}:{key}")
    stored_form = {"path": request.path, "fields": fields_at_rest, "author": _read_author(request)}
    cache.set(f"{COOKIE}:{key}", stored_form, MAX_AGE_SECONDS)
    _set_cookie(response, COOKIE, key, MAX_AGE_SECONDS)


def _is_within_limit(request: HttpRequest) -> bool:
    """Return whether the client can store one more form. The cache is shared and finite."""
    try:
        return bool(ratelimit.consume(request, app="portal", action="keep", config=RATE_LIMIT))
    except PermissionDenied:  # the client has no address
        return False
