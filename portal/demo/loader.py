"""Creation of the demo world through the services that the pages use, at times relative to today."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import transaction
from django.utils.text import slugify

from integrations.partners.models import Partner, Role
from integrations.partners.services import contacts, members, profiles
from integrations.programs.selectors import get_edition_in_force
from integrations.submissions.models import Integration
from integrations.submissions.services import creation, drafts, edition_migration, introductions
from integrations.submissions.services.changes import refresh_due_integrations
from portal.accounts.models import User
from portal.analytics import services as stage_durations
from portal.api.models import ApiToken
from portal.api.services import tokens
from portal.core.bulk_changes import bulk_changes
from portal.demo import past, test_runs
from portal.demo.answers import DemoContext, fulfill_requirements
from portal.demo.checks import run_initial_checks
from portal.demo.content import PASSWORD, PEOPLE, WORLD, DemoCompany, DemoIntegration, DemoPerson
from portal.demo.repositories import describe_identity
from portal.demo.scenarios import run_scenario
from portal.demo.sla import load_issues
from portal.demo.webhooks import create_webhooks
from portal.directory.models import Listing
from portal.directory.services import refresh_metrics
from portal.jobs.models import Job
from portal.search import indexing
from verification.checks.models import CHECK_RUN_JOB, CheckRun
from verification.checks.nightly import NIGHTLY_REASON
from verification.checks.services.runs import plan_check_run

JUST_NOW = timedelta(minutes=1)


class DemoWorld:
    """People and partners by name, and who acts for an integration."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        # One round, because the password is published. The first sign-in replaces the hash.
        hasher = PBKDF2PasswordHasher()
        self.password = password = hasher.encode(PASSWORD, hasher.salt(), iterations=1)
        self.people = {person.name: create_person(person, password) for person in PEOPLE.people}
        self.reviewers = [self.people["Rita Reyes"], self.people["Rob Roth"]]
        self.partners = {company.name: self.create_partner(company) for company in PEOPLE.companies}

    def create_partner(self, company: DemoCompany) -> Partner:
        """Create a partner with its members and its Alliances manager. Its owner's address verifies it."""
        created_at = self.now - timedelta(days=400)
        owner = self.get_owner(company.name)
        partner = profiles.create_partner(
            company.name, website=f"https://{company.domain}", domain=company.domain, actor=owner, now=created_at
        )
        for person in PEOPLE.people:
            if person.company == company.name and self.people[person.name] != owner:
                invitation, _ = members.create_invitation(
                    partner, person.email, person.role, actor=owner, now=created_at
                )
                members.accept_invitation(
                    invitation, addresses=[person.email], actor=self.people[person.name], now=created_at
                )
        if company.has_manager:
            manager = self.reviewers[len(company.name) % 2]
            creation.assign_manager(partner, manager, actor=self.people["Sam Stone"], now=created_at)
        return Partner.objects.get(pk=partner.pk)

    def get_owner(self, company: str) -> User:
        return self.people[next(p.name for p in PEOPLE.people if p.company == company and p.role == "owner")]


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


@transaction.atomic
def build_world(now: datetime, progress: Callable[[str], None] = lambda _: None) -> None:
    """Create the demo world in an empty database. `progress` is called with what comes next."""
    with bulk_changes(indexing.rebuild, stage_durations.rebuild):
        _perform_services(now, progress)


def _perform_services(now: datetime, progress: Callable[[str], None]) -> None:
    world = DemoWorld(now)
    progress("Integrations of six other partners from the past year")
    past.create_past(now, world.reviewers, world.password)
    for entry in sorted(WORLD.integrations, key=lambda entry: -entry.started_days_ago):  # oldest first
        progress(f"{entry.company}: {entry.name}")
        create_integration(world, entry)
    create_introduction(world)
    progress("Support issues, webhooks, and the latest reports")
    load_issues(now)
    acme = world.partners["Acme Rockets"]
    owner = world.get_owner("Acme Rockets")
    test_runs.create_test_runs(owner, now)
    create_webhooks(acme, owner, world.people["Sam Stone"], now)
    create_ci_token(acme, owner, now)
    bob = world.people["Bob Baker"]
    draft = drafts.create_draft(acme, "consul", actor=bob, now=now - timedelta(hours=3))
    text = {"name": "Range control", "description": "Service discovery for launch ranges."}
    drafts.save_draft(draft, text, version=draft.version, actor=bob, now=now - timedelta(hours=3))
    confirm_contacts(now)
    complete_world(now)


