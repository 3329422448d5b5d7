"""Creation and delivery of reports, including missed periods.

The metrics of a scope are stored once, an hour after the end of the period. The emails of a partner's report are
created then, and wait for the morning in the time zone of their reader. The emails of programs are created at the time
of their schedule. Weekly reports are sent on a day after the week, others on the first business day after the period.
"""

from datetime import date, datetime, time, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from integrations.programs.selectors import get_program_calendar
from integrations.sla.models import MonitoredRepository
from portal.accounts.models import User
from portal.core.business_time import Calendar
from portal.core.periods import Period, PeriodKind, get_last_complete_period, get_program_zone, parse_period
from portal.core.working_hours import get_next_working_time
from portal.jobs.batches import process_each
from portal.reports import metrics
from portal.reports.deliveries import deliver_report
from portal.reports.models import Frequency, ReportSchedule, ReportSnapshot, ReportSubscription
from portal.reports.recipients import list_recipients, load_schedules
from portal.reports.scopes import PROGRAMS_SCOPE, ReportScope, build_partner_key, find_report_scope
from portal.reports.summaries import is_empty

DELIVERY_TIME = time(8)
SETTLING_PERIOD = timedelta(hours=1)  # after the end of the period, until all repositories are synchronized
CATCH_UP_COUNTS = {PeriodKind.WEEK: 4, PeriodKind.MONTH: 2, PeriodKind.QUARTER: 1}
MAX_DELIVERY_DELAY = timedelta(weeks=2)  # an older report is not worth an email


def generate_due_reports(now: datetime) -> int:
    """Create and deliver due reports and return the number of queued emails."""
    periods = [period for kind in PeriodKind for period in list_due_periods(kind, now)]
    due_reports = ((report_scope, period) for period in periods for report_scope in list_due_scopes(period))
    try:
        process_each(due_reports, lambda report: bool(get_or_create_snapshot(*report, now)), "create report")
    finally:
        # Also if some reports can't be created, because the others have recipients too.
        email_count = deliver_due_reports(now)
    return email_count


def list_due_periods(kind: PeriodKind, now: datetime) -> list[Period]:
    """Return the last complete period of a kind and the missed ones before it up to its number, oldest first.

    The last reported period is included, because new scopes can be missing. The first report covers the last period.
    """
    # Before SETTLING_PERIOD ends, late webhooks and polls can still change the result of the period.
    last_period = get_last_complete_period(kind, now - SETTLING_PERIOD, get_program_zone())
    reports = ReportSnapshot.objects.filter(kind=kind, end_day__lte=last_period.end_day)
    last_reported = reports.order_by("-end_day").values_list("period", flat=True).first()
    periods = [last_period]
    while last_reported and len(periods) < CATCH_UP_COUNTS[kind] and periods[-1] > parse_period(last_reported):
        periods.append(periods[-1].previous)
    return periods[::-1]


def list_due_scopes(period: Period) -> list[ReportScope]:
    """Return the scopes that have no report of a period yet: all programs, and those with monitored repositories.

    Programs that someone subscribed to, or whose schedule includes empty reports, are included too.
    """
    start, end = period.get_bounds(get_program_zone())
    monitored_repositories = MonitoredRepository.objects.filter(began_at__lt=end).exclude(ended_at__lt=start)
    integrations = monitored_repositories.order_by().values_list(
        "integration__partner__slug", "integration__program_key"
    )
    pairs = sorted(integrations.distinct())
    subscribed = ReportSubscription.objects.filter(scope__startswith="program:").exclude(frequency=Frequency.NEVER)
    wanted_empty = ReportSchedule.objects.filter(scope__startswith="program:", skips_empty=False)
    scopes = subscribed.values_list("scope", flat=True).union(wanted_empty.values_list("scope", flat=True))
    programs = {f"program:{program}" for _, program in pairs} | set(scopes)
    partners = dict.fromkeys(build_partner_key(slug) for slug, _ in pairs)
    keys = [PROGRAMS_SCOPE, *partners, *sorted(programs)]
    existing = set(ReportSnapshot.objects.filter(scope__in=keys, period=str(period)).values_list("scope", flat=True))
    return [report_scope for key in keys if key not in existing and (report_scope := find_report_scope(key))]


def get_or_create_snapshot(report_scope: ReportScope, period: Period, now: datetime) -> ReportSnapshot:
    """Return the snapshot of a scope and period."""
    identity = {"scope": report_scope.key, "period": str(period)}
    if snapshot := ReportSnapshot.objects.filter(**identity).first():
        return snapshot
    figures = metrics.build_figures(report_scope, period, get_program_zone(), now)
    values = {"kind": period.kind, "end_day": period.end_day, "figures": figures, "created_at": now}
    return ReportSnapshot.objects.get_or_create(**identity, defaults=values)[0]


def deliver_due_reports(now: datetime) -> int:
    """Deliver the reports whose time has come, and return the number of queued emails."""
    waiting = ReportSnapshot.objects.filter(delivered_at=None, created_at__gt=now - MAX_DELIVERY_DELAY)
    keys = waiting.order_by("end_day", "kind", "scope").values_list("pk", flat=True)
    return process_each(list(keys), partial(_deliver_if_due, now=now), "deliver report")


def _deliver_if_due(pk: int, now: datetime) -> int:
    """Deliver a report of a partner, or one of a program whose scheduled time has come.

    If the process dies on the way, the next one continues: no recipient gets a second email.
    """
    snapshot = ReportSnapshot.objects.get(pk=pk)
    report_scope = find_report_scope(snapshot.scope)
    period = parse_period(snapshot.period)
    if report_scope is None:
        return 0
    get_hold_until = None
    is_skipped = False
    if report_scope.partner:
        calendar = report_scope.partner.calendars.get_in_force(now)
        get_hold_until = partial(calculate_delivery_time, period, calendar.calendar if calendar else Calendar())
    else:
        schedule = load_schedules([snapshot.scope])[snapshot.scope]
        if now < calculate_scheduled_time(period, schedule, report_scope.scope.program_key):
            return 0
        is_skipped = schedule.skips_empty and is_empty(snapshot.figures)
    recipients = [] if is_skipped else list_recipients(report_scope)
    count = deliver_report(snapshot, recipients, now, get_hold_until)
    # Last, so that after a crash the next run continues. The keys of the emails prevent duplicates.
    ReportSnapshot.objects.filter(pk=snapshot.pk).update(delivered_at=now)
    return count


def calculate_scheduled_time(period: Period, schedule: ReportSchedule, program: str) -> datetime:
    """Return when the report of a program, or of all if it is blank, is sent."""
    day = _find_delivery_day(period, get_program_calendar(program), schedule.weekday)
    return datetime.combine(day, time(schedule.hour), ZoneInfo(schedule.zone))


def calculate_delivery_time(period: Period, calendar: Calendar, reader: User) -> datetime:
    """Return the morning of the delivery day in the reader's zone, but not before the metrics are complete."""
    return max(
        datetime.combine(_find_delivery_day(period, calendar), DELIVERY_TIME, ZoneInfo(reader.zone)),
        period.get_bounds(get_program_zone())[1] + SETTLING_PERIOD,
    )


def _find_delivery_day(period: Period, calendar: Calendar, weekday: int = 0) -> date:
    """Return the weekday after a week, or the first business day after a month or quarter."""
    if period.kind == PeriodKind.WEEK:
        return period.end_day + timedelta(days=weekday)
    return get_next_working_time(datetime.combine(period.end_day, time(), calendar.zone), calendar).date()
