"""A year of past integrations of the demo world, for analytics.

Every action is performed by the service that the pages use, after a random wait. The result is the same every time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from heapq import heapify, heappop, heapreplace
from math import exp
from random import Random

from allauth.account.models import EmailAddress
from django.utils.text import slugify

from integrations.partners.models import Partner
from integrations.partners.services import profiles
from integrations.programs.requirements import FulfillingParty, Requirement, RequirementKind
from integrations.programs.selectors import get_edition_in_force
from integrations.programs.stages import Stage
from integrations.reviews.services import claims
from integrations.submissions.models import Finding, Integration
from integrations.submissions.selectors import context
from integrations.submissions.services import creation, findings
from integrations.submissions.workflow.states import ReviewState
from portal.accounts.models import User
from portal.analytics.saved_views import services as saved_views
from portal.demo.answers import DemoContext, fulfill_requirement, hold_meeting
from portal.demo.checks import run_checks
from portal.demo.content import PAST, PastProgram
from portal.demo.repositories import describe_identity

FIRST_START_DAYS = 400  # before now
LAST_START_DAYS = 75  # before now
MAX_REVIEW_ROUNDS = 4
SPREAD = 0.42  # of the logarithm: the 90th percentile is 1.7 times the median
DAYS_PER_BUSINESS_DAY = 7 / 5
OUTAGE_SHARE = 0.1  # of the checks
# median business days until a party fulfills a requirement
REQUIREMENT_DAYS = {
    FulfillingParty.PARTNER: 0.8,
    FulfillingParty.PROGRAM: 0.5,
    FulfillingParty.BOTH: 2,
    FulfillingParty.PORTAL: 0.1,
}
Action = tuple[float, Callable[[], Iterator[datetime] | None]]


@dataclass
class PastLifecycle:
    """Lifecycle of an integration until it is in support or has ended.

    Attributes:
        decision_days: Median business days until a reviewer decides.
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
            wait = timedelta(days=days * DAYS_PER_BUSINESS_DAY * exp(self.random.gauss(0, SPREAD)))
            self.demo = self.demo.shift(seconds=wait.total_seconds())
            yield self.demo.now
            yield from perform() or ()
            self.demo = self.demo.refresh()

    def choose_action(self) -> Action | None:
        """Return the median business days until the next action, and the action. None at the end."""
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
        is_check = requirement.responsible_party == FulfillingParty.PORTAL
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


def create_past(now: datetime, reviewers: list[User], password: str) -> None:
    """Create a year of integrations of six partners, most of them in support, the others ended."""
    random = Random(20260101)  # noqa: S311 - the same world each time
    companies = {name: create_company(name, now, password) for name in PAST.companies}
    lifecycles = []
    for number, (program, company, product) in enumerate(plan_integrations()):
        partner, owner = companies[company]
        draft = build_draft(partner, program, product, random)
        started_at = now - timedelta(days=random.uniform(LAST_START_DAYS, FIRST_START_DAYS))
        create = partial(creation.create_integration, partner, program.key, draft, actor=owner, now=started_at)
        demo = DemoContext(Integration(), owner, reviewers[number % len(reviewers)], started_at)
        lifecycles.append(draw_lifecycle(random, demo, program).run(create))
    perform_in_order(lifecycles, until=now - timedelta(days=1))
    for page, name, query in PAST.saved_views:
        saved_views.save_view(reviewers[0], page, name, query, shared=True, now=now)


def plan_integrations() -> Iterator[tuple[PastProgram, str, str]]:
    """Yield the program, the company, and the product of each integration."""
    programs = [program for program in PAST.programs for _ in range(program.count)]
    for number, program in enumerate(programs):
        round_number, place = divmod(number, len(PAST.companies))
        yield program, PAST.companies[place], PAST.products[round_number % len(PAST.products)]


def perform_in_order(lifecycles: list[Iterator[datetime]], until: datetime) -> None:
    """Perform the actions of all integrations in the order of their times, up to a time."""
    times = [(at, number) for number, lifecycle in enumerate(lifecycles) if (at := next(lifecycle, None))]
    heapify(times)
    while times and times[0][0] < until:
        _at, number = times[0]
        if at := next(lifecycles[number], None):
            heapreplace(times, (at, number))
        else:
            heappop(times)


def create_company(name: str, now: datetime, password: str) -> tuple[Partner, User]:
    """Create a partner and its owner, whose address verifies it and who is not in the list of demo sign-ins."""
    domain = f"{slugify(name)}.example"
    owner = User.objects.create(email=f"owner@{domain}", name=f"{name.split()[0]} Owner", password=password)
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)
    then = now - timedelta(days=600)
    return profiles.create_partner(name, website=f"https://{domain}", domain=domain, actor=owner, now=then), owner


def build_draft(partner: Partner, program: PastProgram, product: str, random: Random) -> dict[str, object]:
    """Return the values that the partner enters for a new integration."""
    edition = get_edition_in_force(program.key)
    return {
        "name": f"{partner.name.split()[0]} {product}",
        "description": f"The {product} of {partner.name}, as code.",
        **describe_identity(build_repository_name(program, partner.name, product)),
        "category": random.choice(edition.categories).key,
        "offerings": list(edition.offerings[:1]),
        "homepage": f"https://{partner.domain}/{product}",
    }


def build_repository_name(program: PastProgram, company: str, product: str) -> str:
    """Return "owner/name" of a product's repository."""
    name = program.repository.format(brand=slugify(company.split()[0]), product=product)
    return f"{slugify(company)}/{name}"


def draw_lifecycle(random: Random, demo: DemoContext, program: PastProgram) -> PastLifecycle:
    """Draw how an integration ends and how many rounds its review has."""
    ending = random.choices(list(PAST.endings), [each.weight for each in PAST.endings.values()])[0]
    is_early = ending == "withdraw" and random.random() < 0.7
    rounds = random.choices(range(1, MAX_REVIEW_ROUNDS + 1), (52, 31, 12, 5))[0]
    return PastLifecycle(random, demo, program.decision_days, rounds, ending, is_early)
