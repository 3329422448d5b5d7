"""Is the portal well? Whether the database answers, and whether the background gets its work done."""

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from portal.models import Email, Heartbeat

SWEEP_LATE = timedelta(minutes=2)
MAIL_LATE = timedelta(minutes=5)
LANE_LATE = timedelta(minutes=20)  # a lane that reads the outside may take its time
WAITING = (Email.State.HELD, Email.State.QUEUED, Email.State.SENDING)


def background(now: datetime) -> dict[str, Any]:
    """How old the last sweep and the oldest due mail are, in seconds or None, and whether either is late."""
    beats = dict(Heartbeat.objects.filter(process__startswith="sweep").values_list("process", "at"))
    beat = beats.get("sweep")
    due = Email.objects.filter(state__in=WAITING, due_at__lte=now).order_by("due_at").values_list("due_at", flat=True)
    oldest = due.first()
    stuck = sorted(name for name, at in beats.items() if now - at > LANE_LATE)
    late = beat is None or now - beat > SWEEP_LATE or (oldest is not None and now - oldest > MAIL_LATE) or stuck
    return {
        "background": "late" if late else "ok",
        "last_sweep_seconds_ago": None if beat is None else int((now - beat).total_seconds()),
        "oldest_due_mail_seconds": None if oldest is None else int((now - oldest).total_seconds()),
        "stuck": stuck,
    }


@never_cache
@login_not_required
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 while the database answers, else 503. With ?background, 503 too when the background is late."""
    try:
        connection.ensure_connection()
        said = {"database": "ok"} | background(timezone.now())
    except DatabaseError:
        return JsonResponse({"database": "does not answer"}, status=503)
    late = "background" in request.GET and said["background"] == "late"
    return JsonResponse(said, status=503 if late else 200)
