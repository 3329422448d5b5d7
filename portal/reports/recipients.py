"""Recipients of a report and how often they receive it."""

from dataclasses import dataclass

from integrations.partners import permissions
from integrations.partners.models import Role
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.reports.models import ReportSnapshot, ReportSubscription
from portal.reports.scopes import ReportScope, list_readers


@dataclass(frozen=True, slots=True)
class Recipient:
    """Recipient of a report. `key` identifies it within the report, in email keys and forms."""

    key: str
    person: User
    frequency: str


def list_recipients(report_scope: ReportScope) -> list[Recipient]:
    """Return everyone who can receive a report, including those who never want it."""
    frequencies = {
        subscription.user_id: subscription.frequency
        for subscription in ReportSubscription.objects.filter(scope=report_scope.key)
    }
    return [
        Recipient(str(reader.pk), reader, frequencies.get(reader.pk, "") or get_default_frequency(report_scope, reader))
        for reader in list_readers(report_scope)
    ]


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


def is_wanted(snapshot: ReportSnapshot, frequency: str) -> bool:
    """Return whether a reader with this frequency receives the report."""
    totals = snapshot.figures["totals"]
    has_trouble = any(totals[name] for name in ("breached", "at_risk", "overdue", "data_incomplete"))
    return frequency == ReportSubscription.Frequency.WEEKLY or (
        frequency == ReportSubscription.Frequency.ONLY_WITH_PROBLEMS and has_trouble
    )
