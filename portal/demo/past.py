"""A year of past integrations of the demo world, for analytics.

Every action is performed by the service that the pages use, after a random wait. The result is the same every time.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from heapq import heapify, heappop, heapreplace
from random import Random

from allauth.account.models import EmailAddress
from django.utils.text import slugify

from integrations.partners.models import Partner
from integrations.partners.services import profiles
from integrations.programs.selectors import get_edition_in_force
from integrations.submissions.models import Integration
from integrations.submissions.services import creation
from portal.accounts.models import User
from portal.analytics.saved_views import services as saved_views
from portal.demo.answers import DemoContext
from portal.demo.content import PAST, PastProgram
from portal.demo.past_lifecycle import PastLifecycle
from portal.demo.repositories import describe_identity

FIRST_START_DAYS, LAST_START_DAYS = 400, 75  # before now
MAX_REVIEW_ROUNDS = 4


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
