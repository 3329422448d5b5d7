"""Problem responses (RFC 9457) of the API, with a table of all problem types."""

import json
import logging
import math
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, TypeVar

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
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from ninja.errors import AuthenticationError, HttpError, ValidationError

from integrations.submissions.services.drafts import DraftConflictError
from portal.api.validation_messages import build_choice_message, get_field_path, get_validation_message
from portal.core.content_files import load_content
from portal.core.errors import ActionRefused, StaleVersionError

Row = TypeVar("Row", bound=Model)
logger = logging.getLogger(__name__)
PROBLEM_CONTENT_TYPE = "application/problem+json"
TEMPORARY_STATUSES = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
RETRY_AFTER_SECONDS = 60  # where nothing tells how long it takes
PROBLEM_TYPES = load_content("portal/api/content/problem_types.yaml", dict[str, tuple[int, str, str]])


class ApiError(Exception):
    """API error. `fields` holds pairs of field name and message."""

    def __init__(
        self, kind: str, message: str, *, fields: Sequence[tuple[str, str]] = (), headers: Mapping[str, str] = {}
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.fields = tuple(fields)
        self.headers = dict(headers)

    def build_response(self) -> HttpResponse:
        return build_problem_response(self.kind, str(self), self.fields, self.headers)


def build_problem_response(
    kind: str, message: str, fields: Sequence[tuple[str, str]] = (), headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """Build a problem response."""
    status, title, _ = PROBLEM_TYPES[kind]
    headers = dict(headers or {})
    if status in TEMPORARY_STATUSES:
        headers.setdefault("Retry-After", str(RETRY_AFTER_SECONDS))
    # RFC 9457, section 3.1.1, encourages types that lead to their documentation.
    data: dict[str, object] = {
        "type": f"{settings.SITE_URL}/api/docs#problem-{kind}",
        "title": title,
        "status": status,
        "detail": message,
    }
    if fields:
        data["errors"] = [{"field": name, "message": field_message} for name, field_message in fields]
    body = json.dumps(data, ensure_ascii=False)
    return HttpResponse(body, status=status, content_type=PROBLEM_CONTENT_TYPE, headers=headers)


def _build_refusal_response(refusal: ActionRefused) -> HttpResponse:
    seconds = refusal.retry_after and math.ceil(refusal.retry_after.total_seconds())
    return build_problem_response(refusal.kind, str(refusal), headers={"Retry-After": str(seconds)} if seconds else {})


class FieldError(ApiError):
    """Validation error of one field. `summary` is the message of the response, by default that of the field."""

    def __init__(self, field: str, message: str, summary: str = "") -> None:
        super().__init__("validation-error", summary or message, fields=[(field, message)])


def refuse_unknown_keys(field: str, keys: Iterable[str], known_keys: Container[str], message: str) -> None:
    """Raise ApiError if the object in `field` has unknown keys."""
    field_errors = [(f"{field}.{key}", message) for key in keys if key not in known_keys]
    if field_errors:
        raise ApiError("validation-error", message, fields=field_errors)


def refuse_unknown_value(field: str, value: str, known_values: Collection[str]) -> None:
    """Raise FieldError for an unknown value of an optional filter, which would otherwise select everything."""
    if value and value not in known_values:
        raise FieldError(field, build_choice_message(known_values))


def get_row(rows: QuerySet[Row], not_found_message: str, **lookups: object) -> Row:
    """Return the row that matches the lookups. Raises Http404 with the message."""
    row = rows.filter(**lookups).first()
    if row is None:
        raise Http404(not_found_message)
    return row


def _build_stale_version_response(request: HttpRequest, error: Exception) -> HttpResponse:
    """Build a problem response for a change of an older version, which is named in If-Match or in the body."""
    # RFC 9110, section 13.1.1: the response to a condition that isn't met is 412, not 409. Any version meets "*".
    has_condition = request.headers.get("If-Match", "*").strip() != "*"
    return build_problem_response("precondition-failed" if has_condition else "conflict", str(error))


def _build_validation_response(error: ValidationError) -> HttpResponse:
    fields = [(get_field_path(field_error["loc"]), get_validation_message(field_error)) for field_error in error.errors]
    name, message = fields[0]
    return build_problem_response("validation-error", f"{name}: {message}" if name else message, fields)


def _build_http_error_response(error: HttpError) -> HttpResponse:
    kind = {400: "malformed-body", 403: "forbidden", 404: "not-found"}.get(error.status_code, "validation-error")
    # django-ninja replaces the errors of the parser by a message of its own.
    cause = error.__cause__ if isinstance(error.__cause__, HttpError) else error
    return build_problem_response(kind, str(cause))


def _get_not_found_message(error: Http404) -> str:
    """Return the view's message, never one of Django's, which may name a model."""
    text = str(error)
    # The messages of get_object_or_404 end with a period, too.
    is_own_message = text.endswith(".") and not text.endswith(" matches the given query.")
    return text if is_own_message else "Not found. It doesn't exist, or you don't have access."


def build_authentication_response(*, is_token_invalid: bool = False) -> HttpResponse:
    """Build a 401 response. `is_token_invalid`: the request had an unknown, revoked, or expired token (RFC 6750)."""
    message = "Send a token in the Authorization header: “Authorization: Bearer ptl_…”."
    if is_token_invalid:
        message = "The token is unknown, revoked, or expired. Check it, or create another one."
    # RFC 6750, section 3.1: the response to a request without a token has no error code.
    error_attribute = ', error="invalid_token"' if is_token_invalid else ""
    return build_problem_response(
        "authentication-required", message, headers={"WWW-Authenticate": f'Bearer realm="portal"{error_attribute}'}
    )


def _build_unavailable_response(error: OperationalError) -> HttpResponse:
    # Mostly a lock that another request holds for too long, so the same request can succeed in a moment. The message
    # tells it from a full disk or a refused connection.
    logger.warning("database unavailable: %s", error)
    return build_problem_response(
        "service-unavailable", "The database is unavailable. Try again in a moment.", headers={"Retry-After": "2"}
    )


def _build_internal_error_response(request: HttpRequest, error: Exception) -> HttpResponse:
    logger.exception("%s %s", request.method, request.path, exc_info=error)
    return build_problem_response("internal-error", "An internal error occurred. We logged it.")


def _build_unreadable_response(*_: object) -> HttpResponse:
    return build_problem_response("malformed-body", "The body is incomplete or doesn't match its Content-Type.")


HANDLERS: dict[type[Exception], Callable[[HttpRequest, Any], HttpResponse]] = {
    ApiError: lambda request, exc: exc.build_response(),
    ActionRefused: lambda request, exc: _build_refusal_response(exc),
    StaleVersionError: _build_stale_version_response,
    DraftConflictError: _build_stale_version_response,
    ValidationError: lambda request, exc: _build_validation_response(exc),
    AuthenticationError: lambda request, exc: build_authentication_response(),
    PermissionDenied: lambda request, exc: build_problem_response(
        "forbidden", str(exc) or "You don't have permission to do this."
    ),
    Http404: lambda request, exc: build_problem_response("not-found", _get_not_found_message(exc)),
    RequestDataTooBig: lambda request, exc: build_problem_response(
        "content-too-large", f"The body is too large. Send up to {settings.DATA_UPLOAD_MAX_MEMORY_SIZE:,} bytes."
    ),
    TooManyFilesSent: lambda request, exc: build_problem_response("content-too-large", "The body has too many files."),
    TooManyFieldsSent: lambda request, exc: build_problem_response(
        "content-too-large", "The request has too many fields or parameters."
    ),
    MultiPartParserError: _build_unreadable_response,
    UnreadablePostError: _build_unreadable_response,
    BadRequest: _build_unreadable_response,
    SuspiciousOperation: _build_unreadable_response,
    HttpError: lambda request, exc: _build_http_error_response(exc),
    OperationalError: lambda request, exc: _build_unavailable_response(exc),
    Exception: lambda request, exc: _build_internal_error_response(request, exc),
}


def build_exception_response(request: HttpRequest, error: Exception) -> HttpResponse:
    """Build the response to an exception raised before or after an operation."""
    # The nearest class wins, as in django-ninja: a body that is too large is also a suspicious operation.
    handler = next(HANDLERS[each] for each in type(error).__mro__ if each in HANDLERS)
    return handler(request, error)
