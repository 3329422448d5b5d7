"""Endpoints for tested run tasks: the callback, and the files that its token can read."""

from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_variables

from verification.testruns.kinds.run_task import database_store
from verification.testruns.kinds.run_task.callbacks import CallbackRequest
from verification.testruns.kinds.run_task.http_responses import respond_to_callback, respond_to_download
from verification.testruns.kinds.run_task.kind import RUN_TASK


@csrf_exempt
@login_not_required
@sensitive_variables()
def receive_run_task_callback(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Receive one result. Only the run's own token authorizes it."""

    def receive(callback: CallbackRequest) -> tuple[int, str]:
        # Time spent waiting for the lock must not make a result late.
        now = timezone.now()
        status, message, finished_run = database_store.record_callback(uuid, callback, now)
        if finished_run is not None:
            RUN_TASK.reevaluate(finished_run)
        return status, message

    return respond_to_callback(request, receive)


@csrf_exempt
@login_not_required
@sensitive_variables()
def download_run_task_file(request: HttpRequest, uuid: UUID, resource: str) -> HttpResponse:
    """Return the plan or the configuration of a run. Only the run's own token authorizes it."""
    return respond_to_download(request, resource, lambda *arguments: database_store.get_download(uuid, *arguments))
