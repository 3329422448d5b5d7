"""How do results of rehearsed run tasks reach us? Addresses for machines: a callback, and what its token may read."""

from collections.abc import Callable
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_variables

from verification.testruns.kinds.run_task import callback_store
from verification.testruns.kinds.run_task.callback_parsing import MOST_READ
from verification.testruns.kinds.run_task.callback_service import Call
from verification.testruns.kinds.run_task.protocol import CALLBACK_TYPE
from verification.testruns.services import run_task_tests

LENGTH_DIGITS = 12


@csrf_exempt
@login_not_required
@sensitive_variables()
def run_task_callback(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Take one result: 200, 401, 422, or what else it deserves. Nothing but the run's own token opens it."""
    meta, now = request.META, timezone.now()
    try:
        body, size = _body(request)
        call = Call(str(request.method), meta.get("HTTP_AUTHORIZATION", ""), meta.get("CONTENT_TYPE", ""), body, size)
        status, sentence, ended = callback_store.patiently(lambda: callback_store.take(uuid, call, now))
        if ended is not None:
            run_task_tests.judge_again(ended, now)
    except OSError:  # it hung up
        status, sentence = 400, "The result broke off."
    except DatabaseError:
        status, sentence = 503, "The portal cannot take this in just now."
    return HttpResponse(sentence, status=status, content_type=CALLBACK_TYPE if status == 200 else "text/plain")


def _body(request: HttpRequest) -> tuple[bytes, int]:
    """What was read of the body, and the size of the whole. Without a length it comes in pieces, to their end."""
    length = request.META.get("CONTENT_LENGTH") or ""
    if not length and request.META.get("wsgi.input_terminated"):
        body = request.META["wsgi.input"].read(MOST_READ + 1)
        return body, len(body)
    size = int(length or 0) if (length or "0").isdecimal() and len(length) < LENGTH_DIGITS else MOST_READ + 1
    return (request.read(size) if size <= MOST_READ else b""), size


def _reading(what: str, content_type: str) -> Callable[[HttpRequest, UUID], HttpResponse]:
    @csrf_exempt
    @login_not_required
    @sensitive_variables()
    def view(request: HttpRequest, uuid: UUID) -> HttpResponse:
        found = callback_store.give(uuid, what, request.META.get("HTTP_AUTHORIZATION", ""), timezone.now())
        if request.method != "GET" or found is None:
            return HttpResponse("There is nothing here for this token.", status=404, content_type="text/plain")
        return HttpResponse(found, content_type=content_type, headers={"Cache-Control": "no-store"})

    view.__module__ = __name__
    return view


run_task_plan = _reading("plan", "application/json")
run_task_configuration = _reading("configuration", "application/gzip")
