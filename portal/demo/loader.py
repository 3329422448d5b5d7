"""How is the demo world made? Everybody does what they would do, at moments relative to today."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.utils.text import slugify

from integrations.partners.models import Partner
from integrations.partners.services import members, profiles
from integrations.reviews.models import ReviewerProfile
from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.services import creation, drafts, introductions
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import Stage
from portal.accounts.models import User
from portal.api.models import ApiToken
from portal.api.services import tokens
from portal.demo import past, provider_schemas
from portal.demo.answers import fulfill_requirement
from portal.demo.listed import populate_listings
from portal.demo.people import COMPANIES, PASSWORD, PEOPLE, DemoCompany, DemoPerson
from portal.demo.scenarios import SCENARIOS
from portal.demo.sla import load_stories
from portal.demo.test_runs import create_lifecycle_test, create_nomad_plugin_test, create_run_task_test
from portal.demo.webhooks import create_webhooks
from portal.demo.world import WORLD, WorldEntry
from verification.checks.models import CheckRun

JUST_NOW = timedelta(minutes=1)


class DemoWorld:
    """The people and companies by name, and whose hands move an integration."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.password = password = make_password(PASSWORD)  # hashed once: it is slow on purpose
        self.people = {person.name: make_person(person, password) for person in PEOPLE}
        self.reviewers = [self.people["Rita Reyes"], self.people["Rob Roth"]]
        self.partners = {company.name: self.make_company(company) for company in COMPANIES}

    def make_company(self, company: DemoCompany) -> Partner:
        """Its owner creates it and invites the colleagues; the program names who looks after it."""
        then, owner = self.now - timedelta(days=400), self.owner(company.name)
        partner = profiles.create_partner(
            company.name, website=f"https://{company.domain}", domain=company.domain, actor=owner, now=then
        )
        for person in PEOPLE:
            if person.company == company.name and self.people[person.name] != owner:
                offer, _ = members.create_invitation(partner, person.email, person.role, actor=owner, now=then)
                members.accept_invitation(offer, addresses=[person.email], actor=self.people[person.name], now=then)
        if company.has_manager:
            manager = self.reviewers[len(company.name) % 2]
            creation.assign_manager(partner, manager, actor=self.people["Sam Stone"], now=then)
        return Partner.objects.get(pk=partner.pk)

    def owner(self, company: str) -> User:
        return self.people[next(p.name for p in PEOPLE if p.company == company and p.role == "owner")]

    def reviewer(self, entry: WorldEntry) -> User:
        return self.reviewers[len(entry.name) % 2]


def make_person(person: DemoPerson, password: str) -> User:
    user = User.objects.create(
        email=person.email,
        password=password,
        name=person.name,
        zone=person.zone,
        zone_chosen=person.zone != "UTC",
        is_reviewer=person.reviewer,
        is_staff=person.staff,
        is_superuser=person.staff,
    )
    EmailAddress.objects.create(user=user, email=person.email, verified=True, primary=True)
    if person.reviewer:
        ReviewerProfile.objects.create(user=user)
    return user


def build_world(now: datetime, progress: Callable[[str], None] = lambda _: None) -> None:
    """Make the whole world. Expects an empty database."""
    world = DemoWorld(now)
    past.create_past(now, world.reviewers, world.password)
    progress("A year of integrations of six other companies")
    for entry in sorted(WORLD, key=lambda entry: -entry.days):  # what is older was there first
        create_integration(world, entry)
        progress(f"{entry.company}: {entry.name}")
    # what was found on the day stands until somebody asks again: these repositories are made up
    CheckRun.objects.filter(finished_at=None).update(finished_at=now)
    create_introduction(world)
    load_stories(now)
    populate_listings(now)
    create_lifecycle_test(Integration.objects.get(name="Rocket"), world.owner("Acme Rockets"), now)
    create_run_task_test(Integration.objects.get(name="Rocket preflight"), world.owner("Acme Rockets"), now)
    create_nomad_plugin_test(Integration.objects.get(name="Booster driver"), world.owner("Acme Rockets"), now)
    provider_schemas.create_inspection(Integration.objects.get(name="Rocket"), world.owner("Acme Rockets"), now)
    create_webhooks(world.partners["Acme Rockets"], world.owner("Acme Rockets"), world.people["Sam Stone"], now)
    progress("Issues in support, webhooks with a log, and the report of last week")
    bob, then = world.people["Bob Baker"], now - timedelta(hours=3)
    create_ci_token(world)
    draft = drafts.create_draft(world.partners["Acme Rockets"], "consul", actor=bob, now=then)
    text = {"name": "Range control", "description": "Service discovery for launch ranges."}
    drafts.save_draft(draft, text, version=draft.version, actor=bob, now=then)


