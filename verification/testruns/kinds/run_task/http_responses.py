"""HTTP responses to tested run tasks: to their callbacks, and to requests for the files that a token can read."""

from collections.abc import Callable

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, UnreadablePostError

from verification.testruns.kinds.run_task.callback_parsing import MAX_REQUEST_BYTES
from verification.testruns.kinds.run_task.callbacks import CallbackRequest
from verification.testruns.kinds.run_task.protocol import CALLBACK_TYPE

MAX_LENGTH_DIGITS = 12
DOWNLOAD_TYPES = {"plan": "application/json", "configuration": "application/gzip"}


def respond_to_callback(request: HttpRequest, receive: Callable[[CallbackRequest], tuple[int, str]]) -> HttpResponse:
    """Respond to a callback with the status and message that `receive` returns."""
    meta = request.META
    try:
        body, size = _read_body(request)
        authorization = meta.get("HTTP_AUTHORIZATION", "")
        content_type = meta.get("CONTENT_TYPE", "")
        status, message = receive(CallbackRequest(str(request.method), authorization, content_type, body, size))
    except OSError:  # the client has disconnected
        status = 400
        message = "The request body ended early."
    except DatabaseError:
        # The endpoint can send the result again. A lost one would count against the partner.
        status = 503
        message = "The portal can't accept this result now. Try again later."
    return HttpResponse(message, status=status, content_type=CALLBACK_TYPE if status == 200 else "text/plain")


def _read_body(request: HttpRequest) -> tuple[bytes, int]:
    """Return the body, blank above the limit, and its complete size. Chunked bodies are read to their end.

    Raises OSError if the client disconnects before the end of the body.
    """
    length = request.META.get("CONTENT_LENGTH") or ""
    # Gunicorn's stream ends with the body. On other servers, reading a body without a length could wait forever.
    if not length and request.META.get("wsgi.input_terminated"):
        body = request.META["wsgi.input"].read(MAX_REQUEST_BYTES + 1)
        return body, len(body)
    # int() raises an error of its own for thousands of digits.
    is_valid = (length or "0").isdecimal() and len(length) < MAX_LENGTH_DIGITS
    size = int(length or 0) if is_valid else MAX_REQUEST_BYTES + 1
    if size > MAX_REQUEST_BYTES:
        return b"", size
    body = request.read(size)
    # The stream ends quietly. Half a result would count against the partner.
    if len(body) < size:
        raise UnreadablePostError
    return body, size


def respond_to_download(request: HttpRequest, resource: str, fetch: Callable[[str, str], bytes | None]) -> HttpResponse:
    """Respond with a file. `fetch` receives the resource and the Authorization header, and returns the content."""
    content = None
    if request.method == "GET" and resource in DOWNLOAD_TYPES:
        content = fetch(resource, request.META.get("HTTP_AUTHORIZATION", ""))
    if content is None:
        return HttpResponse("Nothing found for this token.", status=404, content_type="text/plain")
    return HttpResponse(content, content_type=DOWNLOAD_TYPES[resource], headers={"Cache-Control": "no-store"})
