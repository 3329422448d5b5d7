"""Delivery of deferrable warnings within each recipient's working hours.

The event is recorded when the first recipient is notified. The others get one email with all missed warnings at the
start of their day. Warnings about issues due before a recipient's next workday are sent before their day ends.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, QuerySet

from integrations.partners import permissions
from integrations.partners.models import PartnerCalendar
from integrations.partners.notices import get_address, localize_calendar
from integrations.sla.clock_records import list_records
from integrations.sla.engine.types import ClockStatus, Severity
from integrations.sla.models import Alert, SlaBreach, SlaClock
from integrations.sla.tasks import create_alert, list_warning_times
from integrations.submissions import notices
from integrations.submissions.models import Integration
from portal.audit import services
from portal.audit.models import AuditEvent
from portal.core.business_time import Calendar
from portal.core.value_types import JsonObject
from portal.core.working_hours import get_next_working_time, get_working_hours_end
from portal.jobs.batches import process_each
from portal.notifications.models import EmailMessage

EVENT_TYPE = "issue.warning_sent"
CLOSING_WINDOW = timedelta(hours=1)  # last part of a workday, in which early warnings are sent
MAX_WORKDAY_GAP = timedelta(days=12)  # longest possible gap between workdays, including holidays


def notify_recipients(integration: Integration, alerts: list[Alert], now: datetime) -> tuple[bool, datetime | None]:
    """Notify recipients who are working now, or for whom the next workday would be too late.

    Return whether anyone was notified, and when the next of the other recipients works, or None.
    """
    if not alerts:
        return False, None
    earliest_due_at = min(alert.due_at for alert in alerts)
    events = _get_events_by_alert(integration, alerts)
    partner_calendar = integration.partner.calendars.get_in_force(now)
    available_recipients = []
    absent_recipients = []
    for recipient in notices.list_both_teams(integration):
        missed_alerts = _list_missed_alerts(recipient, alerts, events)
        if not missed_alerts:
            continue
        opens_at = get_next_working_time(now, _get_recipient_calendar(recipient, integration, partner_calendar))
        if now < opens_at < earliest_due_at:
            absent_recipients.append((recipient, opens_at))
        else:
            available_recipients.append((recipient, missed_alerts))
    for recipient, missed_alerts in available_recipients:
        _send_missed_alerts(recipient, missed_alerts, events, now)
    new_alerts = [alert for alert in alerts if alert.key not in events]
    if available_recipients and new_alerts:
        issues = build_issue_payloads(new_alerts, now)
        later_names = [notices.get_recipient_key(recipient) for recipient, _ in absent_recipients]
        services.record_event(
            integration, EVENT_TYPE, actor=None, now=now, issues=issues, count=len(issues), later=later_names
        )
    return bool(available_recipients), min((opens_at for _, opens_at in absent_recipients), default=None)


def _get_events_by_alert(integration: Integration, alerts: Iterable[Alert]) -> dict[str, AuditEvent]:
    """Return the events of these alerts for the first recipients by alert key."""
    first_created_at = min(alert.created_at for alert in alerts)
    # Warnings about critical issues are sent to everyone immediately, so their events have no `later`.
    recent_events = integration.events.filter(
        event_type=EVENT_TYPE, at__gte=first_created_at, data__has_key="later"
    ).order_by("seq")
    return {issue["alert"]: event for event in recent_events for issue in event.data["issues"]}


def _list_missed_alerts(recipient: object, alerts: list[Alert], events: dict[str, AuditEvent]) -> list[Alert]:
    """Return the alerts since the last event for which the recipient has an email."""
    emails = EmailMessage.objects.filter(to=get_address(recipient), event__in=[event.pk for event in events.values()])
    last_event_seq = emails.order_by("-event__seq").values_list("event__seq", flat=True).first() or 0
    return [alert for alert in alerts if alert.key not in events or events[alert.key].seq > last_event_seq]


def _send_missed_alerts(recipient: object, alerts: list[Alert], events: dict[str, AuditEvent], now: datetime) -> None:
    """Send one email with the alerts that others already received."""
    known_alerts = [alert for alert in alerts if alert.key in events]
    if known_alerts:
        newest = max((events[alert.key] for alert in known_alerts), key=lambda event: event.seq)
        payloads = build_issue_payloads(known_alerts, now)
        issues = [issue | {"due": notices.parse_moment(issue["due"])} for issue in payloads]
        context = notices.build_context(newest) | {"issues": issues}
        notices.queue_email(newest, recipient, context)


def build_issue_payloads(alerts: list[Alert], now: datetime) -> list[JsonObject]:
    """Return the data of each alert's issue for the event and its emails, as JSON."""
    shares = _get_used_shares(alerts, now)
    return [_build_issue_payload(alert, shares.get(alert.key, alert.share)) for alert in alerts]


