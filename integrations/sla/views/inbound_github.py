"""Endpoint of webhooks from GitHub."""

from contextlib import suppress
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_variables

from integrations.sla.github import quotas, webhook_intake
from integrations.sla.github.webhook_intake import IntakeResponse
from portal.core import crypto
from portal.core.client_ip import get_client_network

READ_CHUNK_BYTES = 64 * 1024
MAX_DRAINED_BYTES = 4 * webhook_intake.MAX_PAYLOAD_BYTES
BUSY_RESPONSE = IntakeResponse(503, "The portal is temporarily unavailable.")


# GitHub has no session. The signature of the payload replaces the CSRF token.
@csrf_exempt
@login_not_required
def receive_webhook(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Ingest a delivery. Respond with 202, or with a status and a reason."""
    if request.method != "POST":
        return HttpResponse("Send a POST request.", status=405, headers={"Allow": "POST"}, content_type="text/plain")
    try:
        response = _ingest_request(request, uuid)
    except (DatabaseError, crypto.DecryptionError):
        if not connection.in_atomic_block:  # Django's handler does this at each request, but isn't always asked
            connection.close_if_unusable_or_obsolete()
        response = BUSY_RESPONSE
    headers = {"Retry-After": str(response.retry_after)} if response.retry_after else {}
    answer = HttpResponse(response.message, status=response.status, content_type="text/plain", headers=headers)
    answer.headers["Content-Length"] = str(len(answer.content))  # the server would send a response without it in chunks
    return answer


@sensitive_variables()
def _ingest_request(request: HttpRequest, uuid: UUID) -> IntakeResponse:
    meta = request.META
    early_response = webhook_intake.refuse_early(
        meta.get("CONTENT_LENGTH") or "", meta.get("CONTENT_TYPE", ""), meta.get("HTTP_CONTENT_ENCODING", "")
    )
    sender = get_client_network(request)
    is_known = webhook_intake.is_monitored(uuid)
    size = _get_declared_size(request)
    hook_uuid = uuid if is_known else None
    if early_response is None and not is_known:
        early_response = IntakeResponse(404, "Webhook not found.")
    if wait := quotas.get_wait(sender, hook_uuid, 0 if early_response else size):
        return IntakeResponse(429, "Too many deliveries. The portal reads missed events from the API.", wait)
    if early_response is not None:
        # Refused bytes count as well, because reading them takes as long as reading accepted ones.
        quotas.charge(sender, hook_uuid, _drain_body(request), is_accepted=False)
        return early_response
    try:
        body = request.read(size)
    except OSError:  # the client disconnected
        return IntakeResponse(400, "The payload is incomplete.")
    response = webhook_intake.ingest_delivery(uuid, meta, body, timezone.now())
    quotas.charge(sender, hook_uuid, size, is_accepted=response.status == 202)
    return response


def _get_declared_size(request: HttpRequest) -> int:
    """Return the Content-Length of a delivery, 0 if it is not a number."""
    length = request.META.get("CONTENT_LENGTH") or ""
    return int(length) if length.isascii() and length.isdigit() and len(length) < 16 else 0


def _drain_body(request: HttpRequest) -> int:
    """Read a refused payload to its end, up to a limit, so that the client gets the response. Return its size."""
    size = _get_declared_size(request)
    if not 0 < size <= MAX_DRAINED_BYTES:
        return 0
    with suppress(OSError):  # the client disconnected
        while request.read(READ_CHUNK_BYTES):
            pass
    return size
