"""Notifications about SLA warnings, breaches, and retractions.

Pending alerts of an integration become one event and one email per recipient. Event, emails, and the mark of the alert
are written in one transaction, so an interruption neither loses nor repeats a notification.
"""

from datetime import datetime, timedelta
from functools import partial

from django.db import InterfaceError, OperationalError, transaction

from integrations.sla import warnings
from integrations.sla.engine.types import ClockStatus, Severity
from integrations.sla.models import Alert
from integrations.sla.tasks import get_counterpart_key
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import lock_integration
from portal.audit import services
from portal.jobs.batches import process_each

MAX_ISSUES_PER_EMAIL = 200  # the rest follows in another email
RETRY_DELAY = timedelta(minutes=5)
EVENT_TYPES_BY_KIND = {
    "warned": "issue.warning_sent",
    "breached": "issue.breached",
    "retracted": "issue.breach_retracted",
}


def send_due_notifications(now: datetime, limit: int = 500) -> int:
    """Send all due alerts. Return the number of integrations with sent alerts."""
    pending_alerts = Alert.objects.filter(notified_at=None, not_before__lte=now).order_by("integration_id")
    integrations = list(pending_alerts.values_list("integration_id", flat=True).distinct()[:limit])
    return process_each(integrations, partial(_notify_or_postpone, now=now), "send alerts of integration")


def _notify_or_postpone(pk: int, now: datetime) -> bool:
    """Send the alerts of an integration. After an error, postpone them, so that they don't delay the others."""
    try:
        return notify_integration(pk, now)
    except (OperationalError, InterfaceError):
        raise  # after a database outage, the next run sends these alerts
    except Exception:
        Alert.objects.filter(integration_id=pk, notified_at=None, not_before__lte=now).update(
            not_before=now + RETRY_DELAY
        )
        raise


@transaction.atomic
def notify_integration(pk: int, now: datetime) -> bool:
    """Send the pending alerts of an integration: retractions, then breaches, then warnings."""
    integration = lock_integration(pk)
    pending_alerts = Alert.objects.filter(integration=integration, notified_at=None, not_before__lte=now)
    locked_alerts = pending_alerts.select_for_update(of=("self",)).select_related("clock__issue__monitored_repository")
    # In a fixed order, because the email and the history name the first issue.
    alerts = list(locked_alerts.order_by("due_at", "clock__issue__number", "pk")[:MAX_ISSUES_PER_EMAIL])
    relevant_alerts = [alert for alert in alerts if _is_still_relevant(alert, integration)]
    # Only warnings about issues that are not critical can wait for working hours.
    deferrable_alerts = [
        alert for alert in relevant_alerts if alert.kind == "warned" and alert.clock.severity != Severity.CRITICAL
    ]
    for kind in ("retracted", "breached", "warned"):
        alerts_of_kind = [alert for alert in relevant_alerts if alert.kind == kind and alert not in deferrable_alerts]
        if issues := warnings.build_issue_payloads(alerts_of_kind, now):
            services.record_event(
                integration, EVENT_TYPES_BY_KIND[kind], actor=None, now=now, issues=issues, count=len(issues)
            )
    has_notified, retry_at = warnings.notify_recipients(integration, deferrable_alerts, now)
    # Warnings stay pending until everyone who isn't working now has received them, too.
    waiting_pks = [alert.pk for alert in deferrable_alerts] if retry_at else []
    Alert.objects.filter(pk__in=waiting_pks).update(not_before=retry_at)
    updated_count = (
        Alert.objects.filter(pk__in=[alert.pk for alert in alerts]).exclude(pk__in=waiting_pks).update(notified_at=now)
    )
    return has_notified or bool(updated_count)


def _is_still_relevant(alert: Alert, integration: Integration) -> bool:
    """Return whether an alert is still relevant.

    A warning is obsolete after a reply, a breach, or the end of monitoring. A breach is obsolete if it was retracted
    before anyone was notified, and so is its retraction.
    """
    if alert.kind == "breached":
        return not Alert.objects.filter(key=get_counterpart_key(alert.key)).exists()
    if alert.kind == "retracted":
        return _has_notification(get_counterpart_key(alert.key), integration)
    is_monitored = alert.clock.issue.monitoring_ended_at is None
    return is_monitored and alert.clock.state == ClockStatus.RUNNING and alert.clock.due_at == alert.due_at


def _has_notification(key: str, integration: Integration) -> bool:
    """Return whether an event contains the alert. Obsolete alerts are marked without an event."""
    notified_at = Alert.objects.filter(key=key).values_list("notified_at", flat=True).first()
    events = (
        integration.events.filter(event_type=EVENT_TYPES_BY_KIND["breached"], at=notified_at) if notified_at else ()
    )
    return any(key == issue["alert"] for event in events for issue in event.data["issues"])
