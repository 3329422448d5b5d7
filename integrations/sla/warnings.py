"""Who hears of a warning that can wait, and when? Each reader within their own working hours, while it is still news.

A warning is an event when the first reader hears of it; the others get theirs when their day begins, all that came
meanwhile in one mail. What would come due before a reader works again is told before their day ends.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F
from django.utils import timezone

from integrations.partners.working_hours import hours_of
from integrations.sla.engine.types import Severity, Watching
from integrations.sla.models import Alert, Clock
from integrations.sla.tasks import alert_key, alert_row
from integrations.submissions import notices
from integrations.submissions.models import Integration
from portal.audit import services
from portal.audit.models import Event
from portal.core.office_hours import office_closes, office_opens
from portal.notifications.models import Email

VERB = "issues_warned"
AHEAD = timedelta(hours=1)  # before a reader's day ends: what comes due before their next one is told
FAR = timedelta(days=12)  # no working day is further away, holidays included
Said = Callable[[Alert], dict[str, Any]]


def tell(integration: Integration, alerts: list[Alert], said: Said, now: datetime) -> tuple[bool, datetime | None]:
    """Tell those who work now; what overtakes them before they work again is told to them at once.

    Returns whether anybody was told, and when the next of the others works, None where everybody has heard.
    `said`: an alert as events keep it.
    """
    if not alerts:
        return False, None
    soonest = min(alert.due_at for alert in alerts)
    events = _events_of(integration, alerts)
    readers = [(each, office_opens(now, hours_of(each, integration, now))) for each in notices.both(integration)]
    left = [(each, opens) for each, opens in readers if _missed(each, alerts, events)]
    away = [(each, opens) for each, opens in left if now < opens < soonest]
    here = [each for each, opens in left if not now < opens < soonest]
    for each in here:
        _catch_up(each, _missed(each, alerts, events), events, said)
    fresh = [alert for alert in alerts if alert.key not in events]
    if here and fresh:
        issues, later = [said(alert) for alert in fresh], [notices.name_of(each) for each, _ in away]
        services.record(integration, VERB, by=None, now=now, issues=issues, count=len(issues), later=later)
    return bool(here), min((opens for _, opens in away), default=None)


def _events_of(integration: Integration, alerts: Iterable[Alert]) -> dict[str, Event]:
    """The events that told of these alerts to the first readers, by the alert's key."""
    since = min(alert.created_at for alert in alerts)
    found = integration.events.filter(verb=VERB, at__gte=since, data__has_key="later").order_by("seq")
    return {issue["alert"]: event for event in found for issue in event.data["issues"]}


def _missed(reader: Any, alerts: list[Alert], events: dict[str, Event]) -> list[Alert]:
    """What a reader has not heard: all since the newest event of which they have a mail."""
    mine = Email.objects.filter(to=notices.address(reader), event__in=[event.pk for event in events.values()])
    heard = mine.order_by("-event__seq").values_list("event__seq", flat=True).first() or 0
    return [alert for alert in alerts if alert.key not in events or events[alert.key].seq > heard]


def _catch_up(reader: Any, missed: list[Alert], events: dict[str, Event], said: Said) -> None:
    """What others heard already, in one mail."""
    old = [alert for alert in missed if alert.key in events]
    if old:
        newest = max((events[alert.key] for alert in old), key=lambda event: event.seq)
        issues = [issue | {"due": notices.moment(issue["due"])} for issue in map(said, old)]
        told = notices.context_of(newest) | {"issues": issues}
        notices.queue(VERB, newest, reader, told, calendar="", undo_until=None)


def foresee_due(now: datetime | None = None) -> int:
    """Write the warnings that would come after a reader's day and whose issue is due before their next one.

    They are told before that day ends. Returns how many were written.
    """
    now = now or timezone.now()
    soon = Clock.objects.filter(
        promised=True, state=Watching.RUNNING, severity=Severity.OTHER, watch__ended_at=None,
        next_at__gt=now, next_at__lt=F("due_at"), next_at__gte=F("warn75_at"), due_at__lte=now + FAR,
    )  # fmt: skip
    rows = Integration.objects.filter(pk__in=soon.values("integration")).select_related("partner")
    done = 0
    for row in rows:
        spans = [span for each in notices.both(row) if (span := _night_after(each, row, now))]
        for closes, opens in spans:
            for clock in soon.filter(integration=row, next_at__gte=closes, due_at__lte=opens):
                done += _write(clock, now)
    return done


def _night_after(reader: Any, integration: Integration, now: datetime) -> tuple[datetime, datetime] | None:
    """From when a reader's day ends to when the next begins, in its last hour; else None."""
    calendar = hours_of(reader, integration, now)
    closes = office_closes(now, calendar)
    if closes is None or now < closes - AHEAD:
        return None
    return closes, office_opens(closes, calendar)


def _write(clock: Clock, now: datetime) -> int:
    """The alert that the sweep would write later: its key is the same, so that it is told once."""
    warned = ((50, clock.warn50_at), (75, clock.warn75_at), (90, clock.warn90_at))
    share = next((level for level, at in warned if at == clock.next_at), 90)
    _, is_new = Alert.objects.get_or_create(
        key=alert_key(clock, "warned", share), defaults=alert_row(clock, "warned", share, now)
    )
    return int(is_new)