def _build_issue_payload(alert: Alert, share: int) -> JsonObject:
    clock = alert.clock
    issue = alert.clock.issue
    return {
        "issue": str(issue.uuid),
        "name": str(issue),
        "title": issue.title,
        "url": issue.url,
        "target_type": clock.target_type,
        "severity": issue.severity,
        "due": alert.due_at.isoformat(),
        "share": share,
        "last_commenter_role": issue.last_commenter_role,
        "alert": alert.key,
        "reason": _get_retraction_reason(alert) if alert.kind == "retracted" else "",
    }


def _get_used_shares(alerts: list[Alert], now: datetime) -> dict[str, int]:
    """Return the used share by alert key, which is below the warning's share if the warning was sent early."""
    running_warnings = [
        alert
        for alert in alerts
        if alert.kind == "warned" and alert.clock.state == ClockStatus.RUNNING and alert.clock.due_at == alert.due_at
    ]
    records = list_records(SlaClock.objects.filter(pk__in=[alert.clock_id for alert in running_warnings]), now)
    percents = {record.columns.pk: record.usage.percent for record in records}
    return {alert.key: min(alert.share, percents[alert.clock_id]) for alert in running_warnings}


def _get_retraction_reason(alert: Alert) -> str:
    """Return why the breach was retracted."""
    breaches = SlaBreach.objects.filter(clock_id=alert.clock_id, due_at=alert.due_at)
    return breaches.values_list("retraction_reason", flat=True).first() or ""


def create_early_warnings(now: datetime) -> int:
    """Create warnings that would come after a recipient's day for issues due before their next workday.

    These are sent before the day ends. Return the number of created warnings.
    """
    upcoming_clocks = SlaClock.objects.filter(
        is_committed=True,
        state=ClockStatus.RUNNING,
        severity=Severity.OTHER,
        monitored_repository__ended_at=None,
        next_at__gt=now,
        # At the due date, the clock is checked for a breach instead.
        next_at__lt=F("due_at"),
        next_at__gte=F("warn75_at"),
        due_at__lte=now + MAX_WORKDAY_GAP,
    )
    integrations = Integration.objects.filter(pk__in=upcoming_clocks.values("integration")).select_related("partner")

    def create_warnings(integration: Integration) -> int:
        clocks = upcoming_clocks.filter(integration=integration)
        return sum(
            _create_early_alert(clock, now) for clock in _iterate_clocks_before_closing(integration, clocks, now)
        )

    return process_each(integrations, create_warnings, "create early warnings of integration")


def _iterate_clocks_before_closing(
    integration: Integration, clocks: QuerySet[SlaClock], now: datetime
) -> Iterator[SlaClock]:
    """Yield the clocks with a warning and due date between a recipient's workdays."""
    partner_calendar = integration.partner.calendars.get_in_force(now)
    for recipient in notices.list_both_teams(integration):
        calendar = _get_recipient_calendar(recipient, integration, partner_calendar)
        closes_at = get_working_hours_end(now, calendar)
        if closes_at is not None and now >= closes_at - CLOSING_WINDOW:
            opens_at = get_next_working_time(closes_at, calendar)
            yield from clocks.filter(next_at__gte=closes_at, due_at__lte=opens_at)


def _get_recipient_calendar(
    recipient: Any, integration: Integration, partner_calendar: PartnerCalendar | None
) -> Calendar:
    """Return the workdays of the program or partner of an email recipient, in the recipient's time zone."""
    if isinstance(recipient, str) or permissions.can_act_for_program(integration, recipient):
        return localize_calendar(integration.edition.business_calendar, recipient)
    return localize_calendar(partner_calendar.calendar if partner_calendar else Calendar(), recipient)


def _create_early_alert(clock: SlaClock, now: datetime) -> bool:
    """Create the alert early. The later run uses the same key, so it is sent once."""
    share = next((level for level, warning_at in list_warning_times(clock) if warning_at == clock.next_at), 90)
    return create_alert(clock, "warned", share, now)
