"""Who is told what the sweep of the clocks found? Alerts become one event and one mail a reader and integration.

An alert is a row that the sweep wrote. Telling it writes the event, the mails and the mark that it is told in one
transaction: killed at any moment, it is told later, and never twice. News that came together goes together, so that
a bad hour of a big repository is one mail that names every issue.
"""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from integrations.sla import warnings
from integrations.sla.clock_usage import calculate_usage
from integrations.sla.engine.types import ClockStatus, Severity
from integrations.sla.models import Alert, SlaBreach
from integrations.sla.services.policies import get_calendar
from integrations.sla.tasks import get_counterpart_key
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import lock_integration
from portal.audit import services

log = logging.getLogger(__name__)
MAX_ISSUES_PER_EMAIL = 200  # issues in one mail; what is left follows in the next
RETRY_DELAY = timedelta(minutes=5)
EVENT_TYPES_BY_KIND = {"warned": "issues_warned", "breached": "issues_breached", "retracted": "breaches_retracted"}


def send_due_notifications(now: datetime | None = None, limit: int = 500) -> int:
    """Tell every alert whose moment has come. Returns how many integrations were told something."""
    now = now or timezone.now()
    pending_alerts = Alert.objects.filter(told_at=None, not_before__lte=now).order_by("integration_id")
    integrations = list(pending_alerts.values_list("integration_id", flat=True).distinct()[:limit])
    return sum(_notify_safely(pk, now) for pk in integrations)


def _notify_safely(pk: int, now: datetime) -> bool:
    """One integration's news; what goes wrong with it does not stop the others and is tried again."""
    try:
        return notify_integration(pk, now)
    except (OperationalError, InterfaceError):
        raise  # the database was away: nothing is wrong with this news, the next round has it
    except Exception:
        log.exception("The alerts of integration %s could not be told.", pk)
        Alert.objects.filter(integration_id=pk, told_at=None, not_before__lte=now).update(not_before=now + RETRY_DELAY)
        return False


@transaction.atomic
def notify_integration(pk: int, now: datetime) -> bool:
    """Tell what waits for one integration, in the order of retractions, breaches, warnings."""
    integration = lock_integration(pk)
    pending_alerts = Alert.objects.filter(integration=integration, told_at=None, not_before__lte=now)
    alerts = list(
        _lock_alerts(pending_alerts).select_related("clock__issue__watch").order_by("pk")[:MAX_ISSUES_PER_EMAIL]
    )
    relevant_alerts = [alert for alert in alerts if _is_still_relevant(alert, integration)]
    deferrable_alerts = [alert for alert in relevant_alerts if _can_wait(alert)]
    for kind in ("retracted", "breached", "warned"):
        issues = [
            _build_issue_payload(alert, now)
            for alert in relevant_alerts
            if alert.kind == kind and alert not in deferrable_alerts
        ]
        if issues:
            services.record_event(
                integration, EVENT_TYPES_BY_KIND[kind], actor=None, now=now, issues=issues, count=len(issues)
            )
    has_notified, retry_at = warnings.notify_readers(
        integration, deferrable_alerts, lambda alert: _build_issue_payload(alert, now), now
    )
    waiting_pks = [alert.pk for alert in deferrable_alerts] if retry_at else []
    Alert.objects.filter(pk__in=waiting_pks).update(not_before=retry_at)
    updated_count = (
        Alert.objects.filter(pk__in=[alert.pk for alert in alerts]).exclude(pk__in=waiting_pks).update(told_at=now)
    )
    return has_notified or bool(updated_count)


def _lock_alerts(alerts: QuerySet[Alert]) -> QuerySet[Alert]:
    return alerts.select_for_update(of=("self",))


def _is_still_relevant(alert: Alert, integration: Integration) -> bool:
    """Whether people still have to hear of it.

    Not of a warning that an answer or the breach itself has overtaken, nor of a breach that was taken back before
    anybody heard of it, nor then that it was taken back.
    """
    if alert.kind == "breached":
        return not Alert.objects.filter(key=get_counterpart_key(alert.key)).exists()
    if alert.kind == "retracted":
        return _has_notification(get_counterpart_key(alert.key), integration)
    return alert.clock.state == ClockStatus.RUNNING and alert.clock.due_at == alert.due_at


def _has_notification(key: str, integration: Integration) -> bool:
    """Whether an event told of that alert: one that was no news any more has its mark without an event."""
    told_at = Alert.objects.filter(key=key).values_list("told_at", flat=True).first()
    events = integration.events.filter(event_type=EVENT_TYPES_BY_KIND["breached"], at=told_at) if told_at else ()
    return any(key == issue["alert"] for event in events for issue in event.data["issues"])


def _can_wait(alert: Alert) -> bool:
    """A warning that is not critical waits for the working hours of whoever reads it."""
    return alert.kind == "warned" and alert.clock.severity != Severity.CRITICAL


def _build_issue_payload(alert: Alert, now: datetime) -> dict[str, Any]:
    """What an event and its mails say of one issue, as JSON."""
    clock, issue = alert.clock, alert.clock.issue
    return {
        "issue": str(issue.uuid),
        "name": f"{issue.watch.repository}#{issue.number}",
        "title": issue.title,
        "url": issue.url,
        "target_type": clock.target_type,
        "severity": clock.severity,
        "due": alert.due_at.isoformat(),
        "share": _get_used_share(alert, now),
        "last_commenter_role": issue.last_commenter_role,
        "alert": alert.key,
        "why": _get_retraction_reason(alert) if alert.kind == "retracted" else "",
    }


def _get_used_share(alert: Alert, now: datetime) -> int:
    """How much of the time is used: less than the warning's share where that was foreseen."""
    clock = alert.clock
    if alert.kind != "warned" or clock.state != ClockStatus.RUNNING or clock.due_at != alert.due_at:
        return alert.share
    return min(alert.share, calculate_usage(clock, get_calendar(clock.issue), now).per_cent)


def _get_retraction_reason(alert: Alert) -> str:
    """Why a breach was taken back."""
    breaches = SlaBreach.objects.filter(clock_id=alert.clock_id, due_at=alert.due_at)
    return breaches.values_list("retracted_why", flat=True).first() or ""
