"""How does the API say no? One table of kinds, each a problem (RFC 9457) with its status and a sentence fit to show."""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.db import OperationalError
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from integrations.submissions.services.drafts import DraftConflictError
from portal.core.errors import ActionRefused

log = logging.getLogger(__name__)
PROBLEM_CONTENT_TYPE = "application/problem+json"
# kind: (status, title)
PROBLEM_TYPES: dict[str, tuple[int, str]] = {
    "malformed-body": (400, "The body cannot be read"),
    "authentication-required": (401, "A token is needed"),
    "forbidden": (403, "Not for this person"),
    "insufficient-scope": (403, "Not within the token's scopes"),
    "mfa-required": (403, "A second factor is needed"),
    "not-found": (404, "Not here"),
    "method-not-allowed": (405, "Not done this way"),
    "invalid-transition": (409, "Not from here"),
    "requirements-not-met": (409, "Not yet"),
    "conflict": (409, "Somebody was faster"),
    "request-in-progress": (409, "The same request is being worked on"),
    "length-required": (411, "Its length is needed"),
    "precondition-failed": (412, "Changed meanwhile"),
    "content-too-large": (413, "Too large"),
    "unsupported-media-type": (415, "Send JSON"),
    "validation-error": (422, "Something does not fit"),
    "idempotency-key-reused": (422, "The key was used for something else"),
    "rate-limited": (429, "Too many requests"),
    "internal-error": (500, "The fault is ours"),
    "service-unavailable": (503, "Busy"),
}
PROBLEM_TYPES_BY_REFUSAL = {"busy": "conflict"}  # the same thing is under way: 409, and no fault of ours


class ApiError(Exception):
    """A refusal of the API's own. `fields`: (name, sentence) pairs."""

    def __init__(
        self, kind: str, message: str, *, fields: Sequence[tuple[str, str]] = (), headers: Mapping[str, str] = {}
    ) -> None:
        super().__init__(message)
        self.kind, self.fields, self.headers = kind, tuple(fields), dict(headers)

    def answer(self) -> HttpResponse:
        return build_problem_response(self.kind, str(self), self.fields, self.headers)