def confirm_contacts(now: datetime) -> None:
    """Confirm the contacts of all companies but one, so that the list of partners shows both."""
    for partner in Partner.objects.exclude(name="Globex"):
        for owner in partner.list_members(Role.OWNER)[:1]:
            contacts.confirm_contacts(partner, actor=owner, now=now - timedelta(hours=2))


def complete_world(now: datetime) -> None:
    """Run the checks and compute what follows from everything else. Raises RuntimeError if checks raise an error."""
    run_initial_checks(now)
    refresh_metrics(Listing.objects.all(), now)
    postpone_checks(now)
    refresh_due_integrations(now)


def postpone_checks(now: datetime) -> None:
    """Postpone the checks of the fictional repositories for a year, because the portal can't read them."""
    CheckRun.objects.open().update(finished_at=now)
    Job.objects.filter(kind=CHECK_RUN_JOB).delete()
    for integration in Integration.objects.open():
        plan_check_run(integration, now, now + timedelta(days=365), NIGHTLY_REASON)


def create_ci_token(acme: Partner, owner: User, now: datetime) -> None:
    """Create a partner's token that was used an hour ago."""
    scopes = ("integrations:read", "checks:read", "checks:write")
    created_at = now - timedelta(days=12)
    token, _ = tokens.create_token("release pipeline", scopes, 90, actor=owner, now=created_at, partner=acme)
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=now - timedelta(hours=1))


def create_introduction(world: DemoWorld) -> None:
    """Create an introduction request without a response."""
    requester, other = (Integration.objects.get(name=name) for name in ("Globex Firewall", "Initech Switch"))
    message = "We manage firewalls too. Would you like to compare notes?"
    introductions.request_introduction(
        requester, other, message, actor=world.get_owner("Globex"), now=world.now - timedelta(hours=5)
    )


def create_integration(world: DemoWorld, entry: DemoIntegration) -> None:
    """Create an integration, advance it to its stage, and run its scenario."""
    started_at = world.now - timedelta(days=entry.started_days_ago)
    edition = get_edition_in_force(entry.program)
    owner = world.get_owner(entry.company)
    partner = world.partners[entry.company]
    categories = [category.key for category in edition.categories]
    data = {
        "name": entry.name,
        "description": entry.description,
        "category": categories[entry.category_index % len(categories)],
        "offerings": list(edition.offerings[:2]),
        **describe_identity(entry.repository),
        "homepage": f"https://{entry.repository.split('/')[0]}.example/{slugify(entry.name)}",
    }
    integration = creation.create_integration(partner, entry.program, data, actor=owner, now=started_at)
    pace = timedelta(days=entry.started_days_ago) / 14
    reviewer = world.reviewers[len(entry.name) % 2]
    demo = advance_to_stage(DemoContext(integration, owner, reviewer, started_at).refresh(), entry.stage, pace)
    if entry.migrated_to:
        demo = migrate_edition(demo.shift(days=1), entry.migrated_to)
    if entry.scenario:
        scenario_offset = JUST_NOW if entry.scenario == "approved" else pace / 2
        run_scenario(entry.scenario, replace(demo, now=world.now - scenario_offset))


def migrate_edition(demo: DemoContext, edition_date: str) -> DemoContext:
    """Migrate an integration to another edition and complete what that edition additionally requires."""
    note = "Your integration already fulfills most of the new requirements."
    edition_migration.migrate_edition(demo.integration, edition_date, actor=demo.reviewer, now=demo.now, note=note)
    demo = demo.refresh()
    return fulfill_requirements(demo, demo.list_missing()).refresh()


def advance_to_stage(demo: DemoContext, stage: str, pace: timedelta) -> DemoContext:
    """Perform transitions at a pace until the integration reaches its stage."""
    while demo.integration.stage != stage:
        demo = fulfill_requirements(demo, demo.list_missing())
        demo = demo.refresh().shift(seconds=pace.total_seconds())
        demo.perform_next_transition()
        demo = demo.refresh()
    return demo
