"""Recipients of a report: readers with an account by role or subscription, and confirmed external addresses."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import QuerySet

from integrations.partners import permissions
from integrations.partners.models import Role
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.accounts.role_names import list_roles
from portal.core.periods import PeriodKind
from portal.reports.models import ExternalRecipient, Frequency, ReportSchedule, ReportSnapshot, ReportSubscription
from portal.reports.scopes import PROGRAMS_SCOPE, ReportScope, list_readers

FREQUENCY_KINDS = {
    Frequency.WEEKLY: PeriodKind.WEEK,
    Frequency.ONLY_WITH_PROBLEMS: PeriodKind.WEEK,
    Frequency.MONTHLY: PeriodKind.MONTH,
    Frequency.QUARTERLY: PeriodKind.QUARTER,
}


@dataclass(frozen=True, slots=True)
class Recipient:
    """Recipient of a report. `key` identifies it within the report, in email keys and forms."""

    key: str
    person: User | None
    frequency: Frequency
    external: ExternalRecipient | None = None

    @property
    def email(self) -> str:
        account = self.person or self.external
        return account.email if account else ""

    @property
    def name(self) -> str:
        return self.person.name if self.person else ""


def lock_report(scope: str) -> None:
    """Lock a report's log and emails until the end of the transaction."""
    # The events of a stream are numbered and chained (decision 0007), so writers have to take turns.
    ReportSnapshot.objects.filter(scope=scope).order_by("pk").select_for_update().first()


def list_recipients(report_scope: ReportScope) -> list[Recipient]:
    """Return everyone who can receive a report, including readers who never want it, but no address twice."""
    schedule = load_schedules([report_scope.key])[report_scope.key]
    frequencies = {
        subscription.user_id: Frequency(subscription.frequency)
        for subscription in ReportSubscription.objects.filter(scope=report_scope.key)
    }
    people = list_readers(report_scope)
    if report_scope.partner:
        permissions.load_memberships(people)
    readers = [
        Recipient(
            str(reader.pk), reader, frequencies.get(reader.pk) or get_default_frequency(report_scope, reader, schedule)
        )
        for reader in people
    ]
    addresses = {each.email.lower() for each in readers if each.frequency != Frequency.NEVER}
    return readers + [
        Recipient(f"external-{external.pk}", None, Frequency(external.frequency), external)
        # Managers enter these addresses, so nothing is sent before their owner agrees.
        for external in list_external_recipients(report_scope.key).exclude(confirmed_at=None)
        if external.email not in addresses
    ]


def list_external_recipients(scope: str) -> QuerySet[ExternalRecipient]:
    """Return the current recipients without an account, confirmed or not."""
    return ExternalRecipient.objects.filter(scope=scope, ended_at=None)


def load_schedules(scopes: Iterable[str]) -> dict[str, ReportSchedule]:
    """Return the schedule of each scope.

    By default, managers get the report of their program, and administrators get the report of all programs.
    """
    schedules = {
        scope: ReportSchedule(
            scope=scope, roles=["superuser" if scope == PROGRAMS_SCOPE else "manager"], zone=settings.REPORT_ZONE
        )
        for scope in scopes
    }
    return schedules | {each.scope: each for each in ReportSchedule.objects.filter(scope__in=schedules)}


def get_default_frequency(report_scope: ReportScope, reader: AnyUser, schedule: ReportSchedule) -> Frequency:
    """Return the frequency of a reader without a subscription, which follows from their role."""
    if report_scope.partner is not None:
        # Viewers can subscribe, but aren't responsible for the issues.
        is_included = permissions.get_role(report_scope.partner, reader) in (Role.OWNER, Role.EDITOR)
    else:
        is_included = has_role(reader, schedule.roles, report_scope.scope.program_key)
    return Frequency.WEEKLY if is_included else Frequency.NEVER


def has_role(user: AnyUser, roles: Collection[str], program: str) -> bool:
    """Return whether a user has one of the roles portal-wide or in the program, or in any program if it is blank."""
    pairs = [role.partition(":")[::2] for role in list_roles(user)] if user.is_authenticated else []
    return any(name in roles and (not limit or not program or limit == program) for name, limit in pairs)


def is_wanted(snapshot: ReportSnapshot, frequency: Frequency) -> bool:
    """Return whether a reader with this frequency receives the report."""
    totals = snapshot.figures["totals"]
    has_trouble = any(totals[name] for name in ("breached", "at_risk", "overdue", "data_incomplete"))
    # `NEVER` has no kind, so it matches no report.
    is_of_kind = FREQUENCY_KINDS.get(frequency) == snapshot.kind
    return is_of_kind and (has_trouble or frequency != Frequency.ONLY_WITH_PROBLEMS)
