"""Log of the responsible party of each integration, from which analytics computes stage durations."""

from datetime import datetime

from django.dispatch import Signal

from integrations.submissions.models.integration import Integration
from portal.audit.models import AuditEvent
from portal.audit.services import record_system_event

responsibility_changed = Signal()  # sent with `integration` after each new change of the responsible party or stage
RESPONSIBILITY_EVENT_TYPE = "responsibility.changed"


def get_responsibility_stream(pk: int) -> str:
    """Return the stream of responsibility changes, which is separate from the visible history."""
    return f"responsibility:{pk}"


def record_responsibility_change(
    integration: Integration, responsible_party: str, *, now: datetime, is_undo: bool = False
) -> None:
    """Record the responsible party of a locked integration if it or the stage differs from the last record.

    `is_undo` marks the reversal of a decision.
    """
    data: dict[str, object] = {
        "stage": str(integration.stage),
        "responsible_party": responsible_party,
        "round": integration.review_round,
    }
    stream = get_responsibility_stream(integration.pk)
    last = AuditEvent.objects.filter(stream=stream).order_by("-seq").values_list("data", flat=True).first()
    if last and (last["stage"], last["responsible_party"]) == (data["stage"], data["responsible_party"]):
        return
    if is_undo:
        data["is_undo"] = True
    record_system_event(stream, RESPONSIBILITY_EVENT_TYPE, now=now, **data)
    responsibility_changed.send(Integration, integration=integration)
