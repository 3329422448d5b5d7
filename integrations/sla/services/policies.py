"""SLA policy and calendar of an issue, fixed at its opening."""

from dataclasses import dataclass
from datetime import datetime

from integrations.partners.models import PartnerCalendar
from integrations.programs.registry import get_edition
from integrations.sla.engine.types import SlaPolicy
from integrations.sla.models import LabelPolicy, SupportIssue
from integrations.submissions.models import Integration
from portal.audit.models import AuditEvent
from portal.core.business_time import Calendar

# Common labels in lower case, used until the partner proposes its own label policy
CRITICAL_LABELS = frozenset(
    {
        "blocker",
        "bug: critical",
        "bug/critical",
        "crash",
        "critical",
        "critical bug",
        "impact: critical",
        "p0",
        "panic",
        "priority/critical",
        "priority: critical",
        "priority/critical-urgent",
        "priority/p0",
        "priority: p0",
        "regression: critical",
        "security",
        "sev-1",
        "sev1",
        "sev:1",
        "severity 1",
        "severity/1",
        "severity/critical",
        "severity: critical",
        "type: critical",
        "urgent",
        "vulnerability",
    }
)
PAUSE_LABELS = frozenset(
    {
        "awaiting response",
        "awaiting-response",
        "info needed",
        "info-needed",
        "more-information-needed",
        "needs info",
        "needs more info",
        "needs-info",
        "needs-more-info",
        "needs information",
        "needs reproduction",
        "needs-reproduction",
        "status: waiting on reporter",
        "triage/needs-information",
        "waiting for reporter",
        "waiting for response",
        "waiting-for-response",
        "waiting-on-reporter",
        "waiting-response",
    }
)


@dataclass(frozen=True, slots=True)
class PolicySnapshot:
    """Program edition, label policy, and calendar at one time. None means the defaults."""

    edition: str
    policy: LabelPolicy | None
    calendar: PartnerCalendar | None


def get_policy_snapshot(integration: Integration, moment: datetime) -> PolicySnapshot:
    """Return the edition, policy, and calendar that applied at a time."""
    return PolicySnapshot(
        get_edition_date(integration, moment),
        integration.label_policies.filter(state=LabelPolicy.State.ACCEPTED, valid_from__lte=moment)
        .order_by("valid_from", "pk")
        .last(),
        integration.partner.calendars.in_force(moment),
    )


def get_edition_date(integration: Integration, moment: datetime) -> str:
    """Return the program edition that applied to the integration at a time."""
    edition_changes = AuditEvent.objects.filter(
        integration=integration, event_type="integration.edition_moved", at__gt=moment
    )
    next_change = edition_changes.order_by("seq").first()
    return str(next_change.data["was"]) if next_change else integration.edition_date


def get_sla_policy(issue: SupportIssue) -> SlaPolicy:
    """Return the policy fixed at the issue's opening, in the form that the engine uses."""
    edition = get_edition(issue.integration.program_key, issue.edition)
    label_policy = issue.policy
    return SlaPolicy(
        sla=edition.sla,
        critical_labels=frozenset(label_policy.critical_labels) if label_policy else CRITICAL_LABELS,
        pause_labels=frozenset(label_policy.pause_labels) if label_policy else PAUSE_LABELS,
        team=frozenset(label_policy.team) if label_policy else frozenset(),
        edition=f"{issue.integration.program_key}@{issue.edition}",
        bots=frozenset(label_policy.bots) if label_policy else frozenset(),
        second_accounts={int(second): first for second, first in label_policy.second_accounts.items()}
        if label_policy
        else {},
    )


def get_calendar(issue: SupportIssue) -> Calendar:
    """Return the calendar fixed at the issue's opening. Default: Monday to Friday in UTC."""
    return issue.calendar.calendar if issue.calendar else Calendar()
