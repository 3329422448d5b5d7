"""How is the demo world made? Everybody does what they would do, at moments relative to today."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.utils import timezone
from django.utils.text import slugify

from integrations.partners.models import Partner
from integrations.partners.services import members
from integrations.programs.schema import Kind
from integrations.reviews.models import ReviewerProfile
from integrations.reviews.services import claims
from integrations.submissions.models import Finding, Integration
from integrations.submissions.selectors import context
from integrations.submissions.services import agreements, creation, drafts, findings, introductions, meetings
from integrations.submissions.services import requirements as answers
from integrations.submissions.services.transitions import perform
from integrations.submissions.workflow.states import Holder, Stage
from portal.accounts.models import User
from portal.api.models import ApiToken
from portal.api.services import tokens
from portal.demo import past, provider_schemas
from portal.demo.answers import failing, give
from portal.demo.listed import THEN as OF_STANDING
from portal.demo.listed import published
from portal.demo.people import COMPANIES, PASSWORD, PEOPLE, Company, Person
from portal.demo.sla import support
from portal.demo.test_runs import lifecycle, nomad, of_a_run_task
from portal.demo.webhooks import heard
from portal.demo.world import WORLD, Entry
from verification.checks.models import CheckRun

JUST_NOW = timedelta(minutes=1)


class World:
    """The people and companies by name, and whose hands move an integration."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.password = password = make_password(PASSWORD)  # hashed once: it is slow on purpose
        self.people = {person.name: make_person(person, password) for person in PEOPLE}
        self.reviewers = [self.people["Rita Reyes"], self.people["Rob Roth"]]
        self.partners = {company.name: self.make_company(company) for company in COMPANIES}

    def make_company(self, company: Company) -> Partner:
        """Its owner creates it and invites the colleagues; the program names who looks after it."""
        then, owner = self.now - timedelta(days=400), self.owner(company.name)
        partner = members.create_partner(
            company.name, website=f"https://{company.domain}", domain=company.domain, by=owner, now=then
        )
        for person in PEOPLE:
            if person.company == company.name and self.people[person.name] != owner:
                offer, _ = members.invite(partner, person.email, person.role, by=owner, now=then)
                members.accept_invitation(offer, addresses=[person.email], by=self.people[person.name], now=then)
        if company.managed:
            manager = self.reviewers[len(company.name) % 2]
            creation.assign_manager(partner, manager, by=self.people["Sam Stone"], now=then)
        return Partner.objects.get(pk=partner.pk)

    def owner(self, company: str) -> User:
        return self.people[next(p.name for p in PEOPLE if p.company == company and p.role == "owner")]

    def reviewer(self, entry: Entry) -> User:
        return self.reviewers[len(entry.name) % 2]


def make_person(person: Person, password: str) -> User:
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


def build(now: datetime, progress: Callable[[str], None] = lambda _: None) -> None:
    """Make the whole world. Expects an empty database."""
    world = World(now)
    past.live(now, world.reviewers, world.password)
    progress("A year of integrations of six other companies")
    for entry in sorted(WORLD, key=lambda entry: -entry.days):  # what is older was there first
        live(world, entry)
        progress(f"{entry.company}: {entry.name}")
    # what was found on the day stands until somebody asks again: these repositories are made up
    CheckRun.objects.filter(finished_at=None).update(finished_at=now)
    between_companies(world)
    support(now)
    published(now)
    lifecycle(Integration.objects.get(name="Rocket"), world.owner("Acme Rockets"), now)
    of_a_run_task(Integration.objects.get(name="Rocket preflight"), world.owner("Acme Rockets"), now)
    nomad(Integration.objects.get(name="Booster driver"), world.owner("Acme Rockets"), now)
    provider_schemas.read(Integration.objects.get(name="Rocket"), world.owner("Acme Rockets"), now)
    heard(world.partners["Acme Rockets"], world.owner("Acme Rockets"), world.people["Sam Stone"], now)
    progress("Issues in support, webhooks with a log, and the report of last week")
    bob, then = world.people["Bob Baker"], now - timedelta(hours=3)
    token_of_ci(world)
    draft = drafts.open_start(world.partners["Acme Rockets"], "consul", by=bob, now=then)
    text = {"name": "Range control", "description": "Service discovery for launch ranges."}
    drafts.save(draft, text, version=draft.version, by=bob, now=then)


