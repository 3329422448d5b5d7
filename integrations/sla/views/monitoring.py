"""How do GitHub's webhooks reach us, and how does a partner set them up? One address for machines, one page."""

import hashlib
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, resolve, reverse
from django.urls.exceptions import Resolver404
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_variables

from integrations.partners import permissions
from integrations.sla.github import quotas, webhook_intake
from integrations.sla.github.webhook_intake import Answer
from integrations.sla.models import Watch
from integrations.sla.services import monitoring
from integrations.submissions.models import Integration
from integrations.submissions.views.mixins import load
from portal.accounts.reauthentication import require_recent_authentication
from portal.core import crypto
from portal.core.client_ip import get_client_network

Handler = Callable[[HttpRequest], HttpResponse]
PREFIX = "/hooks/"
PIECE, MOST_DRAINED = 64 * 1024, 4 * webhook_intake.MOST_BYTES
BUSY = Answer(503, "The portal cannot take this in just now.")


def hooks_first(get_response: Handler) -> Handler:
    """A webhook needs no session, person, form or policy: it is answered before any of them is looked for."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(PREFIX):
            return get_response(request)
        try:
            found = resolve(request.path_info, "portal.urls_inbound")
        except Resolver404:
            return get_response(request)
        return found.func(request, **found.kwargs)

    return middleware


@csrf_exempt
@login_not_required
def hook(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Take in one delivery: 202, or why not."""
    if request.method != "POST":
        return HttpResponse("GitHub posts here.", status=405, headers={"Allow": "POST"}, content_type="text/plain")
    try:
        answer = _taken(request, uuid)
    except (DatabaseError, crypto.CannotOpen):
        answer = BUSY
    headers = {"Retry-After": str(answer.retry_after)} if answer.retry_after else {}
    return HttpResponse(answer.sentence, status=answer.status, content_type="text/plain", headers=headers)


@sensitive_variables()
def _taken(request: HttpRequest, uuid: UUID) -> Answer:
    meta = request.META
    early = webhook_intake.refuse_early(
        meta.get("CONTENT_LENGTH") or "", meta.get("CONTENT_TYPE", ""), meta.get("HTTP_CONTENT_ENCODING", "")
    )
    sender, is_known = get_client_network(request), webhook_intake.is_watched(uuid)
    size, hook = _declared_size(request), uuid if is_known else None
    if early is None and not is_known:
        early = Answer(404, "There is no such hook.")
    if wait := quotas.get_wait(sender, hook, 0 if early else size):
        return Answer(429, "Too many bytes from this source. What we miss we read from the API.", wait)
    if early is not None:
        quotas.charge(sender, hook, _drain(request), is_accepted=False)
        return early
    try:
        body = request.read(size)
    except OSError:  # it hung up
        return Answer(400, "The payload broke off.")
    answer = webhook_intake.receive(uuid, meta, body, timezone.now())
    quotas.charge(sender, hook, size, is_accepted=answer.status == 202)
    return answer


def _declared_size(request: HttpRequest) -> int:
    """Return the length that a delivery says it has; 0 where that is no number, which is refused early."""
    length = request.META.get("CONTENT_LENGTH") or ""
    return int(length) if length.isascii() and length.isdigit() and len(length) < 16 else 0


def _drain(request: HttpRequest) -> int:
    """Read a refused payload to its end, within reason: cut off, its sender would not hear why. Return its size."""
    size = _declared_size(request)
    if not 0 < size <= MOST_DRAINED:
        return 0
    try:
        while request.read(PIECE):
            pass
    except OSError:  # it hung up
        pass
    return size


def watch(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page: where the hook points, what has come through it, and a new secret, shown once."""
    found = load(request, uuid)
    row = Watch.objects.filter(integration=found, ended_at=None).first()
    if row is None:
        raise Http404(_("The repository of this integration is not watched: it is not in support."))
    may = permissions.may_edit(found, request.user)
    if request.method != "POST":
        return _page(request, found, row, may)
    if not may:
        messages.error(request, _("Owners and editors of the company make a new secret."))
        return redirect("watch", uuid)
    if request.POST.get("after") != state_of(row):  # pressed twice, or by two people
        said = _("A secret has been made since this page was shown. Make another one if you need it.")
        messages.error(request, said)
        return redirect("watch", uuid)
    require_recent_authentication(request)
    secret = monitoring.rotate(row, timezone.now())
    webhook_intake.forget(row.uuid)
    row.refresh_from_db()
    return _page(request, found, row, may, secret.value)


@sensitive_variables("secret")
def _page(request: HttpRequest, found: Integration, row: Watch, may: bool, secret: str = "") -> HttpResponse:
    context: dict[str, Any] = {
        "integration": found,
        "watch": row,
        "may_change": may,
        "address": request.build_absolute_uri(reverse("hook", args=[row.uuid])),
        "after": state_of(row),
        "secret": secret,
        "trouble": monitoring.trouble(row),
        "old_until": row.old_secret_until if row.old_secret_until and row.old_secret_until > timezone.now() else None,
    }
    answer = render(request, "sla/monitoring.html", context)
    answer["Cache-Control"] = "no-store"
    return answer


def state_of(row: Watch) -> str:
    """Which secret is in force, without a word about it."""
    return hashlib.sha256(bytes(row.secret or b"")).hexdigest()[:16]


urlpatterns = [path("integrations/<uuid:uuid>/watch/", watch, name="watch")]
