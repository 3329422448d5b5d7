"""Creation and delivery of weekly reports, including missed weeks.

The metrics of a scope are stored once, an hour after the end of the week. For a partner, the same transaction creates
the delivery and the email of each reader, which waits for Monday morning in the reader's time zone. The emails of
programs are created at the time of their schedule.
"""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils import timezone

from integrations.sla.models import MonitoredRepository
from portal.accounts.models import User
from portal.core.iso_weeks import IsoWeek, get_last_complete_week, get_program_zone, parse_week
from portal.reports import metrics
from portal.reports.deliveries import deliver_report
from portal.reports.models import ReportSnapshot, ReportSubscription
from portal.reports.recipients import list_recipients, load_schedules
from portal.reports.scopes import PROGRAMS_SCOPE, ReportScope, build_partner_key, find_report_scope
from portal.reports.summaries import is_empty

DELIVERY_TIME = time(8)
SETTLING_PERIOD = timedelta(hours=1)  # after the end of the week, until all repositories are synchronized
CATCH_UP_WEEKS = 4
MAX_DELIVERY_DELAY = timedelta(weeks=2)  # an older report is not worth an email


def generate_due_reports(now: datetime | None = None) -> int:
    """Create and deliver due reports and return the number of queued emails."""
    now = now or timezone.now()
    queued_count = sum(
        _generate_report(report_scope, week, now)
        for week in list_due_weeks(now)
        for report_scope in list_due_scopes(week)
    )
    return queued_count + deliver_scheduled_reports(now)


def list_due_weeks(now: datetime) -> list[IsoWeek]:
    """Return the last complete week and up to three missed weeks before it, oldest first.

    The last reported week is included, because new scopes can be missing. The first report covers the last week.
    """
    last_week = get_last_complete_week(now - SETTLING_PERIOD, get_program_zone())
    last_reported_week = (
        ReportSnapshot.objects.exclude(week__gt=str(last_week)).order_by("-week").values_list("week", flat=True).first()
    )
    weeks = [last_week]
    while last_reported_week and len(weeks) < CATCH_UP_WEEKS and weeks[-1] > parse_week(last_reported_week):
        weeks.append(weeks[-1].before)
    return weeks[::-1]


def list_due_scopes(week: IsoWeek) -> list[ReportScope]:
    """Return the scopes of a week: all programs, and programs and partners with monitored repositories.

    Programs that someone subscribed to are included too.
    """
    start, end = week.span(get_program_zone())
    monitored_repositories = MonitoredRepository.objects.filter(began_at__lt=end).exclude(ended_at__lt=start)
    integrations = monitored_repositories.order_by().values_list("integration__partner_id", "integration__program_key")
    pairs = sorted(integrations.distinct())
    subscribed = ReportSubscription.objects.filter(scope__startswith="program:").exclude(
        frequency=ReportSubscription.Frequency.NEVER
    )
    programs = {f"program:{program}" for _, program in pairs} | set(subscribed.values_list("scope", flat=True))
    partners = dict.fromkeys(build_partner_key(partner) for partner, _ in pairs)
    keys = [PROGRAMS_SCOPE, *partners, *sorted(programs)]
    return [report_scope for key in keys if (report_scope := find_report_scope(key))]


def get_or_create_snapshot(report_scope: ReportScope, week: IsoWeek, now: datetime) -> tuple[ReportSnapshot, bool]:
    """Return the snapshot of a scope and week, and whether it is new."""
    snapshot = ReportSnapshot.objects.filter(scope=report_scope.key, week=str(week)).first()
    if snapshot is not None:
        return snapshot, False
    figures = metrics.build_figures(report_scope, week, get_program_zone(), now)
    return ReportSnapshot.objects.get_or_create(
        scope=report_scope.key, week=str(week), defaults={"figures": figures, "created_at": now}
    )


@transaction.atomic
def _generate_report(report_scope: ReportScope, week: IsoWeek, now: datetime) -> int:
    """Create a report. Deliver that of a partner to all readers once, and return the number of queued emails."""
    snapshot, is_new = get_or_create_snapshot(report_scope, week, now)
    if not is_new or report_scope.partner is None:
        return 0
    ReportSnapshot.objects.filter(pk=snapshot.pk).update(delivered_at=now)
    return sum(
        deliver_report(snapshot, each, now, calculate_delivery_time(each.person, week))
        for each in list_recipients(report_scope)
        if each.person
    )


def deliver_scheduled_reports(now: datetime) -> int:
    """Deliver the reports of programs whose scheduled time has come, and return the number of queued emails."""
    waiting = ReportSnapshot.objects.filter(delivered_at=None, created_at__gt=now - MAX_DELIVERY_DELAY)
    return sum(_deliver_scheduled(pk, now) for pk in waiting.order_by("week", "scope").values_list("pk", flat=True))


@transaction.atomic
def _deliver_scheduled(pk: int, now: datetime) -> int:
    snapshot = ReportSnapshot.objects.select_for_update().get(pk=pk)
    report_scope = find_report_scope(snapshot.scope)
    schedule = load_schedules([snapshot.scope])[snapshot.scope]
    if (
        snapshot.delivered_at
        or report_scope is None
        or now < schedule.calculate_delivery_time(parse_week(snapshot.week))
    ):
        return 0
    snapshot.delivered_at = now
    snapshot.save(update_fields=["delivered_at"])
    if schedule.skips_empty and is_empty(snapshot.figures):
        return 0
    return sum(deliver_report(snapshot, each, now) for each in list_recipients(report_scope))


def calculate_delivery_time(reader: User, week: IsoWeek) -> datetime:
    """Return Monday morning in the reader's time zone, but not before the metrics are complete."""
    return max(
        datetime.combine(week.after.monday, DELIVERY_TIME, ZoneInfo(reader.zone)),
        week.span(get_program_zone())[1] + SETTLING_PERIOD,
    )
