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

from integrations.submissions.services.drafts import Conflict
from portal.core.errors import NotAllowed

log = logging.getLogger(__name__)
CONTENT = "application/problem+json"
# kind: (status, title)
KINDS: dict[str, tuple[int, str]] = {
    "not-json": (400, "The body cannot be read"),
    "no-token": (401, "A token is needed"),
    "may": (403, "Not for this person"),
    "scope": (403, "Not within the token's scopes"),
    "second-factor": (403, "A second factor is needed"),
    "not-found": (404, "Not here"),
    "method": (405, "Not done this way"),
    "gone": (409, "Not from here"),
    "ready": (409, "Not yet"),
    "stale": (409, "Somebody was faster"),
    "under-way": (409, "The same request is being worked on"),
    "length": (411, "Its length is needed"),
    "changed": (412, "Changed meanwhile"),
    "too-large": (413, "Too large"),
    "media-type": (415, "Send JSON"),
    "unfit": (422, "Something does not fit"),
    "other-body": (422, "The key was used for something else"),
    "too-many": (429, "Too many requests"),
    "ours": (500, "The fault is ours"),
    "busy": (503, "Busy"),
}
REFUSED = {"busy": "ready"}  # the same thing is under way: 409, and no fault of ours


class Problem(Exception):
    """A refusal of the API's own. `fields`: (name, sentence) pairs."""

    def __init__(
        self, kind: str, sentence: str, *, fields: Sequence[tuple[str, str]] = (), headers: Mapping[str, str] = {}
    ) -> None:
        super().__init__(sentence)
        self.kind, self.fields, self.headers = kind, tuple(fields), dict(headers)

    def answer(self) -> HttpResponse:
        return said(self.kind, str(self), self.fields, self.headers)


def said(
    kind: str, sentence: str, fields: Sequence[tuple[str, str]] = (), headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """The answer itself."""
    status, title = KINDS[kind]
    told: dict[str, Any] = {
        "type": f"{settings.SITE_URL}/api/docs#problem-{kind}", "title": title, "status": status, "detail": sentence,
    }  # fmt: skip
    if fields:
        told["errors"] = [{"field": name, "message": message} for name, message in fields]
    body = json.dumps(told, ensure_ascii=False)
    return HttpResponse(body, status=status, content_type=CONTENT, headers=dict(headers or {}))


def fit(form: BaseForm, names: Mapping[str, str] | None = None) -> Any:
    """The form, in order. Raises Problem with a sentence for each field; `names`: form field to the API's name."""
    if form.is_valid():
        return form
    renamed = names or {}
    fields = [
        ("" if name == "__all__" else renamed.get(name, name), str(sentence))
        for name, sentences in form.errors.items()
        for sentence in sentences
    ]
    raise Problem("unfit", fields[0][1], fields=fields)


def refusal(said_no: NotAllowed, conditional: bool = False) -> HttpResponse:
    """A NotAllowed as a problem. `conditional`: the request named the version that it was made from."""
    kind = "changed" if said_no.kind == "stale" and conditional else REFUSED.get(said_no.kind, said_no.kind)
    return said(kind, str(said_no))


def _unfit(found: ValidationError) -> HttpResponse:
    fields = [(_place(error["loc"]), _sentence(error)) for error in found.errors]
    return said("unfit", f"{fields[0][0]}: {fields[0][1]}" if fields[0][0] else fields[0][1], fields)


def _place(loc: Sequence[Any]) -> str:
    """Where it is, without the name of the function's own parameter."""
    named = [str(part) for part in loc[1:]]
    return ".".join(named[1:] if loc and loc[0] == "body" and named else named)


WORDS = {
    "extra_forbidden": "There is no such field here.",
    "missing": "This is needed.",
}


def _sentence(error: Mapping[str, Any]) -> str:
    """Pydantic's own words, as a sentence."""
    if error.get("type") == "missing" and not _place(error["loc"]):
        return "A body is needed: JSON, {} at least."
    text = WORDS.get(str(error.get("type"))) or str(error.get("msg", "It does not fit."))
    return text if text.endswith(".") else f"{text}."


def _http(error: HttpError) -> HttpResponse:
    kind = {400: "not-json", 403: "may", 404: "not-found"}.get(error.status_code, "unfit")
    return said(kind, "The body is not JSON." if kind == "not-json" else str(error))


def _not_found(exc: Http404) -> str:
    """The view's own sentence; never the name of a model."""
    text = str(exc)
    return text if text.endswith(".") else "This does not exist, or it is not visible to you."


def no_token(*, sent: bool = False) -> HttpResponse:
    """`sent`: there was one, which is none of ours, revoked or at its end (RFC 6750)."""
    sentence = "Send a live token: “Authorization: Bearer ptl_…”."
    why = ', error="invalid_token"' if sent else ""
    return said("no-token", sentence, headers={"WWW-Authenticate": f'Bearer realm="portal"{why}'})


def _busy(exc: OperationalError) -> HttpResponse:
    log.warning("the database was busy: %s", type(exc).__name__)
    return said("busy", "The database is busy. Try again in a moment.", headers={"Retry-After": "2"})


def _ours(request: HttpRequest, exc: Exception) -> HttpResponse:
    log.exception("%s %s", request.method, request.path, exc_info=exc)
    return said("ours", "Something broke on our side; nothing was changed. It is noted.")


def _unreadable(*_: Any) -> HttpResponse:
    return said("not-json", "The body cannot be read: it is cut off, or not of the form that its Content-Type names.")


HANDLERS: dict[type[Exception], Callable[[HttpRequest, Any], HttpResponse]] = {
    Problem: lambda request, exc: exc.answer(),
    NotAllowed: lambda request, exc: refusal(exc, "If-Match" in request.headers),
    Conflict: lambda request, exc: said("changed" if "If-Match" in request.headers else "stale", str(exc)),
    ValidationError: lambda request, exc: _unfit(exc),
    AuthenticationError: lambda request, exc: no_token(),
    PermissionDenied: lambda request, exc: said("may", str(exc) or "You may not do this."),
    Http404: lambda request, exc: said("not-found", _not_found(exc)),
    RequestDataTooBig: lambda request, exc: said("too-large", "The body is larger than can be taken."),
    TooManyFilesSent: lambda request, exc: said("too-large", "These are too many files."),
    TooManyFieldsSent: lambda request, exc: said("too-large", "These are too many fields or parameters."),
    MultiPartParserError: _unreadable,
    UnreadablePostError: _unreadable,
    BadRequest: _unreadable,
    SuspiciousOperation: _unreadable,
    HttpError: lambda request, exc: _http(exc),
    OperationalError: lambda request, exc: _busy(exc),
    Exception: lambda request, exc: _ours(request, exc),
}


def connect(api: NinjaAPI) -> None:
    """Every exception that an operation may raise, with its answer."""
    for kind, handler in HANDLERS.items():
        api.add_exception_handler(kind, handler)


def answer_to(request: HttpRequest, exc: Exception) -> HttpResponse:
    """The answer to what was raised before an operation began, or after it ended."""
    return next(HANDLERS[kind] for kind in type(exc).__mro__ if kind in HANDLERS)(request, exc)
