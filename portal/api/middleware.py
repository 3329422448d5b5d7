"""Request processing before and after API operations: tokens, rate limits, validation, and idempotency."""

from collections.abc import Callable, Mapping
from functools import partial, wraps

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import patch_vary_headers

from portal.accounts.second_factor import has_privileges, has_second_factor
from portal.api import conditional, idempotency, problems, throttling
from portal.api.models import ApiToken
from portal.api.problems import ApiError
from portal.api.services import tokens
from portal.api.throttling import RequestAllowance
from portal.core.client_ip import get_client_network

LAST_USED_INTERVAL_SECONDS = 60  # between updates of a token's last use
JSON_CONTENT_TYPE = "application/json"


def get_bearer_secret(request: HttpRequest) -> str:
    """Return the bearer token of the Authorization header, or an empty string."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def protect_view(view: Callable[..., HttpResponse], operations: Mapping[str, str]) -> Callable[..., HttpResponse]:
    """Wrap an API view with authentication, limits, and error handling. Sessions are ignored.

    `operations` are the names of the view's operations by method.
    """
    write_operations = {method: name for method, name in operations.items() if method != "GET"}

    @wraps(view)
    def handle(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        allowance = None
        requested_method = request.method
        # Operations have no HEAD: it runs as GET, and the body is removed at the end.
        if requested_method == "HEAD":
            request.method = "GET"
        try:
            token = tokens.authenticate_token(get_bearer_secret(request), timezone.now())
            # Counted before anything is decided, so that guessing tokens is limited too (docs/decisions/0066).
            allowance = throttling.count_request(token, get_client_network(request))
            run = partial(_call_view, view, request, *args, **kwargs)
            response = _run_view(request, token, allowance, run, write_operations.get(str(request.method), ""))
        except Exception as error:  # every error becomes a problem response
            response = problems.build_exception_response(request, error)
        response = _finalize_response(request, response, allowance)
        return conditional.remove_body(response) if requested_method == "HEAD" else response

    handle.csrf_exempt = True  # type: ignore[attr-defined]  # browsers never send bearer tokens automatically
    return login_not_required(handle)


def _call_view(
    view: Callable[..., HttpResponse], request: HttpRequest, *args: object, **kwargs: object
) -> HttpResponse:
    """Call the view and add the headers that its operation has set."""
    request.response_headers = {}  # type: ignore[attr-defined]
    response = view(request, *args, **kwargs)
    # An operation may set an ETag or a Location before it is refused.
    headers: dict[str, str] = request.response_headers if response.status_code < 400 else {}  # type: ignore[attr-defined]
    for name, value in headers.items():
        response[name] = value
    return response


def _run_view(
    request: HttpRequest,
    token: ApiToken | None,
    allowance: RequestAllowance,
    run_view: Callable[[], HttpResponse],
    write_operation: str,
) -> HttpResponse:
    """Run the view. `write_operation` is the name of the operation, blank if it only reads."""
    if allowance.remaining < 0:
        headers = {"Retry-After": str(allowance.seconds)}
        raise ApiError("rate-limited", f"Too many requests. Try again in {allowance.seconds} seconds.", headers=headers)
    # Public operations check it, too: a client must learn that its token has ended.
    if "Authorization" in request.headers and token is None:
        return problems.build_authentication_response(is_token_invalid=bool(get_bearer_secret(request)))
    _reject_unreadable_request(request, is_write=bool(write_operation))
    request.api_token = token  # type: ignore[attr-defined]
    if token is None:
        return run_view()
    _authenticate_request(request, token)
    key = request.headers.get(idempotency.IDEMPOTENCY_KEY_HEADER)
    if key is None or not write_operation:
        return run_view()
    return idempotency.run_idempotently(request, token, key, timezone.now(), run_view, write_operation)


def _authenticate_request(request: HttpRequest, token: ApiToken) -> None:
    """Set the request's user from the token. Raises ApiError for program staff without a second factor."""
    user = tokens.get_acting_user(token)
    # Regardless of STAFF_SECOND_FACTOR, because tokens outlive sessions.
    if has_privileges(user) and not has_second_factor(user):
        raise ApiError("mfa-required", "Set up two-factor authentication. Tokens of program staff require it.")
    request.user = user
    now = timezone.now()
    if token.last_used_at is None or (now - token.last_used_at).total_seconds() > LAST_USED_INTERVAL_SECONDS:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)


def _reject_unreadable_request(request: HttpRequest, *, is_write: bool) -> None:
    # PostgreSQL refuses NUL in texts, which would be an internal error.
    if "\x00" in request.path_info:
        raise ApiError("not-found", "Unknown path.")
    invalid_name = next(
        (name for name, values in request.GET.lists() if any(map(_has_invalid_characters, [name, *values]))), None
    )
    if invalid_name is not None:
        raise ApiError(
            "validation-error",
            "A parameter contains invalid characters.",
            fields=[(invalid_name[:40], "Remove the invalid characters.")],
        )
    # Django reads as many bytes as Content-Length says, so a body without it would be empty.
    if request.headers.get("Transfer-Encoding") and not _has_body(request):
        raise ApiError("length-required", "Send a Content-Length header.")
    content_type = request.content_type or ""
    if is_write and content_type not in (JSON_CONTENT_TYPE, "multipart/form-data") and _has_body(request):
        raise ApiError("unsupported-media-type", f"Send the body as {JSON_CONTENT_TYPE}.")


def _has_invalid_characters(text: str) -> bool:
    """Return whether the text has characters that databases reject: NUL and surrogates."""
    return "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text)


def _has_body(request: HttpRequest) -> bool:
    return request.META.get("CONTENT_LENGTH", "") not in ("", "0")


def _finalize_response(
    request: HttpRequest, response: HttpResponse, allowance: RequestAllowance | None
) -> HttpResponse:
    """Add the headers that every response has."""
    # django-ninja's response has no problem details, and its Allow header doesn't name HEAD.
    if response.status_code == 405:
        methods = {*response["Allow"].split(", ")}
        allowed_methods = ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
        response = problems.build_problem_response(
            "method-not-allowed", "This path doesn't support the request method.", headers={"Allow": allowed_methods}
        )
    if request.method == "GET":
        response = conditional.apply_conditional_get(request, response)
    for name, value in (allowance.build_headers() if allowance else {}).items():
        response[name] = value
    response.headers.setdefault("Cache-Control", "private, no-store")
    patch_vary_headers(response, ["Authorization"])
    return response
