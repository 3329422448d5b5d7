"""What is promised about an issue, and how are its labels read? As of its opening, and never changed afterwards."""

from dataclasses import dataclass
from datetime import datetime

from integrations.partners.models import CalendarEdition
from integrations.programs.registry import edition_of
from integrations.sla.engine.types import Policy
from integrations.sla.models import Issue, SupportPolicy
from integrations.submissions.models import Integration
from portal.audit.models import Event
from portal.core.business_time import Calendar

# What repositories commonly call it, in lower case: read so until the partner proposes a map of its own.
CRITICAL_LABELS = frozenset(
    {
        "blocker", "bug: critical", "bug/critical", "crash", "critical", "critical bug", "impact: critical", "p0",
        "panic", "priority/critical", "priority: critical", "priority/critical-urgent", "priority/p0", "priority: p0",
        "regression: critical", "security", "sev-1", "sev1", "sev:1", "severity 1", "severity/1", "severity/critical",
        "severity: critical", "type: critical", "urgent", "vulnerability",
    }
)  # fmt: skip
PAUSE_LABELS = frozenset(
    {
        "awaiting response", "awaiting-response", "info needed", "info-needed", "more-information-needed",
        "needs info", "needs more info", "needs-info", "needs-more-info", "needs information", "needs reproduction",
        "needs-reproduction", "status: waiting on reporter", "triage/needs-information", "waiting for reporter",
        "waiting for response", "waiting-for-response", "waiting-on-reporter", "waiting-response",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class InForce:
    """What counts for issues opened at a moment: a program's edition, a policy and a calendar; None: the defaults."""

    edition: str
    policy: SupportPolicy | None
    calendar: CalendarEdition | None


def in_force(integration: Integration, at: datetime) -> InForce:
    """What counted at a moment, whatever has been changed since."""
    return InForce(
        edition_at(integration, at),
        integration.support_policies.filter(state=SupportPolicy.State.ACCEPTED, valid_from__lte=at)
        .order_by("valid_from", "pk")
        .last(),
        integration.partner.calendars.in_force(at),
    )


def edition_at(integration: Integration, at: datetime) -> str:
    """The program's edition that the integration stood under at a moment."""
    moves = Event.objects.filter(integration=integration, verb="edition_moved", at__gt=at)
    first = moves.order_by("seq").first()
    return str(first.data["was"]) if first else integration.edition_date


def policy_of(issue: Issue) -> Policy:
    """The policy that was fixed when the issue was opened, as the clock takes it."""
    edition = edition_of(issue.integration.program_key, issue.edition)
    row = issue.policy
    return Policy(
        sla=edition.sla,
        critical_labels=frozenset(row.critical_labels) if row else CRITICAL_LABELS,
        pause_labels=frozenset(row.pause_labels) if row else PAUSE_LABELS,
        team=frozenset(row.team) if row else frozenset(),
        edition=f"{issue.integration.program_key}@{issue.edition}",
        bots=frozenset(row.bots) if row else frozenset(),
        second_accounts={int(second): first for second, first in row.second_accounts.items()} if row else {},
    )


def calendar_of(issue: Issue) -> Calendar:
    """The calendar that was fixed when the issue was opened: Monday to Friday in UTC where the partner gave none."""
    return issue.calendar.calendar if issue.calendar else Calendar()
