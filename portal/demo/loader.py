"""Creation of the demo world through the services that the pages use, at times relative to today."""

from collections.abc import Callable
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.utils.text import slugify

from integrations.partners.models import Partner
from integrations.partners.services import members, profiles
from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.services import creation, drafts, introductions
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import Stage
from portal.accounts.models import User
from portal.api.models import ApiToken
from portal.api.services import tokens
from portal.core.value_types import NamedValues
from portal.demo import past, provider_schemas
from portal.demo.answers import fulfill_requirement
from portal.demo.listings import populate_listings
from portal.demo.people import COMPANIES, PASSWORD, PEOPLE, DemoCompany, DemoPerson
from portal.demo.scenarios import SCENARIOS
from portal.demo.sla import load_stories
from portal.demo.test_runs import create_lifecycle_test, create_nomad_plugin_test, create_run_task_test
from portal.demo.webhooks import create_webhooks
from portal.demo.world import WORLD, WorldEntry
from verification.checks.models import CheckRun

JUST_NOW = timedelta(minutes=1)


class DemoWorld:
    """People and partners by name, and who acts for an integration."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.password = password = make_password(PASSWORD)  # hashed once, because hashing is slow
        self.people = {person.name: create_person(person, password) for person in PEOPLE}
        self.reviewers = [self.people["Rita Reyes"], self.people["Rob Roth"]]
        self.partners = {company.name: self.create_partner(company) for company in COMPANIES}

    def create_partner(self, company: DemoCompany) -> Partner:
        """Create a partner with its members and its partner manager."""
        created_at, owner = self.now - timedelta(days=400), self.get_owner(company.name)
        partner = profiles.create_partner(
            company.name, website=f"https://{company.domain}", domain=company.domain, actor=owner, now=created_at
        )
        for person in PEOPLE:
            if person.company == company.name and self.people[person.name] != owner:
                offer, _ = members.create_invitation(partner, person.email, person.role, actor=owner, now=created_at)
                members.accept_invitation(
                    offer, addresses=[person.email], actor=self.people[person.name], now=created_at
                )
        if company.has_manager:
            manager = self.reviewers[len(company.name) % 2]
            creation.assign_manager(partner, manager, actor=self.people["Sam Stone"], now=created_at)
        return Partner.objects.get(pk=partner.pk)

    def get_owner(self, company: str) -> User:
        return self.people[next(p.name for p in PEOPLE if p.company == company and p.role == "owner")]

    def get_reviewer(self, entry: WorldEntry) -> User:
        return self.reviewers[len(entry.name) % 2]


def create_person(person: DemoPerson, password: str) -> User:
    user = User.objects.create(
        email=person.email,
        password=password,
        name=person.name,
        zone=person.time_zone,
        zone_chosen=person.time_zone != "UTC",
        is_reviewer=person.is_reviewer,
        is_staff=person.is_staff,
        is_superuser=person.is_staff,
    )
    EmailAddress.objects.create(user=user, email=person.email, verified=True, primary=True)
    return user


def build_world(now: datetime, progress: Callable[[str], None] = lambda _: None) -> None:
    """Create the demo world in an empty database."""
    world = DemoWorld(now)
    past.create_past(now, world.reviewers, world.password)
    progress("Integrations of six other partners from the past year")
    for entry in sorted(WORLD, key=lambda entry: -entry.started_days_ago):  # oldest first
        create_integration(world, entry)
        progress(f"{entry.company}: {entry.name}")
    # no check runs: the repositories are fictional, so their recorded results must stay
    CheckRun.objects.filter(finished_at=None).update(finished_at=now)
    create_introduction(world)
    load_stories(now)
    populate_listings(now)
    create_lifecycle_test(Integration.objects.get(name="Rocket"), world.get_owner("Acme Rockets"), now)
    create_run_task_test(Integration.objects.get(name="Rocket preflight"), world.get_owner("Acme Rockets"), now)
    create_nomad_plugin_test(Integration.objects.get(name="Booster driver"), world.get_owner("Acme Rockets"), now)
    provider_schemas.create_inspection(Integration.objects.get(name="Rocket"), world.get_owner("Acme Rockets"), now)
    create_webhooks(world.partners["Acme Rockets"], world.get_owner("Acme Rockets"), world.people["Sam Stone"], now)
    progress("Support issues, webhooks, and the latest weekly report")
    bob, created_at = world.people["Bob Baker"], now - timedelta(hours=3)
    create_ci_token(world)
    draft = drafts.create_draft(world.partners["Acme Rockets"], "consul", actor=bob, now=created_at)
    text = {"name": "Range control", "description": "Service discovery for launch ranges."}
    drafts.save_draft(draft, text, version=draft.version, actor=bob, now=created_at)


def create_ci_token(world: DemoWorld) -> None:
    """Create a partner's token that was used an hour ago."""
    acme, owner = world.partners["Acme Rockets"], world.get_owner("Acme Rockets")
    scopes = ("integrations:read", "checks:read", "checks:write")
    token, _ = tokens.create_token(
        "release pipeline", scopes, 90, actor=owner, now=world.now - timedelta(days=12), partner=acme
    )
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=world.now - timedelta(hours=1))


