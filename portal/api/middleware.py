"""What stands before every operation of the API? The token, the limits, what can be read at all, and once only."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import patch_vary_headers

from portal.accounts.second_factor import has_privileges
from portal.api import conditional, idempotency, problems, throttling
from portal.api.models import ApiToken
from portal.api.problems import Problem
from portal.api.services import tokens
from portal.api.throttling import Allowance
from portal.core.client_ip import get_client_network

USED_EVERY = 60  # seconds between two notes of a token's last use
JSON = "application/json"


def bearer(request: HttpRequest) -> str:
    """The secret of the Authorization header; blank where there is none of our kind."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def guarded(view: Callable[..., HttpResponse], methods: set[str]) -> Callable[..., HttpResponse]:
    """One path of the API, behind the gate; `methods`: what it does. Sessions are not looked at."""
    writing = methods - {"GET"}

    @wraps(view)
    def handle(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        allowance, asked = None, request.method
        if asked == "HEAD":
            request.method = "GET"
        try:
            token = tokens.find(bearer(request), timezone.now())
            allowance = throttling.of_token(token.pk) if token else throttling.of_address(get_client_network(request))
            run = partial(view, request, *args, **kwargs)
            answer = _answered(request, token, allowance, run, is_write=request.method in writing)
        except Exception as found:  # whatever it is, it is said as a problem
            answer = problems.answer_to(request, found)
        answer = _finished(request, answer, allowance)
        return conditional.without_body(answer) if asked == "HEAD" else answer

    handle.csrf_exempt = True  # type: ignore[attr-defined]  # a browser never sends a bearer token by itself
    return login_not_required(handle)


def _answered(
    request: HttpRequest, token: ApiToken | None, allowance: Allowance, run: Callable[[], HttpResponse],
    *, is_write: bool,
) -> HttpResponse:  # fmt: skip
    if allowance.left < 0:
        wait = {"Retry-After": str(allowance.seconds)}
        raise Problem("too-many", f"Ask again in {allowance.seconds} seconds.", headers=wait)
    if "Authorization" in request.headers and token is None:
        return problems.no_token(sent=True)
    _refuse_unreadable(request, is_write=is_write)
    request.api_token = token  # type: ignore[attr-defined]
    if token is None:
        return run()
    _enter(request, token)
    key = request.headers.get(idempotency.HEADER)
    if key is None or not is_write:
        return run()
    return idempotency.answered(request, token, key, timezone.now(), run)


def _enter(request: HttpRequest, token: ApiToken) -> None:
    """The request is the token's from here on. Raises Problem for a person of the program without a second factor."""
    user = tokens.acting(token)
    if has_privileges(user) and not is_mfa_enabled(user):  # a token outlives the session: no setting loosens this
        raise Problem("second-factor", "Set up a second factor first: tokens of people of the program need one.")
    request.user = user
    now = timezone.now()
    if token.last_used_at is None or (now - token.last_used_at).total_seconds() > USED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)


def _refuse_unreadable(request: HttpRequest, *, is_write: bool) -> None:
    if "\x00" in request.path_info:
        raise Problem("not-found", "There is no such address.")
    odd = next((name for name, values in request.GET.lists() if any(map(_unkept, [name, *values]))), None)
    if odd is not None:
        raise Problem(
            "unfit", "A parameter holds characters that cannot be kept.", fields=[(odd[:40], "Write it again.")]
        )
    if request.headers.get("Transfer-Encoding") and not _has_body(request):
        raise Problem("length", "Say how long the body is: send a Content-Length.")
    kind = request.content_type or ""
    if is_write and kind not in (JSON, "multipart/form-data") and _has_body(request):
        raise Problem("media-type", f"Send the body as {JSON}.")


def _unkept(text: str) -> bool:
    """Whether no database takes it: NUL and half characters."""
    return "\x00" in text or any("\ud800" <= char <= "\udfff" for char in text)


def _has_body(request: HttpRequest) -> bool:
    return request.META.get("CONTENT_LENGTH", "") not in ("", "0")


def _finished(request: HttpRequest, answer: HttpResponse, allowance: Allowance | None) -> HttpResponse:
    """What every answer carries."""
    if answer.status_code == 405:
        methods = {*answer["Allow"].split(", ")}
        allowed = ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
        answer = problems.said("method", "This address does not do that.", headers={"Allow": allowed})
    if request.method == "GET":
        answer = conditional.unless_known(request, answer)
    for name, value in (allowance.headers() if allowance else {}).items():
        answer[name] = value
    answer.headers.setdefault("Cache-Control", "private, no-store")
    patch_vary_headers(answer, ["Authorization"])
    return answer
