"""Lifecycle of one past integration of the demo world: actions of its people with random waits between them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from math import exp
from random import Random

from integrations.programs.requirements import FulfillingParty, Requirement, RequirementKind
from integrations.programs.stages import Stage
from integrations.reviews.services import claims
from integrations.submissions.models import Finding, Integration
from integrations.submissions.selectors import context
from integrations.submissions.services import findings
from integrations.submissions.workflow.states import ReviewState
from portal.demo.answers import DemoContext, fulfill_requirement, hold_meeting
from portal.demo.checks import run_checks
from portal.demo.content import PAST

SPREAD = 0.42  # of the logarithm: the 90th percentile is 1.7 times the median
DAYS_PER_WORKING_DAY = 7 / 5
OUTAGE_SHARE = 0.1  # of the checks
# median working days until a party fulfills a requirement
REQUIREMENT_DAYS = {
    FulfillingParty.PARTNER: 0.8,
    FulfillingParty.PROGRAM: 0.5,
    FulfillingParty.BOTH: 2,
    FulfillingParty.MACHINE: 0.1,
}
Action = tuple[float, Callable[[], Iterator[datetime] | None]]


@dataclass
class PastLifecycle:
    """Lifecycle of an integration until it is in support or has ended.

    Attributes:
        decision_days: Median working days until a reviewer decides.
        rounds: Number of rounds of the review, if it isn't withdrawn or declined earlier.
        ending: The transition that ends it, or an empty string.
        ends_early: Whether it ends before its review.
    """

    random: Random
    demo: DemoContext
    decision_days: float
    rounds: int
    ending: str
    ends_early: bool

    def run(self, create: Callable[[], Integration]) -> Iterator[datetime]:
        """Create the integration and perform one action after another. Yield the time of each before it happens."""
        yield self.demo.now
        self.demo = replace(self.demo, integration=create())
        while action := self.choose_action():
            days, perform = action
            wait = timedelta(days=days * DAYS_PER_WORKING_DAY * exp(self.random.gauss(0, SPREAD)))
            self.demo = self.demo.shift(seconds=wait.total_seconds())
            yield self.demo.now
            yield from perform() or ()
            self.demo = self.demo.refresh()

    def choose_action(self) -> Action | None:
        """Return the median working days until the next action, and the action. None at the end."""
        integration = self.demo.integration
        if not integration.is_open or (integration.stage == Stage.SUPPORT and self.ending != "archive"):
            return None
        if integration.stage == Stage.SUPPORT:
            return 25, self.end
        if integration.review_state == ReviewState.CHANGES:
            return self.choose_change()
        if integration.stage == Stage.REVIEW and integration.review_round < self.rounds:
            return self.decision_days, self.request_changes
        if self.ending == "withdraw" and (self.ends_early or integration.stage == Stage.REVIEW):
            return 9, self.end
        if missing := self.demo.list_missing():
            return REQUIREMENT_DAYS[missing[0].responsible_party], partial(self.fulfill, missing[0])
        if integration.stage == Stage.REVIEW:
            return self.decision_days, self.end if self.ending == "decline" else self.approve
        return 2 if integration.stage == Stage.RELEASE else 3, self.advance

    def choose_change(self) -> Action:
        """Return the next action of the partner after a reviewer requested changes."""
        if tasks := self.list_partner_tasks():
            return 0.8, partial(self.fulfill, tasks[0])
        open_findings = Finding.objects.filter(integration=self.demo.integration, state=Finding.State.OPEN)
        return (4, self.answer_findings) if open_findings.exists() else (0.1, self.resubmit)

    def list_partner_tasks(self) -> list[Requirement]:
        """Return the missing requirements that the partner can fulfill now."""
        ids = {item.id for item in context.list_partner_requirements(self.demo.integration, self.demo.now)}
        return [requirement for requirement in self.demo.list_missing() if requirement.id in ids]

    def fulfill(self, requirement: Requirement) -> Iterator[datetime]:
        """Fulfill a requirement. Some checks are interrupted by an outage first."""
        is_check = requirement.responsible_party == FulfillingParty.MACHINE
        if is_check and self.random.random() < OUTAGE_SHARE:
            run_checks(self.demo.integration, {requirement.id}, self.demo.now, is_available=False)
            self.demo = self.demo.shift(hours=self.random.uniform(1, 8)).refresh()
            yield self.demo.now
        if requirement.kind == RequirementKind.MEETING:
            for demo in hold_meeting(self.demo, requirement):
                self.demo = demo
                yield demo.now
        else:
            fulfill_requirement(self.demo, requirement)

    def request_changes(self) -> None:
        """Raise a finding and request changes."""
        demo = self.demo
        requirement = self.random.choice(demo.integration.edition.list_requirements())
        claims.claim_review(demo.integration, actor=demo.reviewer, now=demo.now)
        text = f"Please extend “{requirement.title}”."
        findings.raise_finding(demo.integration, requirement.id, text, actor=demo.reviewer, now=demo.now)
        demo.perform("request_changes", demo.reviewer, "One minor change.")

    def answer_findings(self) -> None:
        """Respond to the findings."""
        demo = self.demo
        for finding in Finding.objects.filter(integration=demo.integration, state=Finding.State.OPEN):
            findings.answer_finding(finding, "Extended as requested.", actor=demo.owner, now=demo.now)

    def resubmit(self) -> None:
        """Resubmit after the responses to the findings."""
        self.demo.perform("resubmit_for_review", self.demo.owner)

    def approve(self) -> None:
        """Verify the findings and approve."""
        demo = self.demo
        for finding in Finding.objects.filter(integration=demo.integration, state=Finding.State.RESOLVED):
            findings.verify_finding(finding, actor=demo.reviewer, now=demo.now)
        demo.refresh().perform_next_transition()

    def advance(self) -> None:
        """Perform the transition to the next step."""
        self.demo.perform_next_transition()

    def end(self) -> None:
        """End the integration as its ending says."""
        actor = self.demo.reviewer if self.ending == "decline" else self.demo.owner
        if self.ending == "decline":
            claims.claim_review(self.demo.integration, actor=actor, now=self.demo.now)
        self.demo.perform(self.ending, actor, PAST.endings[self.ending].note)
