"""What is answered to the same request twice? What was answered the first time, byte for byte, for a day.

The work and the answer are one transaction: a process that dies leaves neither, and the next attempt begins anew. What
asks somebody else before it writes is done apart, since SQLite has one writer at a time.
"""

import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from portal.api.models import ApiToken, KeptAnswer
from portal.api.problems import Problem

HEADER = "Idempotency-Key"
KEPT = timedelta(hours=24)
LEASE = timedelta(minutes=5)  # after which work that was begun and never answered is taken for dead
KEPT_HEADERS = ("Content-Type", "ETag", "Location", "Link")
LONGEST = 128
APART = frozenset({"prefill_draft"})  # asks GitHub before it writes; done twice it comes to the same


def fingerprint(request: HttpRequest) -> str:
    """What was asked, in 64 characters: method, address and body; of a form, its fields and files."""
    found = hashlib.sha256(
        f"{request.method} {request.get_full_path()}\n{request.headers.get('If-Match', '')}".encode()
    )
    if (request.content_type or "").startswith("multipart/"):
        for name, values in sorted(request.POST.lists()):
            found.update(repr((name, values)).encode())
        for name, file in sorted(request.FILES.items()):
            content = hashlib.sha256(b"".join(file.chunks())).hexdigest()  # type: ignore[union-attr]
            file.seek(0)  # type: ignore[union-attr]
            found.update(repr((name, file.name, content)).encode())  # type: ignore[union-attr]
    else:
        found.update(request.body)
    return found.hexdigest()


def answered(
    request: HttpRequest, token: ApiToken, key: str, now: datetime, run: Callable[[], HttpResponse]
) -> HttpResponse:
    """Run it, or say again what was said. Raises Problem for a key that is odd, used for another body, or in use."""
    if not 0 < len(key) <= LONGEST or not (key.isascii() and key.isprintable()):
        raise Problem(
            "unfit", f"An {HEADER} has at most {LONGEST} plain characters.", fields=[(HEADER, "Choose another.")]
        )
    asked = fingerprint(request)
    row, is_mine = _begin(token, key, asked, now)
    if not is_mine:
        return _again(row, asked)
    try:
        answer = _done(request, row, run)
    except BaseException:
        KeptAnswer.objects.filter(pk=row.pk, status=0).delete()
        raise
    if answer.status_code >= 500:
        KeptAnswer.objects.filter(pk=row.pk, status=0).delete()
    return answer


def name_of(request: HttpRequest) -> str:
    """The name of the address that is asked for: of its first operation, where it has several."""
    return str(request.resolver_match.url_name) if request.resolver_match else ""


def tells_once(request: HttpRequest, field: str) -> None:
    """A field of this request's answer is told now and kept nowhere: said again, the answer has null in its place."""
    request.told_once = field  # type: ignore[attr-defined]


def _done(request: HttpRequest, row: KeptAnswer, run: Callable[[], HttpResponse]) -> HttpResponse:
    """The work and its kept answer, in one transaction; what is done apart in two, with no lock held meanwhile."""
    if name_of(request) in APART:
        answer = run()
        if answer.status_code < 500:
            _keep(request, row, answer)
        return answer
    with transaction.atomic():
        answer = run()
        if answer.status_code >= 500:
            transaction.set_rollback(True)
        else:
            _keep(request, row, answer)
    return answer


def _begin(token: ApiToken, key: str, asked: str, now: datetime) -> tuple[KeptAnswer, bool]:
    """The row of this key, and whether this request is the one that does the work."""
    KeptAnswer.objects.filter(token=token, key=key, at__lte=now - KEPT).delete()
    try:
        with transaction.atomic():
            return KeptAnswer.objects.create(token=token, key=key, asked=asked, at=now), True
    except IntegrityError:
        row = KeptAnswer.objects.filter(token=token, key=key).first()
    if row is None:  # whoever had it failed just now
        raise Problem("under-way", "The same request failed just now. Send it again.", headers={"Retry-After": "1"})
    dead = KeptAnswer.objects.filter(pk=row.pk, status=0, asked=asked, at=row.at, at__lte=now - LEASE)
    return row, bool(dead.update(at=now))


def _again(row: KeptAnswer, asked: str) -> HttpResponse:
    if row.asked != asked:
        raise Problem("other-body", f"This {HEADER} was used for another request. Use a new one for each.")
    if not row.status:
        raise Problem("under-way", "It is being worked on. Ask again in a moment.", headers={"Retry-After": "1"})
    answer = HttpResponse(bytes(row.body), status=row.status, headers=row.headers)
    answer["Idempotent-Replayed"] = "true"
    return answer


def _keep(request: HttpRequest, row: KeptAnswer, answer: HttpResponse) -> None:
    headers = {name: answer[name] for name in KEPT_HEADERS if name in answer}
    field = getattr(request, "told_once", "")
    body = _without(field, answer.content) if field else answer.content
    KeptAnswer.objects.filter(pk=row.pk).update(status=answer.status_code, headers=headers, body=body)


def _without(field: str, body: bytes) -> bytes:
    """The same answer with null in the place of what is told once; a refusal as it is."""
    told = json.loads(body)
    return json.dumps(told | {field: None}, ensure_ascii=False).encode() if field in told else body


def forget_due(now: datetime | None = None) -> int:
    """Delete what is older than a day. Returns how many."""
    return KeptAnswer.objects.filter(at__lte=(now or timezone.now()) - KEPT).delete()[0]
