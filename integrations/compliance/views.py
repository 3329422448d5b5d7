"""What do both sides see of a due process? The evidence as page and as JSON, now and as frozen with each decision."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from integrations.compliance.public_status import OF_PROCESS, STANDS
from integrations.partners import permissions
from integrations.reviews.presenters import useful
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import actions
from integrations.submissions.views.mixins import load
from integrations.submissions.workflow import evidence as due_process

PLACE = "integrations/<uuid:uuid>/standing/"
MOMENTS = ("at", "since", "due", "data_up_to", "found", "answered", "retracted", "sent")


def standing(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The evidence as it is now, with what the reader can do about it."""
    row, now = listed_once(request, uuid), timezone.now()
    offered = useful(row, actions(row, request.user, now=now))
    steps = [action for action in offered if action.name in OF_PROCESS]
    return _shown(request, row, due_process.evidence(row, now), {"steps": steps, "seq": None})


def standing_frozen(request: HttpRequest, uuid: UUID, seq: int) -> HttpResponse:
    """The evidence as it was when a decision was made."""
    row = listed_once(request, uuid)
    return _shown(request, row, frozen(row, seq), {"steps": [], "seq": seq})


def standing_json(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The same evidence as a file."""
    row = listed_once(request, uuid)
    return _file(due_process.evidence(row, timezone.now()), f"{row.uuid}.json")


def standing_frozen_json(request: HttpRequest, uuid: UUID, seq: int) -> HttpResponse:
    row = listed_once(request, uuid)
    return _file(frozen(row, seq), f"{row.uuid}-{seq}.json")


def listed_once(request: HttpRequest, uuid: UUID) -> Integration:
    """An integration that was listed at some time. Raises Http404."""
    row = load(request, uuid)
    if row.released_at is None:
        raise Http404(_("This integration has not been listed yet."))
    return row


def frozen(row: Integration, seq: int) -> dict[str, Any]:
    """What a decision had before it. Raises Http404."""
    event = row.events.shown_to_partner().filter(seq=seq).first()
    kept: dict[str, Any] = event.data.get("evidence", {}) if event else {}
    if not kept:
        raise Http404(_("No evidence was kept with this event."))
    return kept


def _file(pack: Mapping[str, Any], name: str) -> HttpResponse:
    answer = HttpResponse(json.dumps(pack, indent=2, ensure_ascii=False), content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="standing-{name}"'
    return answer


def _shown(request: HttpRequest, row: Integration, pack: dict[str, Any], more: dict[str, Any]) -> HttpResponse:
    seq = more["seq"]
    name = "standing_frozen" if seq else "standing"
    context = {
        "integration": row,
        "pack": moments(pack),
        "stands": _(STANDS.get(pack["standing"], "")),
        "for_program": permissions.is_of_program(row, request.user),
        "kept": list(row.events.filter(data__has_key="evidence").order_by("seq").values_list("seq", flat=True)),
        "json_href": reverse(f"{name}_json", args=[row.uuid, seq] if seq else [row.uuid]),
        "grace": settings.NOTICE_GRACE_DAYS,
        "removal_after": settings.REMOVAL_AFTER_DAYS,
        **more,
    }
    return render(request, "compliance/compliance.html", context)


def moments(told: Any) -> Any:
    """The pack with its moments as moments again, for the page."""
    if isinstance(told, list):
        return [moments(each) for each in told]
    if not isinstance(told, dict):
        return told
    return {
        key: parse_datetime(value) if key in MOMENTS and isinstance(value, str) else moments(value)
        for key, value in told.items()
    }


urlpatterns = [
    path("integrations/<uuid:uuid>/standing/", standing, name="standing"),
    path("integrations/<uuid:uuid>/standing/evidence.json", standing_json, name="standing_json"),
    path("integrations/<uuid:uuid>/standing/<int:seq>/", standing_frozen, name="standing_frozen"),
    path(
        "integrations/<uuid:uuid>/standing/<int:seq>/evidence.json", standing_frozen_json, name="standing_frozen_json"
    ),
]
