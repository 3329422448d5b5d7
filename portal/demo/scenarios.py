"""Scenarios of the demo world, which run after an integration has reached its stage."""

from collections.abc import Callable
from datetime import timedelta

from django.utils import timezone

from integrations.programs.requirements import RequirementKind
from integrations.reviews.services import claims
from integrations.submissions.models import Finding
from integrations.submissions.selectors import context
from integrations.submissions.services import findings, waivers
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import ResponsibleParty, Status
from portal.accounts.models import User
from portal.demo.answers import (
    DemoContext,
    fulfill_requirement,
    fulfill_requirements,
    propose_meeting,
    run_requirement_checks,
    sign_agreement_for,
)
from portal.demo.checks import run_checks
from portal.demo.content import WORLD
from verification.checks.services.runner import list_checked_requirements


def run_scenario(name: str, demo: DemoContext) -> None:
    """Run a scenario of world.yaml: a function, or transitions."""
    if name in SCENARIOS:
        SCENARIOS[name](demo)
        return
    # the reviewer who issues a notice can't decide on the suspension
    other_reviewers = User.objects.filter(is_reviewer=True).exclude(pk=demo.reviewer.pk).order_by("pk")
    people = {"owner": demo.owner, "reviewer": demo.reviewer, "other_reviewer": other_reviewers[0]}
    for transition in WORLD.transitions[name]:
        demo.shift(days=-transition.days_ago).perform(transition.name, people[transition.actor], transition.note)


def start_integration(demo: DemoContext) -> None:
    """Complete the first two requirements, and the step if it has no others."""
    demo = fulfill_requirements(demo, demo.list_missing()[:2]).refresh()
    if not demo.list_missing():
        demo.perform_next_transition()
    question = "Which of the sample providers is closest to an API like ours?"
    findings.post_message(demo.integration, question, actor=demo.owner, now=demo.now)


def request_changes(demo: DemoContext) -> None:
    """Request changes with two findings, of which the partner answers one."""
    integration = demo.integration
    reviewer = demo.reviewer
    now = demo.now
    claims.claim_review(integration, actor=reviewer, now=now)
    ids = [requirement.id for requirement in integration.edition.list_requirements()]
    text = "Show a failed run in addition to a passed run."
    first = findings.raise_finding(integration, ids[2], text, actor=reviewer, now=now)
    findings.raise_finding(integration, ids[-2], "Document the supported run stages.", actor=reviewer, now=now)
    question = "Ask Kim if the callback limits have changed."
    findings.post_message(integration, question, actor=reviewer, now=now, is_internal=True)
    demo.perform("request_changes", reviewer, "Two minor changes.")
    answered_at = now + timedelta(hours=2)
    findings.answer_finding(first, "The new recording shows both runs.", actor=demo.owner, now=answered_at)


def start_second_round(demo: DemoContext) -> None:
    """Request changes, answer all findings, and resubmit."""
    request_changes(demo.shift(days=-3))
    demo = demo.shift(days=-1)
    finding = Finding.objects.get(integration=demo.integration, state="open")
    findings.answer_finding(finding, "Documented in the new release.", actor=demo.owner, now=demo.now)
    demo = demo.refresh()
    for requirement in demo.list_missing():
        if context.get_responsible_party(requirement, demo.integration) == ResponsibleParty.PARTNER:
            demo = fulfill_requirement(demo, requirement)
    demo.perform("resubmit_for_review", demo.owner)


def waive_requirement(demo: DemoContext) -> None:
    """Waive a requirement with a reason and an expiration date."""
    reason = "The plugin moves to a new repository this quarter."
    _waive(demo, demo.list_missing()[0].id, reason, days=60)


def waive_check(demo: DemoContext) -> None:
    """Waive the check that the newest release fails, with a reason and an expiration date."""
    checked_ids = {requirement.id for requirement in list_checked_requirements(demo.integration)}
    run_checks(demo.integration, checked_ids, demo.now)
    failed = demo.integration.fulfillments.filter(requirement_id__in=checked_ids, status=Status.FAIL).order_by("pk")[0]
    reason = "The next major version renames the files. A rename now would break pinned versions."
    _waive(demo.refresh(), failed.requirement_id, reason, days=120)


def _waive(demo: DemoContext, requirement_id: str, reason: str, *, days: int) -> None:
    expires_at = demo.now + timedelta(days=days)
    waivers.waive_requirement(
        demo.integration, requirement_id, reason=reason, expires_at=expires_at, actor=demo.reviewer, now=demo.now
    )


def propose_meeting_times(demo: DemoContext) -> None:
    """Propose meeting times that the partner has not answered."""
    claims.claim_review(demo.integration, actor=demo.reviewer, now=demo.now)
    today = timezone.now().replace(hour=15, minute=0, second=0, microsecond=0)
    times = tuple(today + timedelta(days=days, hours=hours) for days, hours in ((2, 0), (3, 2), (6, 0)))
    propose_meeting(demo, demo.list_missing(RequirementKind.MEETING)[0], times)


def sign_agreement(demo: DemoContext) -> None:
    """Sign the agreement for the partner only."""
    sign_agreement_for(demo, demo.list_missing(RequirementKind.AGREEMENT)[0], demo.owner)


def fail_checks(demo: DemoContext) -> None:
    """Run the checks of a repository without a license and a release."""
    for requirement in demo.list_missing(RequirementKind.CHECK):
        run_requirement_checks(demo, requirement)


def approve(demo: DemoContext) -> None:
    """Approve the integration so recently that the decision can still be undone."""
    fulfill_requirements(demo.shift(hours=-12), demo.list_missing())
    demo = demo.refresh()
    claims.claim_review(demo.integration, actor=demo.reviewer, now=demo.now)
    demo.perform("approve", demo.reviewer)


def request_premier_tier(demo: DemoContext) -> None:
    """Complete the requirements of the higher tier and request the tier."""
    tier = next(tier for tier in demo.integration.edition.tiers if tier.on_request)
    demo = fulfill_requirements(demo, tier.requirements)
    perform_transition(demo.integration, "request_tier", actor=demo.owner, tier=tier.key, now=demo.now)


SCENARIOS: dict[str, Callable[[DemoContext], None]] = {
    "started": start_integration,
    "changes requested": request_changes,
    "second round": start_second_round,
    "requirement waived": waive_requirement,
    "meeting proposed": propose_meeting_times,
    "agreement signed": sign_agreement,
    "checks failed": fail_checks,
    "approved": approve,
    "premier tier requested": request_premier_tier,
    "check waived": waive_check,
}
