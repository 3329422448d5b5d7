"""Idempotency keys: a repeated request gets the first response, byte for byte, for 24 hours.

The operation and its stored response share a transaction, so that a crash leaves neither. Operations that call other
services before they write run outside of a transaction, because SQLite allows one writer at a time.
"""

import hashlib
import json
from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime, timedelta
from http import HTTPStatus

from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from portal.api.models import ApiToken, IdempotencyRecord
from portal.api.problems import ApiError

IDEMPOTENCY_KEY_HEADER = "Idempotency-Key"
RETENTION_PERIOD = timedelta(hours=24)
LEASE_DURATION = timedelta(minutes=5)  # after this time, an unfinished request counts as abandoned
REPLAYED_HEADERS = ("Content-Type", "ETag", "Location", "Link")
MAX_KEY_LENGTH = 128
# Operations that call GitHub before they write. Repeated, they change nothing more: the details are equal, and a label
# policy replaces the open proposal.
NON_ATOMIC_OPERATIONS = frozenset({"prefill_draft", "change_integration", "propose_label_policy"})


def compute_request_digest(request: HttpRequest) -> str:
    """Return a digest of the method, URL, and body, or of a form's fields and files."""
    # If-Match counts: the same change of another version of the resource is another request.
    digest = hashlib.sha256(
        f"{request.method} {request.get_full_path()}\n{request.headers.get('If-Match', '')}".encode()
    )
    if (request.content_type or "").startswith("multipart/"):
        # Each attempt has another boundary, so that the raw bodies of two equal forms differ.
        for name, values in sorted(request.POST.lists()):
            digest.update(repr((name, values)).encode())
        for name, file in sorted(request.FILES.items()):
            content = hashlib.sha256(b"".join(file.chunks())).hexdigest()  # type: ignore[union-attr]
            # The operation reads the file again.
            file.seek(0)  # type: ignore[union-attr]
            digest.update(repr((name, file.name, content)).encode())  # type: ignore[union-attr]
    else:
        digest.update(request.body)
    return digest.hexdigest()


def run_idempotently(
    request: HttpRequest, token: ApiToken, key: str, now: datetime, run: Callable[[], HttpResponse], operation: str
) -> HttpResponse:
    """Run the operation or replay its response. Raises ApiError for an invalid, reused, or busy key."""
    if not 0 < len(key) <= MAX_KEY_LENGTH or not (key.isascii() and key.isprintable()):
        raise ApiError(
            "validation-error",
            f"Enter an {IDEMPOTENCY_KEY_HEADER} of 1 to {MAX_KEY_LENGTH} printable ASCII characters.",
            fields=[(IDEMPOTENCY_KEY_HEADER, "Use another key.")],
        )
    request_digest = compute_request_digest(request)
    row, is_new = _acquire_record(token, key, request_digest, now)
    if not is_new:
        return _replay_response(row, request_digest)
    try:
        response = _run_and_store(request, row, run, is_atomic=operation not in NON_ATOMIC_OPERATIONS)
    # Without its record, the client can send the request again at once, not only after the lease.
    except BaseException:
        IdempotencyRecord.objects.filter(pk=row.pk, status=0).delete()
        raise
    # These decide nothing, so a repeated request runs the operation.
    if _is_temporary(response):
        IdempotencyRecord.objects.filter(pk=row.pk, status=0).delete()
    return response


def omit_secret_from_replay(request: HttpRequest) -> None:
    """Exclude the field `secret` from the stored response. Replays contain null instead."""
    request.omits_secret = True  # type: ignore[attr-defined]


def _run_and_store(
    request: HttpRequest, row: IdempotencyRecord, run: Callable[[], HttpResponse], *, is_atomic: bool
) -> HttpResponse:
    """Run the operation and store its response, in one transaction if the operation is atomic."""
    with transaction.atomic() if is_atomic else nullcontext():
        response = run()
        if not _is_temporary(response):
            _store_response(request, row, response)
        elif is_atomic:
            # django-ninja has turned the exception into a response, so the transaction would be committed.
            transaction.set_rollback(True)
    return response


def _is_temporary(response: HttpResponse) -> bool:
    """Return whether the response is an error of the portal, or a limit that ends by itself."""
    return response.status_code >= 500 or response.status_code == HTTPStatus.TOO_MANY_REQUESTS


def _acquire_record(token: ApiToken, key: str, request_digest: str, now: datetime) -> tuple[IdempotencyRecord, bool]:
    """Return the record of this key, and whether this request runs the operation."""
    IdempotencyRecord.objects.filter(token=token, key=key, at__lte=now - RETENTION_PERIOD).delete()
    try:
        with transaction.atomic():
            return IdempotencyRecord.objects.create(token=token, key=key, request_digest=request_digest, at=now), True
    except IntegrityError:
        row = IdempotencyRecord.objects.filter(token=token, key=key).first()
    if row is None:  # the other request has just failed
        raise ApiError(
            "request-in-progress", "The same request has just failed. Send it again.", headers={"Retry-After": "1"}
        )
    # The condition on `at` lets only one of several repeated requests take over.
    abandoned_records = IdempotencyRecord.objects.filter(
        pk=row.pk, status=0, request_digest=request_digest, at=row.at, at__lte=now - LEASE_DURATION
    )
    return row, bool(abandoned_records.update(at=now))


def _replay_response(row: IdempotencyRecord, request_digest: str) -> HttpResponse:
    if row.request_digest != request_digest:
        raise ApiError(
            "idempotency-key-reused",
            f"This {IDEMPOTENCY_KEY_HEADER} was used for another request. Use a new key for each request.",
        )
    if not row.status:
        raise ApiError(
            "request-in-progress",
            "The first request is still running. Try again in a moment.",
            headers={"Retry-After": "1"},
        )
    response = HttpResponse(bytes(row.body), status=row.status, headers=row.headers)
    response["Idempotent-Replayed"] = "true"
    return response


def _store_response(request: HttpRequest, row: IdempotencyRecord, response: HttpResponse) -> None:
    headers = {name: response[name] for name in REPLAYED_HEADERS if name in response}
    body = _remove_secret(response.content) if hasattr(request, "omits_secret") else response.content
    IdempotencyRecord.objects.filter(pk=row.pk).update(status=response.status_code, headers=headers, body=body)


def _remove_secret(body: bytes) -> bytes:
    """Replace the secret with null. Error responses stay unchanged."""
    data = json.loads(body)
    return json.dumps(data | {"secret": None}, ensure_ascii=False).encode() if "secret" in data else body


def delete_expired_records(now: datetime | None = None) -> int:
    """Delete expired records. Return their number."""
    return IdempotencyRecord.objects.filter(at__lte=(now or timezone.now()) - RETENTION_PERIOD).delete()[0]