def create_introduction(world: DemoWorld) -> None:
    """Create an introduction request without a response."""
    requester, other = (Integration.objects.get(name=name) for name in ("Globex Firewall", "Initech Switch"))
    message = "We manage firewalls too. Would you like to compare notes?"
    introductions.request_introduction(
        requester, other, message, actor=world.get_owner("Globex"), now=world.now - timedelta(hours=5)
    )


def create_integration(world: DemoWorld, entry: WorldEntry) -> Integration:
    """Create an integration, advance it to its stage, and run its scenario."""
    owner, reviewer = world.get_owner(entry.company), world.get_reviewer(entry)
    moment = world.now - timedelta(days=entry.started_days_ago)
    edition = entry.edition or creation.get_entry_edition(entry.program).date
    integration = creation.create_integration(
        world.partners[entry.company],
        entry.program,
        build_initial_data(entry, edition),
        actor=owner,
        now=moment,
        edition=edition,
    )
    pace = timedelta(days=entry.started_days_ago) / 14
    integration = advance_to_stage(integration, entry, owner, reviewer, moment, pace)
    scenario_offset = JUST_NOW if entry.scenario == "approved" else pace / 2
    SCENARIOS.get(entry.scenario, lambda *_: None)(integration, owner, reviewer, world.now - scenario_offset)
    return integration


def build_initial_data(entry: WorldEntry, date: str) -> NamedValues:
    edition = creation.PROGRAMS[entry.program].edition(date)
    categories = [c.key for c in edition.categories]
    return {
        "name": entry.name,
        "description": entry.description,
        "category": categories[entry.category_index % len(categories)],
        "offerings": list(edition.offerings[:2]),
        "repository": entry.repository,
        "homepage": f"https://{entry.repository.split('/')[0]}.example/{slugify(entry.name)}",
    }


def advance_to_stage(
    integration: Integration, entry: WorldEntry, owner: User, reviewer: User, moment: datetime, pace: timedelta
) -> Integration:
    """Perform transitions until the integration reaches its stage."""
    target_stage = {"declined": Stage.REVIEW}.get(entry.stage, entry.stage)
    while True:
        integration = Integration.objects.select_related("partner").get(pk=integration.pk)
        if integration.stage == target_stage:
            break
        for requirement in context.list_missing_next(integration, moment):
            fulfill_requirement(integration, requirement, owner=owner, reviewer=reviewer, now=moment)
        integration = Integration.objects.select_related("partner").get(pk=integration.pk)
        moment += pace
        step, actor = get_next_transition(integration, owner, reviewer)
        if step == "approve":
            claims.claim_review(integration, actor=reviewer, now=moment)
        perform_transition(integration, step, actor=actor, now=moment)
    if entry.stage == "declined":
        perform_transition(
            integration,
            "decline",
            actor=reviewer,
            note="Nomad now includes autoscaling of node pools.",
            now=moment + pace,
        )
    return Integration.objects.select_related("partner").get(pk=integration.pk)


def get_next_transition(integration: Integration, owner: User, reviewer: User) -> tuple[str, User]:
    if integration.stage == Stage.REVIEW:
        return "approve", reviewer
    if integration.stage == Stage.RELEASE:
        return "publish", reviewer
    return ("submit_for_review" if integration.next_position[1] == Stage.REVIEW else "complete_step"), owner
