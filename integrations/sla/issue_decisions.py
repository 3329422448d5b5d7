"""Decisions of the program and requests of the partner about an issue: permissions, conditions, and texts.

Before a decision, pages show its effect on the clocks and on the weekly report.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from django.db import transaction
from django.utils.translation import gettext

from integrations.partners import permissions
from integrations.partners.permissions import PermissionRule
from integrations.sla.engine.types import IssueState
from integrations.sla.formatting import format_percent
from integrations.sla.metrics import MetricsScope, Totals, get_metrics
from integrations.sla.models import SlaBreach, SlaClock, SupportIssue
from integrations.sla.presenters import TARGET_TYPE_LABELS
from integrations.sla.services import disputes, monitoring
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.core.content_files import Content, load_section
from portal.core.errors import ActionRefused
from portal.core.periods import Period, PeriodKind, get_period, get_program_zone
from portal.ui.components.moments import when

# Conditions decide what a page offers. The services check them again under the lock.
Condition = Callable[[SupportIssue, IssueState, Sequence[SlaBreach]], bool]


class DecisionTexts(Content):
    """Texts of a decision in its content file. `summary` describes it in the API reference."""

    icon: str
    label: str
    explanation: str
    success_message: str
    summary: str
    heading: str = ""
    submit_label: str = ""


TEXTS = load_section("integrations/sla/content/issue_decisions.yaml", "decisions", dict[str, DecisionTexts])


@dataclass(frozen=True, slots=True)
class IssueDecision:
    """A decision or request. Its name is that of the service function."""

    perform: Callable[..., object]
    permission: PermissionRule
    is_possible: Condition

    @property
    def texts(self) -> DecisionTexts:
        return TEXTS[self.name]

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
    ),
    IssueDecision(
        disputes.correct_severity,
        permissions.can_decide,
        lambda issue, state, breaches: bool(issue.disputed) and state.severity == "critical" and state.is_covered,
    ),
    IssueDecision(disputes.waive_breach, permissions.can_decide, _is_breach_disputed),
    IssueDecision(
        disputes.lower_severity,
        permissions.can_decide,
        # No target applies to an excluded issue, so its severity changes nothing.
        lambda issue, state, breaches: state.severity == "critical" and state.is_covered,
    ),
    IssueDecision(disputes.exclude_issue, permissions.can_decide, lambda issue, state, breaches: state.is_covered),
    IssueDecision(
        disputes.request_lower_severity,
        permissions.can_edit,
        # A second request would hide the reason and the age of the first one.
        lambda issue, state, breaches: not issue.disputed and state.severity == "critical" and state.is_covered,
    ),
    IssueDecision(
        disputes.dispute_breach,
        permissions.can_edit,
        lambda issue, state, breaches: (
            issue.disputed != "breach" and any(not breach.retracted_at for breach in breaches)
        ),
    ),
    IssueDecision(
        disputes.dismiss_dispute, permissions.can_decide, lambda issue, state, breaches: bool(issue.disputed)
    ),
)
# Decisions of the program. During a dispute, the issue page links to the dispute page, which shows their effects.
DISPUTE_DECISIONS = {each.name: each for each in DECISIONS if each.permission is permissions.can_decide}


@dataclass(frozen=True, slots=True)
class ClockOutcome:
    """Due date of a clock, None without one, and whether a breach of it counts."""

    due_at: datetime | None
    is_breached: bool


@dataclass(frozen=True, slots=True)
class ClockEffect:
    """Clock before and after a decision."""

    target_type: str
    before: ClockOutcome
    after: ClockOutcome


@dataclass(frozen=True, slots=True)
class DecisionEffect:
    """Effect of the decision named `outcome` on the clocks and on the partner's figures of the week of the due date."""

    outcome: str
    clocks: list[ClockEffect]
    week: Period
    before: Totals
    after: Totals


DecisionPreview: TypeAlias = tuple[IssueDecision, DecisionEffect | None]