def create_ci_token(world: DemoWorld) -> None:
    """A company's token, used an hour ago; its secret is nowhere."""
    acme, owner = world.partners["Acme Rockets"], world.owner("Acme Rockets")
    scopes = ("integrations:read", "checks:read", "checks:write")
    token, _ = tokens.create_token(
        "release pipeline", scopes, 90, actor=owner, now=world.now - timedelta(days=12), partner=acme
    )
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=world.now - timedelta(hours=1))


def create_introduction(world: DemoWorld) -> None:
    """One asks to be introduced; the other has not answered yet."""
    asking, other = (Integration.objects.get(name=name) for name in ("Globex Firewall", "Initech Switch"))
    message = "We manage firewalls too: shall we compare notes?"
    introductions.request_introduction(
        asking, other, message, actor=world.owner("Globex"), now=world.now - timedelta(hours=5)
    )


def create_integration(world: DemoWorld, entry: WorldEntry) -> Integration:
    """One integration's life: begun `days` ago, driven to its stage, then what the entry says."""
    owner, reviewer = world.owner(entry.company), world.reviewer(entry)
    moment = world.now - timedelta(days=entry.days)
    edition = entry.edition or creation.get_entry_edition(entry.program).date
    integration = creation.create_integration(
        world.partners[entry.company],
        entry.program,
        build_initial_data(entry, edition),
        actor=owner,
        now=moment,
        edition=edition,
    )
    pace = timedelta(days=entry.days) / 14
    integration = advance_to_stage(integration, entry, owner, reviewer, moment, pace)
    lately = JUST_NOW if entry.then == "approved" else pace / 2
    SCENARIOS.get(entry.then, lambda *_: None)(integration, owner, reviewer, world.now - lately)
    return integration


def build_initial_data(entry: WorldEntry, date: str) -> dict[str, Any]:
    edition = creation.PROGRAMS[entry.program].edition(date)
    categories = [c.key for c in edition.categories]
    return {
        "name": entry.name,
        "description": entry.about,
        "category": categories[entry.category % len(categories)],
        "offerings": list(edition.offerings[:2]),
        "repository": entry.repository,
        "homepage": f"https://{entry.repository.split('/')[0]}.example/{slugify(entry.name)}",
    }


def advance_to_stage(
    integration: Integration, entry: WorldEntry, owner: User, reviewer: User, moment: datetime, pace: timedelta
) -> Integration:
    """Step by step through the door until the stage is reached."""
    goal = {"declined": Stage.REVIEW}.get(entry.until, entry.until)
    while True:
        integration = Integration.objects.select_related("partner").get(pk=integration.pk)
        if integration.stage == goal:
            break
        for requirement in context.list_missing_next(integration, moment):
            fulfill_requirement(integration, requirement, owner=owner, reviewer=reviewer, now=moment)
        integration = Integration.objects.select_related("partner").get(pk=integration.pk)
        moment += pace
        step, by = get_next_step(integration, owner, reviewer)
        if step == "approve":
            claims.claim_review(integration, actor=reviewer, now=moment)
        perform_transition(integration, step, actor=by, now=moment)
    if entry.until == "declined":
        perform_transition(
            integration,
            "decline",
            actor=reviewer,
            note="Autoscaling of node pools is built in by now.",
            now=moment + pace,
        )
    return Integration.objects.select_related("partner").get(pk=integration.pk)


def get_next_step(integration: Integration, owner: User, reviewer: User) -> tuple[str, User]:
    if integration.stage == Stage.REVIEW:
        return "approve", reviewer
    if integration.stage == Stage.RELEASE:
        return "publish", reviewer
    return ("submit_for_review" if integration.next_position[1] == Stage.REVIEW else "complete_step"), owner
