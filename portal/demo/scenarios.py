"""Scenarios of the demo world, which run after an integration has reached its stage."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.utils import timezone

from integrations.programs.requirements import RequirementKind
from integrations.reviews.services import claims
from integrations.submissions.models import Finding, Integration
from integrations.submissions.selectors import context
from integrations.submissions.services import agreements, findings, meetings, waivers
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.models import User
from portal.demo.answers import fulfill_requirement, record_failing_check
from portal.demo.listings import COMPLIANCE_SCENARIOS


def start_integration(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Complete the first two requirements."""
    for requirement in context.list_missing_next(integration, now)[:2]:
        fulfill_requirement(integration, requirement, owner=owner, reviewer=reviewer, now=now)
    findings.post_message(
        integration, "Which of the sample providers is closest to an API like ours?", actor=owner, now=now
    )


def request_changes(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Request changes with two findings, of which the partner answers one."""
    claims.claim_review(integration, actor=reviewer, now=now)
    requirements = [r.id for r in integration.edition.requirements()]
    first = findings.raise_finding(
        integration, requirements[2], "Show a failed run in addition to a passed run.", actor=reviewer, now=now
    )
    findings.raise_finding(
        integration,
        requirements[-2],
        "Document the supported run stages.",
        actor=reviewer,
        now=now,
    )
    findings.post_message(
        integration, "Ask Kim if the callback limits have changed.", actor=reviewer, now=now, is_internal=True
    )
    perform_transition(integration, "request_changes", actor=reviewer, note="Two minor changes.", now=now)
    findings.answer_finding(first, "The new recording shows both runs.", actor=owner, now=now + timedelta(hours=2))


def start_second_round(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Request changes, answer all findings, and resubmit."""
    request_changes(integration, owner, reviewer, now - timedelta(days=3))
    open_finding = Finding.objects.filter(integration=integration, state="open").get()
    findings.answer_finding(open_finding, "Documented in the new release.", actor=owner, now=now - timedelta(days=1))
    integration = Integration.objects.select_related("partner").get(pk=integration.pk)
    for requirement in [
        r
        for r in context.list_missing_next(integration, now)
        if context.get_responsible_party(r, integration) == ResponsibleParty.PARTNER
    ]:
        fulfill_requirement(integration, requirement, owner=owner, reviewer=reviewer, now=now - timedelta(days=1))
    perform_transition(integration, "resubmit_for_review", actor=owner, now=now - timedelta(days=1))


def put_on_hold(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    perform_transition(
        integration, "put_on_hold", actor=reviewer, note="The upstream pull request waits for its maintainers.", now=now
    )


def waive_requirement(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Waive a requirement with a reason and an expiration date."""
    missing = context.list_missing_next(integration, now)[0]
    reason, expires_at = "The plugin moves to a new repository this quarter.", now + timedelta(days=60)
    waivers.waive_requirement(integration, missing.id, reason=reason, expires_at=expires_at, actor=reviewer, now=now)


def propose_meeting(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Propose meeting times that the partner has not answered."""
    claims.claim_review(integration, actor=reviewer, now=now)
    requirement = next(r for r in context.list_missing_next(integration, now) if r.kind == RequirementKind.MEETING)
    today = timezone.now().replace(hour=15, minute=0, second=0, microsecond=0)
    times = tuple(today + timedelta(days=days, hours=hours) for days, hours in ((2, 0), (3, 2), (6, 0)))
    meetings.propose_times(
        integration,
        requirement.id,
        meetings.MeetingProposal(times, "https://meet.example/review", 45),
        actor=reviewer,
        now=now,
    )


def sign_agreement(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Sign the agreement for the partner only."""
    requirement = next(r for r in context.list_missing_next(integration, now) if r.kind == RequirementKind.AGREEMENT)
    signature = agreements.AgreementSignature(owner.name, timezone.localdate(now))
    agreements.sign_agreement(integration, requirement.id, signature, version="2026-01", actor=owner, now=now)


def fail_checks(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Record two failed checks."""
    for requirement in [r for r in context.list_missing_next(integration, now) if r.kind == RequirementKind.CHECK][:2]:
        record_failing_check(integration, requirement, now)


def approve(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Approve the integration so recently that the decision can still be undone."""
    for requirement in context.list_missing_next(integration, now):
        fulfill_requirement(integration, requirement, owner=owner, reviewer=reviewer, now=now)
    integration = Integration.objects.select_related("partner").get(pk=integration.pk)
    claims.claim_review(integration, actor=reviewer, now=now)
    perform_transition(integration, "approve", actor=reviewer, now=now)


def archive(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    perform_transition(integration, "archive", actor=owner, note="Replaced by the built-in database engine.", now=now)


def withdraw(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    perform_transition(
        integration, "withdraw", actor=owner, note="We are building it together with another team.", now=now
    )


def request_premier_tier(integration: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Complete the requirements of the higher tier and request the tier."""
    tier = next(t for t in integration.edition.tiers if t.on_request)
    for requirement in tier.requirements:
        fulfill_requirement(integration, requirement, owner=owner, reviewer=reviewer, now=now)
    perform_transition(integration, "request_tier", actor=owner, tier=tier.key, now=now)


SCENARIOS: dict[str, Callable[[Integration, User, User, datetime], None]] = {
    "started": start_integration,
    "changes requested": request_changes,
    "second round": start_second_round,
    "on hold": put_on_hold,
    "requirement waived": waive_requirement,
    "meeting proposed": propose_meeting,
    "agreement signed": sign_agreement,
    "checks failed": fail_checks,
    "approved": approve,
    "archived": archive,
    "withdrawn": withdraw,
    "premier tier requested": request_premier_tier,
    **COMPLIANCE_SCENARIOS,
}
