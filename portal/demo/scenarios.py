"""Scenarios of the demo world, which run after an integration has reached its stage."""

from collections.abc import Callable
from datetime import timedelta

from django.utils import timezone

from integrations.programs.requirements import RequirementKind
from integrations.reviews.services import claims
from integrations.submissions.models import Finding
from integrations.submissions.selectors import context
from integrations.submissions.services import findings, requirements, waivers
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import ResponsibleParty, Status
from portal.accounts.models import User
from portal.core.value_types import JsonObject
from portal.demo.answers import (
    DemoActors,
    fulfill_requirement,
    propose_meeting,
    record_failing_check,
    sign_agreement_for,
)
from portal.demo.content import WORLD


def run_scenario(name: str, actors: DemoActors) -> None:
    """Run a scenario of world.yaml: a function, or transitions."""
    if name in SCENARIOS:
        SCENARIOS[name](actors)
        return
    # the reviewer who issues a notice can't decide on the suspension
    other_reviewers = User.objects.filter(is_reviewer=True).exclude(pk=actors.reviewer.pk).order_by("pk")
    people = {"owner": actors.owner, "reviewer": actors.reviewer, "other_reviewer": other_reviewers[0]}
    for transition in WORLD.transitions[name]:
        actors.shift(days=-transition.days_ago).perform(transition.name, people[transition.actor], transition.note)


def start_integration(actors: DemoActors) -> None:
    """Complete the first two requirements."""
    for requirement in actors.list_missing()[:2]:
        fulfill_requirement(actors, requirement)
    question = "Which of the sample providers is closest to an API like ours?"
    findings.post_message(actors.integration, question, actor=actors.owner, now=actors.now)


def request_changes(actors: DemoActors) -> None:
    """Request changes with two findings, of which the partner answers one."""
    integration, reviewer, now = actors.integration, actors.reviewer, actors.now
    claims.claim_review(integration, actor=reviewer, now=now)
    ids = [requirement.id for requirement in integration.edition.requirements()]
    text = "Show a failed run in addition to a passed run."
    first = findings.raise_finding(integration, ids[2], text, actor=reviewer, now=now)
    findings.raise_finding(integration, ids[-2], "Document the supported run stages.", actor=reviewer, now=now)
    question = "Ask Kim if the callback limits have changed."
    findings.post_message(integration, question, actor=reviewer, now=now, is_internal=True)
    actors.perform("request_changes", reviewer, "Two minor changes.")
    answered_at = now + timedelta(hours=2)
    findings.answer_finding(first, "The new recording shows both runs.", actor=actors.owner, now=answered_at)


def start_second_round(actors: DemoActors) -> None:
    """Request changes, answer all findings, and resubmit."""
    request_changes(actors.shift(days=-3))
    actors = actors.shift(days=-1)
    finding = Finding.objects.get(integration=actors.integration, state="open")
    findings.answer_finding(finding, "Documented in the new release.", actor=actors.owner, now=actors.now)
    actors = actors.refresh()
    for requirement in actors.list_missing():
        if context.get_responsible_party(requirement, actors.integration) == ResponsibleParty.PARTNER:
            fulfill_requirement(actors, requirement)
    actors.perform("resubmit_for_review", actors.owner)


def waive_requirement(actors: DemoActors) -> None:
    """Waive a requirement with a reason and an expiration date."""
    reason = "The plugin moves to a new repository this quarter."
    _waive(actors, actors.list_missing()[0].id, reason, days=60)


def waive_check(actors: DemoActors) -> None:
    """Fail a check and waive it with a reason and an expiration date."""
    edition_requirements = actors.integration.edition.requirements()
    checks = [each for each in edition_requirements if each.kind == RequirementKind.CHECK and not each.optional]
    check = next((each for each in checks if any(key.startswith("docs.") for key in each.checks)), checks[-1])
    result: JsonObject = {"summary": "Two files have unexpected names.", "detail": [], "retry_at": None}
    requirements.record_check_outcome(actors.integration, check.id, outcome=Status.FAIL, now=actors.now, **result)
    reason = "The next major version renames the files. A rename now would break pinned versions."
    _waive(actors, check.id, reason, days=120)


def _waive(actors: DemoActors, requirement_id: str, reason: str, *, days: int) -> None:
    expires_at = actors.now + timedelta(days=days)
    waivers.waive_requirement(
        actors.integration, requirement_id, reason=reason, expires_at=expires_at, actor=actors.reviewer, now=actors.now
    )


def propose_meeting_times(actors: DemoActors) -> None:
    """Propose meeting times that the partner has not answered."""
    claims.claim_review(actors.integration, actor=actors.reviewer, now=actors.now)
    today = timezone.now().replace(hour=15, minute=0, second=0, microsecond=0)
    times = tuple(today + timedelta(days=days, hours=hours) for days, hours in ((2, 0), (3, 2), (6, 0)))
    propose_meeting(actors, actors.list_missing(RequirementKind.MEETING)[0], times)


def sign_agreement(actors: DemoActors) -> None:
    """Sign the agreement for the partner only."""
    sign_agreement_for(actors, actors.list_missing(RequirementKind.AGREEMENT)[0], actors.owner)


def fail_checks(actors: DemoActors) -> None:
    """Record two failed checks."""
    for requirement in actors.list_missing(RequirementKind.CHECK)[:2]:
        record_failing_check(actors, requirement)


def approve(actors: DemoActors) -> None:
    """Approve the integration so recently that the decision can still be undone."""
    for requirement in actors.list_missing():
        fulfill_requirement(actors, requirement)
    actors = actors.refresh()
    claims.claim_review(actors.integration, actor=actors.reviewer, now=actors.now)
    actors.perform("approve", actors.reviewer)


def request_premier_tier(actors: DemoActors) -> None:
    """Complete the requirements of the higher tier and request the tier."""
    tier = next(tier for tier in actors.integration.edition.tiers if tier.on_request)
    for requirement in tier.requirements:
        fulfill_requirement(actors, requirement)
    perform_transition(actors.integration, "request_tier", actor=actors.owner, tier=tier.key, now=actors.now)


SCENARIOS: dict[str, Callable[[DemoActors], None]] = {
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
