"""What happened before the demo world's own people came? A year of integrations, so that figures have a past.

Made at once and not through the door, which would take minutes; what is written is what the door would have written:
a chained history, the turns, and for what is in support everything that its program asks. The same every time.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.utils.text import slugify

from integrations.partners.models import Partner
from integrations.partners.services import members as people
from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Edition, Requirement, Stage, Who
from integrations.submissions.models import Integration, RequirementState
from integrations.submissions.selectors import context
from integrations.submissions.services.transitions import all_steps
from integrations.submissions.workflow.states import Standing, Status, turn_of
from portal.accounts.models import User
from portal.analytics import services
from portal.analytics.saved_views import services as saved
from portal.audit.models import Event
from portal.audit.services import TURN, turn_stream
from portal.core.name_matching import name_key
from portal.demo.planned import DAY, OWNER, REVIEWER, Act, planned

COMPANIES = ("Orchid Works", "Larkspur Labs", "Basalt Grid", "Harbour Nine", "Saffron Stack", "Quillfeather")
THINGS = (
    "ledger", "beacon", "gateway", "archive", "scheduler", "mirror", "broker", "catalogue", "tunnel", "relay",
    "notebook", "mailer", "forge", "cache", "lantern", "compass", "weaver", "orchard", "anchor", "harvest", "pulse",
    "atlas",
)  # fmt: skip
# integrations of a program, and how many working days its decisions take at the middle
PROGRAMS_OF_THE_PAST = (
    ("terraform-provider", 52, 5.5), ("terraform-run-task", 26, 3.5), ("nomad", 20, 4.5), ("vault", 20, 7.0),
    ("consul", 8, 5.0),
)  # fmt: skip
LAST_DAYS = 330  # within which they ended or were listed
ENDINGS = (("", 48), ("withdraw", 26), ("decline", 14), ("archive", 12))
VIEWS = (
    ("queue", "Waiting for a week", "age=7"),
    ("integrations", "Terraform, in review", "program=terraform-provider&stage=review"),
    ("office", "Terraform, this year", "program=terraform-provider&period=365"),
)
LABELS = {step.name: step.custom.get("label", step.name) for _, step in all_steps()}
END_NAMES = {"withdrawn", "declined", "archived"}


@dataclass
class Life:
    """One integration of the past: its row, how it went, and what was written of it."""

    row: Integration
    acts: list[tuple[datetime, Act]]
    people: dict[str, Any]
    events: list[Event] = field(default_factory=list)
    turns: list[Event] = field(default_factory=list)


def live(now: datetime, reviewers: list[User], password: str) -> None:
    """A year of integrations of six companies, of which some are in support and the others have ended."""
    random = Random(20260101)  # noqa: S311 - the same world each time
    companies = [company(name, now, password) for name in COMPANIES]
    lives: list[Life] = []
    for program, count, middle in PROGRAMS_OF_THE_PAST:
        for _ in range(count):
            lives.append(begun(random, len(lives), program, middle, companies, reviewers, now))
    Integration.objects.bulk_create([life.row for life in lives])
    for life in lives:
        tell(life)
    written = [event for life in lives for event in (*life.events, *life.turns)]
    Event.objects.bulk_create(written, batch_size=500)
    support([life.row for life in lives if life.row.stage == Stage.SUPPORT], now)
    services.rebuild()
    for page, name, query in VIEWS:
        saved.save(reviewers[0], page, name, query, shared=True, now=now)


def company(name: str, now: datetime, password: str) -> tuple[Partner, User]:
    """A company of the past and its owner, who cannot be found among the people to sign in as."""
    domain = f"{slugify(name)}.example"
    owner = User.objects.create(email=f"owner@{domain}", name=f"{name.split()[0]} Owner", password=password)
    then = now - timedelta(days=600)
    return people.create_partner(name, website=f"https://{domain}", domain=domain, by=owner, now=then), owner


def begun(
    random: Random, number: int, program: str, middle: float, companies: list[tuple[Partner, User]],
    reviewers: list[User], now: datetime,
) -> Life:  # fmt: skip
    """One integration as it stands now, with the plan of how it came there."""
    edition = PROGRAMS[program].newest
    ending = random.choices([key for key, _ in ENDINGS], [weight for _, weight in ENDINGS])[0]
    acts = planned(random, edition, middle, ending)
    end = now - DAY * (2 + LAST_DAYS * random.random())
    moments = [end - sum((act.after for act in acts[n + 1 :]), timedelta()) for n in range(len(acts))]
    partner, owner = companies[number % len(companies)]
    thing = THINGS[number // len(companies) % len(THINGS)]
    row = Integration(
        **_facts(partner, program, edition, thing, random), **_place(acts, moments, edition), created_by=owner
    )
    row.reviewer = reviewers[number % len(reviewers)] if row.review_round else None
    row.name_key = name_key(row.name)
    dated = list(zip(moments, acts, strict=True))
    return Life(row, dated, {OWNER: owner, REVIEWER: reviewers[number % len(reviewers)], "": None})


def _facts(partner: Partner, program: str, edition: Edition, thing: str, random: Random) -> dict[str, Any]:
    """What the company said of it."""
    word = partner.name.split()[0]
    address = f"{slugify(partner.name)}/{program.split('-')[0]}-{slugify(word)}-{thing}"
    return {
        "partner": partner, "program_key": program, "edition_date": edition.date, "name": f"{word} {thing}",
        "description": f"The {thing} of {partner.name}, as code.", "repository": address,
        "category": random.choice([c.key for c in edition.categories]) if edition.categories else "",
        "offerings": list(edition.offerings[:1]), "homepage": f"https://{partner.domain}/{thing}",
    }  # fmt: skip


def _place(acts: list[Act], moments: list[datetime], edition: Edition) -> dict[str, Any]:
    """Where it stands after the last act."""
    last, end = acts[-1], moments[-1]
    when = {act.verb: at for act, at in zip(acts, moments, strict=True)}
    ended = last.stage in END_NAMES
    asked = [at for act, at in zip(acts, moments, strict=True) if act.verb.startswith("request_") and act.by == OWNER]
    listed = "release" in when
    return {
        "stage": last.stage, "step": last.step, "before_end": acts[-2].stage if ended else "",
        "review_round": last.round, "review_requested_at": asked[-1] if asked else None,
        "created_at": moments[0], "released_at": when.get("release"), "ended_at": end if ended else None,
        "standing": (Standing.REMOVED if ended else Standing.VERIFIED) if listed else Standing.NONE,
        "tier": edition.release_tier.key if listed and not ended else "",
        "standing_since": end if listed else None, "turn_holder": last.holder, "turn_since": end,
        "version": len(acts),
    }  # fmt: skip


def tell(life: Life) -> None:
    """The history of one life: what people did, and each passing of the turn."""
    row, was = life.row, ("", "")
    for at, act in life.acts:
        by = life.people[act.by]
        if act.verb:
            said = _said(row, act, was)
            who = {"actor_id": by.pk, "actor": str(by), "note": act.note}
            _append(life.events, f"integration:{row.pk}", integration=row, partner=row.partner, verb=act.verb, at=at,
                    data=said, **who)  # fmt: skip
        turned = {"stage": act.stage, "holder": act.holder, "round": act.round}
        _append(life.turns, turn_stream(row.pk), verb=TURN, internal=True, at=at, data=turned)
        was = (act.stage, act.step)


def _said(row: Integration, act: Act, was: tuple[str, str]) -> dict[str, Any]:
    if act.verb == "created":
        return {"program": row.program_key, "edition": row.edition_date, "name": row.name}
    return {
        "label": LABELS[act.verb], "from": list(was), "to": [act.stage, act.step],
        "to_step": row.edition.step(act.step).name, "round": act.round,
    }  # fmt: skip


def _append(before: list[Event], stream: str, **fields: Any) -> None:
    event = Event(stream=stream, seq=len(before) + 1, before=before[-1].hash if before else "", **fields)
    event.seal()
    before.append(event)


def support(rows: list[Integration], now: datetime) -> None:
    """What is in support has everything that its program asks, and its turn is derived from that."""
    states = {row.pk: [_met(row, requirement) for requirement in row.edition.requirements()] for row in rows}
    RequirementState.objects.bulk_create([state for found in states.values() for state in found], batch_size=500)
    for row in rows:
        row.__dict__["_states"] = {state.requirement_id: state for state in states[row.pk]}
        row.__dict__["_findings"] = []
        turn = turn_of(context.facts_of(row, now))
        row.turn_action, row.turn_target = (turn.action, turn.target) if turn else ("", "")
        row.tally = context.tally(row, now)
    Integration.objects.bulk_update(rows, ["turn_action", "turn_target", "tally"], batch_size=200)


def _met(row: Integration, requirement: Requirement) -> RequirementState:
    status = Status.PASS if requirement.who == Who.MACHINE else Status.GIVEN
    return RequirementState(
        integration=row, requirement_id=requirement.id, status=status, summary="In order.", given_at=row.released_at
    )