def build_problem_response(
    kind: str, message: str, fields: Sequence[tuple[str, str]] = (), headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """The answer itself."""
    status, title = PROBLEM_TYPES[kind]
    data: dict[str, Any] = {
        "type": f"{settings.SITE_URL}/api/docs#problem-{kind}", "title": title, "status": status, "detail": message,
    }  # fmt: skip
    if fields:
        data["errors"] = [{"field": name, "message": field_message} for name, field_message in fields]
    body = json.dumps(data, ensure_ascii=False)
    return HttpResponse(body, status=status, content_type=PROBLEM_CONTENT_TYPE, headers=dict(headers or {}))


def validate_form(form: BaseForm, api_names: Mapping[str, str] | None = None) -> Any:
    """The form, in order. Raises Problem with a sentence for each field; `api_names`: form field to the API's name."""
    if form.is_valid():
        return form
    name_by_field = api_names or {}
    fields = [
        ("" if name == "__all__" else name_by_field.get(name, name), str(message))
        for name, messages in form.errors.items()
        for message in messages
    ]
    raise ApiError("validation-error", fields[0][1], fields=fields)


def build_refusal_response(action_refused: ActionRefused, is_conditional: bool = False) -> HttpResponse:
    """An ActionRefused as a problem. `is_conditional`: the request named the version that it was made from."""
    kind = (
        "precondition-failed"
        if action_refused.kind == "conflict" and is_conditional
        else PROBLEM_TYPES_BY_REFUSAL.get(action_refused.kind, action_refused.kind)
    )
    return build_problem_response(kind, str(action_refused))


def _build_validation_response(error: ValidationError) -> HttpResponse:
    fields = [
        (_get_field_path(field_error["loc"]), _get_validation_message(field_error)) for field_error in error.errors
    ]
    return build_problem_response(
        "validation-error", f"{fields[0][0]}: {fields[0][1]}" if fields[0][0] else fields[0][1], fields
    )


def _get_field_path(location: Sequence[Any]) -> str:
    """Where it is, without the name of the function's own parameter."""
    parts = [str(part) for part in location[1:]]
    return ".".join(parts[1:] if location and location[0] == "body" and parts else parts)


VALIDATION_MESSAGES = {
    "extra_forbidden": "There is no such field here.",
    "missing": "This is needed.",
}


def _get_validation_message(error: Mapping[str, Any]) -> str:
    """Pydantic's own words, as a sentence."""
    if error.get("type") == "missing" and not _get_field_path(error["loc"]):
        return "A body is needed: JSON, {} at least."
    text = VALIDATION_MESSAGES.get(str(error.get("type"))) or str(error.get("msg", "It does not fit."))
    return text if text.endswith(".") else f"{text}."


def _build_http_error_response(error: HttpError) -> HttpResponse:
    kind = {400: "malformed-body", 403: "forbidden", 404: "not-found"}.get(error.status_code, "validation-error")
    return build_problem_response(kind, "The body is not JSON." if kind == "malformed-body" else str(error))


def _get_not_found_message(error: Http404) -> str:
    """The view's own sentence; never the name of a model."""
    text = str(error)
    return text if text.endswith(".") else "This does not exist, or it is not visible to you."


def build_authentication_response(*, was_sent: bool = False) -> HttpResponse:
    """`was_sent`: there was one, which is none of ours, revoked or at its end (RFC 6750)."""
    message = "Send a live token: “Authorization: Bearer ptl_…”."
    error_attribute = ', error="invalid_token"' if was_sent else ""
    return build_problem_response(
        "authentication-required", message, headers={"WWW-Authenticate": f'Bearer realm="portal"{error_attribute}'}
    )


def _build_unavailable_response(error: OperationalError) -> HttpResponse:
    log.warning("the database was busy: %s", type(error).__name__)
    return build_problem_response(
        "service-unavailable", "The database is busy. Try again in a moment.", headers={"Retry-After": "2"}
    )


def _build_internal_error_response(request: HttpRequest, error: Exception) -> HttpResponse:
    log.exception("%s %s", request.method, request.path, exc_info=error)
    return build_problem_response("internal-error", "Something broke on our side; nothing was changed. It is noted.")


def _build_unreadable_response(*_: Any) -> HttpResponse:
    return build_problem_response(
        "malformed-body", "The body cannot be read: it is cut off, or not of the form that its Content-Type names."
    )


HANDLERS: dict[type[Exception], Callable[[HttpRequest, Any], HttpResponse]] = {
    ApiError: lambda request, exc: exc.answer(),
    ActionRefused: lambda request, exc: build_refusal_response(exc, "If-Match" in request.headers),
    DraftConflictError: lambda request, exc: build_problem_response(
        "precondition-failed" if "If-Match" in request.headers else "conflict", str(exc)
    ),
    ValidationError: lambda request, exc: _build_validation_response(exc),
    AuthenticationError: lambda request, exc: build_authentication_response(),
    PermissionDenied: lambda request, exc: build_problem_response("forbidden", str(exc) or "You may not do this."),
    Http404: lambda request, exc: build_problem_response("not-found", _get_not_found_message(exc)),
    RequestDataTooBig: lambda request, exc: build_problem_response(
        "content-too-large", "The body is larger than can be taken."
    ),
    TooManyFilesSent: lambda request, exc: build_problem_response("content-too-large", "These are too many files."),
    TooManyFieldsSent: lambda request, exc: build_problem_response(
        "content-too-large", "These are too many fields or parameters."
    ),
    MultiPartParserError: _build_unreadable_response,
    UnreadablePostError: _build_unreadable_response,
    BadRequest: _build_unreadable_response,
    SuspiciousOperation: _build_unreadable_response,
    HttpError: lambda request, exc: _build_http_error_response(exc),
    OperationalError: lambda request, exc: _build_unavailable_response(exc),
    Exception: lambda request, exc: _build_internal_error_response(request, exc),
}


def register_exception_handlers(api: NinjaAPI) -> None:
    """Every exception that an operation may raise, with its answer."""
    for exception_class, handler in HANDLERS.items():
        api.add_exception_handler(exception_class, handler)


def build_exception_response(request: HttpRequest, error: Exception) -> HttpResponse:
    """The answer to what was raised before an operation began, or after it ended."""
    return next(HANDLERS[exception_class] for exception_class in type(error).__mro__ if exception_class in HANDLERS)(
        request, error
    )