def token_of_ci(world: World) -> None:
    """A company's token, used an hour ago; its secret is nowhere."""
    acme, owner = world.partners["Acme Rockets"], world.owner("Acme Rockets")
    scopes = ("integrations:read", "checks:read", "checks:write")
    token, _ = tokens.make("release pipeline", scopes, 90, by=owner, now=world.now - timedelta(days=12), partner=acme)
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=world.now - timedelta(hours=1))


def between_companies(world: World) -> None:
    """One asks to be introduced; the other has not answered yet."""
    asking, other = (Integration.objects.get(name=name) for name in ("Globex Firewall", "Initech Switch"))
    message = "We manage firewalls too: shall we compare notes?"
    introductions.ask(asking, other, message, by=world.owner("Globex"), now=world.now - timedelta(hours=5))


def live(world: World, entry: Entry) -> Integration:
    """One integration's life: begun `days` ago, driven to its stage, then what the entry says."""
    owner, reviewer = world.owner(entry.company), world.reviewer(entry)
    moment = world.now - timedelta(days=entry.days)
    edition = entry.edition or creation.entering_edition(entry.program).date
    row = creation.create(
        world.partners[entry.company], entry.program, start_facts(entry, edition), by=owner, now=moment, edition=edition
    )
    pace = timedelta(days=entry.days) / 14
    row = drive(row, entry, owner, reviewer, moment, pace)
    lately = JUST_NOW if entry.then == "approved" else pace / 2
    THEN.get(entry.then, lambda *_: None)(row, owner, reviewer, world.now - lately)
    return row


def start_facts(entry: Entry, date: str) -> dict[str, Any]:
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


def drive(
    row: Integration, entry: Entry, owner: User, reviewer: User, moment: datetime, pace: timedelta
) -> Integration:
    """Step by step through the door until the stage is reached."""
    goal = {"declined": Stage.REVIEW}.get(entry.until, entry.until)
    while True:
        row = Integration.objects.select_related("partner").get(pk=row.pk)
        if row.stage == goal:
            break
        for requirement in context.missing_next(row, moment):
            give(row, requirement, owner=owner, reviewer=reviewer, now=moment)
        row = Integration.objects.select_related("partner").get(pk=row.pk)
        moment += pace
        step, by = next_step(row, owner, reviewer)
        if step == "approve":
            claims.claim(row, by=reviewer, now=moment)
        perform(row, step, by=by, now=moment)
    if entry.until == "declined":
        perform(row, "decline", by=reviewer, note="Autoscaling of node pools is built in by now.", now=moment + pace)
    return Integration.objects.select_related("partner").get(pk=row.pk)


def next_step(row: Integration, owner: User, reviewer: User) -> tuple[str, User]:
    if row.stage == Stage.REVIEW:
        return "approve", reviewer
    if row.stage == Stage.RELEASE:
        return "release", reviewer
    return ("request_review" if row.next_position[1] == Stage.REVIEW else "advance"), owner