def lock_for_preview(issue: SupportIssue) -> bool:
    """Lock the rows that decisions lock, in the same order and without waiting. Return whether both are locked."""
    # A page must not hang until another decision or a poll ends, so it shows no effect instead.
    integrations = Integration.objects.select_for_update(skip_locked=True, of=("self",), no_key=True)
    is_locked = integrations.filter(pk=issue.integration_id).first() is not None
    return is_locked and monitoring.lock_repository(issue.monitored_repository_id) is not None


def preview_decision(
    decision: IssueDecision, issue: SupportIssue, *, actor: User, now: datetime
) -> DecisionEffect | None:
    """Return the effect of a decision by performing it and rolling it back. None if it is refused.

    A sent report doesn't change; the figures are those of the same week if the report were created now.
    """
    clocks_before = _read_clocks(issue)
    week = _find_week(issue, now)
    totals_before = _read_totals(issue, week, now)
    try:
        # The decision itself is performed, so that its effect can't differ from what was shown.
        with transaction.atomic():
            decision.perform(issue, "-", actor=actor, now=now)
            clocks_after = _read_clocks(issue)
            totals_after = _read_totals(issue, week, now)
            transaction.set_rollback(True)
    except ActionRefused:
        return None
    effects = [ClockEffect(key, before, clocks_after[key]) for key, before in clocks_before.items()]
    return DecisionEffect(decision.name, effects, week, totals_before, totals_after)


def _read_clocks(issue: SupportIssue) -> dict[str, ClockOutcome]:
    breached = set(SlaBreach.objects.filter(issue=issue, retracted_at=None).values_list("clock_id", flat=True))
    # First the response, then the resolution.
    clocks = SlaClock.objects.filter(issue=issue).order_by("-target_type")
    return {
        clock.target_type: ClockOutcome(clock.due_at if clock.is_committed else None, clock.pk in breached)
        for clock in clocks
    }


def _find_week(issue: SupportIssue, now: datetime) -> Period:
    """Return the week of the last breach, or else of the first due date, or the current one."""
    breach = SlaBreach.objects.filter(issue=issue, retracted_at=None).first()
    clock = SlaClock.objects.filter(issue=issue, is_committed=True, due_at__isnull=False).order_by("due_at").first()
    due_at = (breach.due_at if breach else None) or (clock.due_at if clock else None) or now
    return get_period(PeriodKind.WEEK, due_at.astimezone(get_program_zone()).date())


def _read_totals(issue: SupportIssue, week: Period, now: datetime) -> Totals:
    start, end = week.get_bounds(get_program_zone())
    return get_metrics(MetricsScope(partner_id=issue.integration.partner_id), start, end, min(now, end))


def list_changes(effect: DecisionEffect, now: datetime) -> list[tuple[str, str, str]]:
    """List what a decision changes: a clock or the week's share on time, each with its values before and after."""
    rows: list[tuple[str, str, str]] = []
    for clock in effect.clocks:
        target_type = gettext(TARGET_TYPE_LABELS[clock.target_type])
        # A waiver retracts the breach, too, but the breach stays visible, so "no breach" would be misleading.
        is_waived = clock.before.is_breached and effect.outcome == "waive_breach"
        breach_before, breach_after = (
            gettext("breached") if state.is_breached else gettext("waived") if is_waived else gettext("no breach")
            for state in (clock.before, clock.after)
        )
        due_before, due_after = (
            when(state.due_at, now=now) if state.due_at else gettext("no due date")
            for state in (clock.before, clock.after)
        )
        rows.append((target_type, breach_before, breach_after))
        rows.append((gettext("%(target)s due") % {"target": target_type}, due_before, due_after))
    share_before = format_percent(effect.before.share)
    share_after = format_percent(effect.after.share)
    rows.append((gettext("On time in %(week)s") % {"week": effect.week}, share_before, share_after))
    return [(label, before, after) for label, before, after in rows if before != after]
