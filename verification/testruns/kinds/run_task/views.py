"""Endpoints for tested run tasks: the callback, and the files that its token can read."""

from collections.abc import Callable
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_variables

from verification.testruns.kinds.base import retry_while_locked
from verification.testruns.kinds.run_task import callback_store
from verification.testruns.kinds.run_task.callback_parsing import MAX_REQUEST_BYTES
from verification.testruns.kinds.run_task.callback_service import CallbackRequest
from verification.testruns.kinds.run_task.protocol import CALLBACK_TYPE
from verification.testruns.registry import RUN_TASK

MAX_LENGTH_DIGITS = 12


@csrf_exempt
@login_not_required
@sensitive_variables()
def receive_run_task_callback(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Receive one result. Only the run's own token authorizes it."""
    meta, now = request.META, timezone.now()
    try:
        body, size = _read_body(request)
        callback_request = CallbackRequest(
            str(request.method), meta.get("HTTP_AUTHORIZATION", ""), meta.get("CONTENT_TYPE", ""), body, size
        )
        status, message, finished_test_run = retry_while_locked(
            lambda: callback_store.record_callback(uuid, callback_request, now)
        )
        if finished_test_run is not None:
            RUN_TASK.reevaluate(finished_test_run)
    except OSError:  # it hung up
        status, message = 400, "The result ended early."
    except DatabaseError:
        status, message = 503, "The portal can't accept this result now. Try again later."
    return HttpResponse(message, status=status, content_type=CALLBACK_TYPE if status == 200 else "text/plain")


def _read_body(request: HttpRequest) -> tuple[bytes, int]:
    """Return the body as far as it was read, and its complete size. Chunked bodies are read to their end."""
    length = request.META.get("CONTENT_LENGTH") or ""
    if not length and request.META.get("wsgi.input_terminated"):
        body = request.META["wsgi.input"].read(MAX_REQUEST_BYTES + 1)
        return body, len(body)
    size = (
        int(length or 0) if (length or "0").isdecimal() and len(length) < MAX_LENGTH_DIGITS else MAX_REQUEST_BYTES + 1
    )
    return (request.read(size) if size <= MAX_REQUEST_BYTES else b""), size


def _build_download_view(resource: str, content_type: str) -> Callable[[HttpRequest, UUID], HttpResponse]:
    @csrf_exempt
    @login_not_required
    @sensitive_variables()
    def view(request: HttpRequest, uuid: UUID) -> HttpResponse:
        content = callback_store.get_download(
            uuid, resource, request.META.get("HTTP_AUTHORIZATION", ""), timezone.now()
        )
        if request.method != "GET" or content is None:
            return HttpResponse("Nothing found for this token.", status=404, content_type="text/plain")
        return HttpResponse(content, content_type=content_type, headers={"Cache-Control": "no-store"})

    view.__module__ = __name__
    return view


run_task_plan = _build_download_view("plan", "application/json")
run_task_configuration = _build_download_view("configuration", "application/gzip")
