"""Creation and delivery of weekly reports, including missed weeks.

The metrics of a scope are stored once, an hour after the end of the week. The same transaction creates the delivery and
the email of each reader, which waits for Monday morning in the reader's time zone.
"""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from integrations.partners import permissions
from integrations.partners.models import Role
from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.core.iso_weeks import IsoWeek, get_last_complete_week, get_program_zone, parse_week
from portal.core.site_urls import build_absolute_url
from portal.notifications import email as mail
from portal.reports import metrics, unsubscribe
from portal.reports.models import ReportDelivery, ReportSnapshot, ReportSubscription
from portal.reports.presenters import build_report_context
from portal.reports.scopes import PROGRAMS_SCOPE, ReportScope, build_partner_key, find_report_scope, list_readers

DELIVERY_TIME = time(8)
SETTLING_PERIOD = timedelta(hours=1)  # after the end of the week, until all repositories are synchronized
CATCH_UP_WEEKS = 4
MAX_DECISIONS = 5


def generate_due_reports(now: datetime | None = None) -> int:
    """Create and deliver due reports and return the number of queued emails."""
    now = now or timezone.now()
    return sum(
        _generate_report(report_scope, week, now)
        for week in list_due_weeks(now)
        for report_scope in list_due_scopes(week)
    )


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
    """Return the scopes of a week: all programs, subscribed programs, and partners with monitored repositories."""
    start, end = week.span(get_program_zone())
    monitored_repositories = MonitoredRepository.objects.filter(began_at__lt=end).exclude(ended_at__lt=start)
    partners = (
        monitored_repositories.order_by("integration__partner_id")
        .values_list("integration__partner_id", flat=True)
        .distinct()
    )
    keys = [PROGRAMS_SCOPE, *(build_partner_key(pk) for pk in partners)]
    subscriptions = ReportSubscription.objects.filter(scope__startswith="program:").exclude(
        frequency=ReportSubscription.Frequency.NEVER
    )
    keys += list(subscriptions.order_by("scope").values_list("scope", flat=True).distinct())
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
    """Create a report, deliver it to all readers once, and return the number of queued emails."""
    snapshot, is_new = get_or_create_snapshot(report_scope, week, now)
    if not is_new:
        return 0
    frequencies = {
        subscription.user_id: subscription.frequency
        for subscription in ReportSubscription.objects.filter(scope=report_scope.key)
    }
    readers = list_readers(report_scope)
    return sum(
        deliver_report(snapshot, reader, frequencies.get(reader.pk, get_default_frequency(report_scope, reader)), now)
        for reader in readers
    )


def get_default_frequency(report_scope: ReportScope, reader: AnyUser) -> str:
    """Return the frequency of a reader without a subscription. Viewers and reports of one program are opt-in."""
    if report_scope.partner is not None and permissions.get_role(report_scope.partner, reader) not in (
        Role.OWNER,
        Role.EDITOR,
    ):
        return ReportSubscription.Frequency.NEVER
    return (
        ReportSubscription.Frequency.NEVER
        if report_scope.key.startswith("program:")
        else ReportSubscription.Frequency.WEEKLY
    )


def calculate_delivery_time(reader: User, week: IsoWeek) -> datetime:
    """Return Monday morning in the reader's time zone, but not before the metrics are complete."""
    return max(
        datetime.combine(week.after.monday, DELIVERY_TIME, ZoneInfo(reader.zone)),
        week.span(get_program_zone())[1] + SETTLING_PERIOD,
    )


def is_wanted(snapshot: ReportSnapshot, frequency: str) -> bool:
    """Return whether a reader with this frequency receives the report."""
    totals = snapshot.figures["totals"]
    has_trouble = any(totals[name] for name in ("breached", "at_risk", "overdue", "data_incomplete"))
    return frequency == ReportSubscription.Frequency.WEEKLY or (
        frequency == ReportSubscription.Frequency.ONLY_WITH_PROBLEMS and has_trouble
    )


def list_decisions(scope: str, reader: User) -> list[tuple[str, str, str]]:
    """Return the name, action, and page of integrations in the scope that wait for the reader, by due date."""
    report_scope = find_report_scope(scope)
    if report_scope is None:
        return []
    rows = Integration.objects.filter(report_scope.scope.build_condition(""))
    if report_scope.partner is None:
        rows, page = rows.filter(responsible_party=ResponsibleParty.PROGRAM, reviewer=reader), "reviews:review"
    else:
        rows, page = rows.filter(responsible_party=ResponsibleParty.PARTNER), "submissions:detail"
    waiting = rows.exclude(next_action_code="").order_by(F("action_due_at").asc(nulls_last=True), "pk")
    return [(row.name, row.next_action_label, build_absolute_url(page, row.uuid)) for row in waiting[:MAX_DECISIONS]]


@transaction.atomic
def deliver_report(snapshot: ReportSnapshot, reader: User, frequency: str, now: datetime) -> int:
    """Deliver a report to a reader once and return the number of queued emails."""
    should_send = is_wanted(snapshot, frequency)
    _, is_new = ReportDelivery.objects.get_or_create(
        snapshot=snapshot, reader=reader.email, defaults={"created_at": now, "sent": should_send}
    )
    if not (is_new and should_send):
        return 0
    unsubscribe_url = unsubscribe.build_unsubscribe_url(reader, snapshot.scope)
    context = {
        "report": build_report_context(snapshot.figures),
        "page": build_absolute_url("reports:detail", snapshot.scope, snapshot.week),
        "csv": build_absolute_url("reports:detail_csv", snapshot.scope, snapshot.week),
        "decisions": list_decisions(snapshot.scope, reader),
        "stop": unsubscribe_url,
        "category": gettext("Weekly report"),
    }
    key = f"{unsubscribe.build_email_key_prefix(snapshot.scope)}{snapshot.week}:{reader.pk}"
    deliver_at = calculate_delivery_time(reader, parse_week(snapshot.week))
    email = mail.queue("report", key, reader, context, hold_until=deliver_at, unsubscribe=unsubscribe_url, now=now)
    return int(email is not None)
