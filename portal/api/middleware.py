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
from portal.api.problems import ApiError
from portal.api.services import tokens
from portal.api.throttling import RequestAllowance
from portal.core.client_ip import get_client_network

LAST_USED_INTERVAL_SECONDS = 60  # seconds between two notes of a token's last use
JSON_CONTENT_TYPE = "application/json"


def get_bearer_secret(request: HttpRequest) -> str:
    """The secret of the Authorization header; blank where there is none of our kind."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def protect_view(view: Callable[..., HttpResponse], methods: set[str]) -> Callable[..., HttpResponse]:
    """One path of the API, behind the gate; `methods`: what it does. Sessions are not looked at."""
    write_methods = methods - {"GET"}

    @wraps(view)
    def handle(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        allowance, requested_method = None, request.method
        if requested_method == "HEAD":
            request.method = "GET"
        try:
            token = tokens.authenticate_token(get_bearer_secret(request), timezone.now())
            allowance = (
                throttling.count_token_request(token.pk)
                if token
                else throttling.count_address_request(get_client_network(request))
            )
            run = partial(view, request, *args, **kwargs)
            response = _run_view(request, token, allowance, run, is_write=request.method in write_methods)
        except Exception as error:  # whatever it is, it is said as a problem
            response = problems.build_exception_response(request, error)
        response = _finalize_response(request, response, allowance)
        return conditional.remove_body(response) if requested_method == "HEAD" else response

    handle.csrf_exempt = True  # type: ignore[attr-defined]  # a browser never sends a bearer token by itself
    return login_not_required(handle)


def _run_view(
    request: HttpRequest, token: ApiToken | None, allowance: RequestAllowance, run_view: Callable[[], HttpResponse],
    *, is_write: bool,
) -> HttpResponse:  # fmt: skip
    if allowance.remaining < 0:
        headers = {"Retry-After": str(allowance.seconds)}
        raise ApiError("rate-limited", f"Ask again in {allowance.seconds} seconds.", headers=headers)
    if "Authorization" in request.headers and token is None:
        return problems.build_authentication_response(was_sent=True)
    _reject_unreadable_request(request, is_write=is_write)
    request.api_token = token  # type: ignore[attr-defined]
    if token is None:
        return run_view()
    _authenticate_request(request, token)
    key = request.headers.get(idempotency.IDEMPOTENCY_KEY_HEADER)
    if key is None or not is_write:
        return run_view()
    return idempotency.run_idempotently(request, token, key, timezone.now(), run_view)


def _authenticate_request(request: HttpRequest, token: ApiToken) -> None:
    """The request is the token's from here on. Raises Problem for a person of the program without a second factor."""
    user = tokens.get_acting_user(token)
    if has_privileges(user) and not is_mfa_enabled(user):  # a token outlives the session: no setting loosens this
        raise ApiError("mfa-required", "Set up a second factor first: tokens of people of the program need one.")
    request.user = user
    now = timezone.now()
    if token.last_used_at is None or (now - token.last_used_at).total_seconds() > LAST_USED_INTERVAL_SECONDS:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)


def _reject_unreadable_request(request: HttpRequest, *, is_write: bool) -> None:
    if "\x00" in request.path_info:
        raise ApiError("not-found", "There is no such address.")
    invalid_name = next(
        (name for name, values in request.GET.lists() if any(map(_has_invalid_characters, [name, *values]))), None
    )
    if invalid_name is not None:
        raise ApiError(
            "validation-error",
            "A parameter holds characters that cannot be kept.",
            fields=[(invalid_name[:40], "Write it again.")],
        )
    if request.headers.get("Transfer-Encoding") and not _has_body(request):
        raise ApiError("length-required", "Say how long the body is: send a Content-Length.")
    content_type = request.content_type or ""
    if is_write and content_type not in (JSON_CONTENT_TYPE, "multipart/form-data") and _has_body(request):
        raise ApiError("unsupported-media-type", f"Send the body as {JSON_CONTENT_TYPE}.")


def _has_invalid_characters(text: str) -> bool:
    """Whether no database takes it: NUL and half characters."""
    return "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text)


def _has_body(request: HttpRequest) -> bool:
    return request.META.get("CONTENT_LENGTH", "") not in ("", "0")


def _finalize_response(
    request: HttpRequest, response: HttpResponse, allowance: RequestAllowance | None
) -> HttpResponse:
    """What every answer carries."""
    if response.status_code == 405:
        methods = {*response["Allow"].split(", ")}
        allowed_methods = ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
        response = problems.build_problem_response(
            "method-not-allowed", "This address does not do that.", headers={"Allow": allowed_methods}
        )
    if request.method == "GET":
        response = conditional.apply_conditional_get(request, response)
    for name, value in (allowance.headers() if allowance else {}).items():
        response[name] = value
    response.headers.setdefault("Cache-Control", "private, no-store")
    patch_vary_headers(response, ["Authorization"])
    return response
