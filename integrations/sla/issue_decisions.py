"""Decisions of the program and requests of the partner about an issue: permissions, conditions, and form texts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from integrations.partners import permissions
from integrations.partners.permissions import PermissionRule
from integrations.sla.engine.types import IssueState
from integrations.sla.models import SlaBreach, SupportIssue
from integrations.sla.services import disputes

# Conditions decide what a page offers. The services check them again under the lock.
Condition = Callable[[SupportIssue, IssueState, Sequence[SlaBreach]], bool]


@dataclass(frozen=True, slots=True)
class IssueDecision:
    """A decision or request. Its name is that of the service function; `summary` describes it in the API reference."""

    perform: Callable[..., object]
    permission: PermissionRule
    is_possible: Condition
    icon: str
    label: Promise
    explanation: Promise
    success_message: Promise
    summary: str
    heading: Promise | str = ""
    submit_label: Promise | str = ""

    @property
    def name(self) -> str:
        return self.perform.__name__

    @property
    def slug(self) -> str:
        return self.name.replace("_", "-")

    @property
    def url_name(self) -> str:
        return f"sla:{self.name}"


def _is_breach_disputed(issue: SupportIssue, state: IssueState, breaches: Sequence[SlaBreach]) -> bool:
    return bool(issue.disputed) and any(not breach.retracted_at for breach in breaches)


DECISIONS = (
    IssueDecision(
        disputes.accept_dispute,
        permissions.can_decide,
        # In a dispute about the severity, this would retract the breach and leave the severity that caused it.
        lambda issue, state, breaches: issue.disputed == "breach" and _is_breach_disputed(issue, state, breaches),
        "check",
        _("Accept dispute"),
        _("The breach was recorded by mistake. We retract it. The due date and the clock stay as they are."),
        _("Dispute accepted. The breach is retracted."),
        "Accept a dispute: retract the breach. For reviewers.",
    ),
    IssueDecision(
        disputes.correct_severity,
        permissions.can_decide,
        lambda issue, state, breaches: bool(issue.disputed) and state.severity == "critical" and state.is_covered,
        "pencil",
        _("Correct severity"),
        _(
            "The issue was never critical. The standard target applies from the start, and breaches of the critical"
            " target are retracted."
        ),
        _("Severity corrected. The standard target applies from the start."),
        "Accept a dispute with a correction: the issue was never critical. For reviewers.",
    ),
    IssueDecision(
        disputes.waive_breach,
        permissions.can_decide,
        _is_breach_disputed,
        "shield-off",
        _("Waive breach"),
        _(
            "The target was missed for a reason that the partner isn't responsible for. The breach stays visible and"
            " doesn't count."
        ),
        _("Breach waived. It stays visible and doesn't count."),
        "Waive the breaches of a disputed issue, so that they don't count. For reviewers.",
    ),
    IssueDecision(
        disputes.lower_severity,
        permissions.can_decide,
        # No target applies to an excluded issue, so its severity changes nothing.
        lambda issue, state, breaches: state.severity == "critical" and state.is_covered,
        "arrow-down",
        _("Lower severity"),
        _("The standard target applies from now, or from the partner's request. Earlier breaches stay on record."),
        _("Severity lowered. The partner and the program can see the reason."),
        "Lower the severity of an issue. For reviewers.",
    ),
    IssueDecision(
        disputes.exclude_issue,
        permissions.can_decide,
        lambda issue, state, breaches: state.is_covered,
        "minus",
        _("Exclude issue"),
        _("Exclude spam and questions about other products. This permanently stops both clocks and retracts breaches."),
        _("Issue excluded. SLA targets no longer apply to it."),
        "Exclude an issue from the SLA. For reviewers.",
        heading=_("Exclude issue from the SLA"),
    ),
    IssueDecision(
        disputes.request_lower_severity,
        permissions.can_edit,
        # A second request would hide the reason and the age of the first one.
        lambda issue, state, breaches: not issue.disputed and state.severity == "critical" and state.is_covered,
        "send",
        _("Request lower severity"),
        _("The clock keeps running until the program decides. A lower severity applies from your request."),
        _("Request sent to the program. The clock keeps running until the program decides."),
        "Request a lower severity.",
        submit_label=_("Send request"),
    ),
    IssueDecision(
        disputes.dispute_breach,
        permissions.can_edit,
        lambda issue, state, breaches: (
            issue.disputed != "breach" and any(not breach.retracted_at for breach in breaches)
        ),
        "scale",
        _("Dispute breach"),
        _("Explain why the breach is wrong. The breach stays on record until the program decides."),
        _("Dispute sent to the program. The breach stays on record until the program decides."),
        "Dispute a breach.",
    ),
    IssueDecision(
        disputes.dismiss_dispute,
        permissions.can_decide,
        lambda issue, state, breaches: bool(issue.disputed),
        "minus",
        _("Dismiss dispute"),
        _("Clocks and breaches stay unchanged. The partner can see your reason."),
        _("Dispute dismissed. The partner and the program can see the reason."),
        "Dismiss a dispute. For reviewers.",
    ),
)
# Decisions of the program. During a dispute, the issue page links to the dispute page, which shows their effects.
DISPUTE_DECISIONS = {each.name: each for each in DECISIONS if each.permission is permissions.can_decide}
