"""Who hears of a warning that can wait, and when? Each reader within their own working hours, while it is still news.

A warning is an event when the first reader hears of it; the others get theirs when their day begins, all that came
meanwhile in one mail. What would come due before a reader works again is told before their day ends.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F
from django.utils import timezone

from integrations.partners.working_hours import get_reader_calendar
from integrations.sla.engine.types import ClockStatus, Severity
from integrations.sla.models import Alert, SlaClock
from integrations.sla.tasks import build_alert_fields, build_alert_key
from integrations.submissions import notices
from integrations.submissions.models import Integration
from portal.audit import services
from portal.audit.models import AuditEvent
from portal.core.office_hours import get_next_working_time, get_working_day_end
from portal.notifications.models import EmailMessage

EVENT_TYPE = "issues_warned"
CLOSING_WINDOW = timedelta(hours=1)  # before a reader's day ends: what comes due before their next one is told
MAX_WORKDAY_GAP = timedelta(days=12)  # no working day is further away, holidays included
AlertSerializer = Callable[[Alert], dict[str, Any]]


def notify_readers(
    integration: Integration, alerts: list[Alert], serialize_alert: AlertSerializer, now: datetime
) -> tuple[bool, datetime | None]:
    """Tell those who work now; what overtakes them before they work again is told to them at once.

    Returns whether anybody was told, and when the next of the others works, None where everybody has heard.
    `serialize_alert`: an alert as events keep it.
    """
    if not alerts:
        return False, None
    earliest_due_at = min(alert.due_at for alert in alerts)
    events = _get_events_by_alert(integration, alerts)
    readers = [
        (reader, get_next_working_time(now, get_reader_calendar(reader, integration, now)))
        for reader in notices.list_both_teams(integration)
    ]
    waiting_readers = [
        (reader, opens_at) for reader, opens_at in readers if _list_missed_alerts(reader, alerts, events)
    ]
    absent_readers = [(reader, opens_at) for reader, opens_at in waiting_readers if now < opens_at < earliest_due_at]
    available_readers = [reader for reader, opens_at in waiting_readers if not now < opens_at < earliest_due_at]
    for reader in available_readers:
        _send_missed_alerts(reader, _list_missed_alerts(reader, alerts, events), events, serialize_alert)
    new_alerts = [alert for alert in alerts if alert.key not in events]
    if available_readers and new_alerts:
        issues, later_names = (
            [serialize_alert(alert) for alert in new_alerts],
            [notices.get_recipient_key(reader) for reader, _ in absent_readers],
        )
        services.record_event(
            integration, EVENT_TYPE, actor=None, now=now, issues=issues, count=len(issues), later=later_names
        )
    return bool(available_readers), min((opens_at for _, opens_at in absent_readers), default=None)


def _get_events_by_alert(integration: Integration, alerts: Iterable[Alert]) -> dict[str, AuditEvent]:
    """The events that told of these alerts to the first readers, by the alert's key."""
    first_created_at = min(alert.created_at for alert in alerts)
    recent_events = integration.events.filter(
        event_type=EVENT_TYPE, at__gte=first_created_at, data__has_key="later"
    ).order_by("seq")
    return {issue["alert"]: event for event in recent_events for issue in event.data["issues"]}


def _list_missed_alerts(reader: Any, alerts: list[Alert], events: dict[str, AuditEvent]) -> list[Alert]:
    """What a reader has not heard: all since the newest event of which they have a mail."""
    emails = EmailMessage.objects.filter(
        to=notices.get_address(reader), event__in=[event.pk for event in events.values()]
    )
    last_event_seq = emails.order_by("-event__seq").values_list("event__seq", flat=True).first() or 0
    return [alert for alert in alerts if alert.key not in events or events[alert.key].seq > last_event_seq]


def _send_missed_alerts(
    reader: Any, alerts: list[Alert], events: dict[str, AuditEvent], serialize_alert: AlertSerializer
) -> None:
    """What others heard already, in one mail."""
    known_alerts = [alert for alert in alerts if alert.key in events]
    if known_alerts:
        newest = max((events[alert.key] for alert in known_alerts), key=lambda event: event.seq)
        issues = [issue | {"due": notices.parse_moment(issue["due"])} for issue in map(serialize_alert, known_alerts)]
        context = notices.build_context(newest) | {"issues": issues}
        notices.queue_email(EVENT_TYPE, newest, reader, context, calendar="", undo_until=None)


def create_early_warnings(now: datetime | None = None) -> int:
    """Write the warnings that would come after a reader's day and whose issue is due before their next one.

    They are told before that day ends. Returns how many were written.
    """
    now = now or timezone.now()
    upcoming_clocks = SlaClock.objects.filter(
        is_committed=True, state=ClockStatus.RUNNING, severity=Severity.OTHER, watch__ended_at=None,
        next_at__gt=now, next_at__lt=F("due_at"), next_at__gte=F("warn75_at"), due_at__lte=now + MAX_WORKDAY_GAP,
    )  # fmt: skip
    integrations = Integration.objects.filter(pk__in=upcoming_clocks.values("integration")).select_related("partner")
    created_count = 0
    for integration in integrations:
        periods = [
            period
            for reader in notices.list_both_teams(integration)
            if (period := _get_closed_period(reader, integration, now))
        ]
        for closes_at, opens_at in periods:
            for clock in upcoming_clocks.filter(integration=integration, next_at__gte=closes_at, due_at__lte=opens_at):
                created_count += _create_alert(clock, now)
    return created_count


def _get_closed_period(reader: Any, integration: Integration, now: datetime) -> tuple[datetime, datetime] | None:
    """From when a reader's day ends to when the next begins, in its last hour; else None."""
    calendar = get_reader_calendar(reader, integration, now)
    closes_at = get_working_day_end(now, calendar)
    if closes_at is None or now < closes_at - CLOSING_WINDOW:
        return None
    return closes_at, get_next_working_time(closes_at, calendar)


def _create_alert(clock: SlaClock, now: datetime) -> int:
    """The alert that the sweep would write later: its key is the same, so that it is told once."""
    warning_times = ((50, clock.warn50_at), (75, clock.warn75_at), (90, clock.warn90_at))
    share = next((level for level, warning_at in warning_times if warning_at == clock.next_at), 90)
    _, is_new = Alert.objects.get_or_create(
        key=build_alert_key(clock, "warned", share), defaults=build_alert_fields(clock, "warned", share, now)
    )
    return int(is_new)