def begun(row: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """The first two requirements are there, the rest is open."""
    for requirement in context.missing_next(row, now)[:2]:
        give(row, requirement, owner=owner, reviewer=reviewer, now=now)
    findings.say(row, "Which of the sample providers is closest to an API like ours?", by=owner, now=now)


def changes(row: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """A reviewer asked for changes; one of two findings is answered."""
    claims.claim(row, by=reviewer, now=now)
    requirements = [r.id for r in row.edition.requirements()]
    first = findings.raise_finding(
        row, requirements[2], "Show a run that is stopped as well as one that passes.", by=reviewer, now=now
    )
    findings.raise_finding(
        row, requirements[-2], "The documentation does not say which stages are supported.", by=reviewer, now=now
    )
    findings.say(row, "Ask Kim whether the callback limits changed.", by=reviewer, now=now, internal=True)
    perform(row, "request_changes", by=reviewer, note="Two things, both small.", now=now)
    findings.fix_finding(first, "Both runs are in the new recording.", by=owner, now=now + timedelta(hours=2))


def round_two(row: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Asked, answered, and waiting again."""
    changes(row, owner, reviewer, now - timedelta(days=3))
    open_one = Finding.objects.filter(integration=row, state="open").get()
    findings.fix_finding(open_one, "Documented in the new release.", by=owner, now=now - timedelta(days=1))
    row = Integration.objects.select_related("partner").get(pk=row.pk)
    for requirement in [r for r in context.missing_next(row, now) if context.holder_of(r, row) == Holder.PARTNER]:
        give(row, requirement, owner=owner, reviewer=reviewer, now=now - timedelta(days=1))
    perform(row, "request_again", by=owner, now=now - timedelta(days=1))


def on_hold(row: Integration, owner: User, reviewer: User, now: datetime) -> None:
    perform(row, "put_on_hold", by=reviewer, note="The upstream pull request waits for its maintainers.", now=now)


def waived(row: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """A reviewer lets one requirement wait, for a reason and until a day."""
    missing = context.missing_next(row, now)[0]
    reason, until = "The plugin moves to its new home this quarter.", now + timedelta(days=60)
    answers.waive(row, missing.id, reason=reason, until=until, by=reviewer, now=now)


def meeting(row: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """The reviewer proposed times; the company has not chosen yet."""
    claims.claim(row, by=reviewer, now=now)
    asked = next(r for r in context.missing_next(row, now) if r.kind == Kind.MEETING)
    today = timezone.now().replace(hour=15, minute=0, second=0, microsecond=0)
    times = tuple(today + timedelta(days=days, hours=hours) for days, hours in ((2, 0), (3, 2), (6, 0)))
    meetings.propose(row, asked.id, meetings.Proposal(times, "https://meet.example/review", 45), by=reviewer, now=now)


def signed(row: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """The company signed the agreement; the program has not countersigned."""
    asked = next(r for r in context.missing_next(row, now) if r.kind == Kind.AGREEMENT)
    signature = agreements.Signature(owner.name, timezone.localdate(now))
    agreements.sign(row, asked.id, signature, version="2026-01", by=owner, now=now)


def fails(row: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """The machine looked and found something that the company has to mend."""
    for requirement in [r for r in context.missing_next(row, now) if r.kind == Kind.CHECK][:2]:
        failing(row, requirement, now)


def approved(row: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Approved a moment ago: the mail waits, and the decision can still be undone."""
    for requirement in context.missing_next(row, now):
        give(row, requirement, owner=owner, reviewer=reviewer, now=now)
    row = Integration.objects.select_related("partner").get(pk=row.pk)
    claims.claim(row, by=reviewer, now=now)
    perform(row, "approve", by=reviewer, now=now)


def archived(row: Integration, owner: User, reviewer: User, now: datetime) -> None:
    perform(row, "archive", by=owner, note="Replaced by the built-in database engine.", now=now)


def withdrawn(row: Integration, owner: User, reviewer: User, now: datetime) -> None:
    perform(row, "withdraw", by=owner, note="We build it together with another team.", now=now)


def premier(row: Integration, owner: User, reviewer: User, now: datetime) -> None:
    """Everything for the higher tier is there, and it is asked for."""
    tier = next(t for t in row.edition.tiers if t.on_request)
    for requirement in tier.requirements:
        give(row, requirement, owner=owner, reviewer=reviewer, now=now)
    perform(row, "request_tier", by=owner, tier=tier.key, now=now)


THEN: dict[str, Callable[[Integration, User, User, datetime], None]] = {
    "begun": begun,
    "changes": changes,
    "round two": round_two,
    "on hold": on_hold,
    "waived": waived,
    "meeting": meeting,
    "signed": signed,
    "failing": fails,
    "approved": approved,
    "archived": archived,
    "withdrawn": withdrawn,
    "premier": premier,
    **OF_STANDING,
}
