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
from integrations.partners.services import profiles
from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Edition, FulfillingParty, Requirement, Stage
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.selectors import context
from integrations.submissions.services.transitions import list_all_transitions
from integrations.submissions.workflow.states import ListingStatus, Status, determine_next_action
from portal.accounts.models import User
from portal.analytics import services
from portal.analytics.saved_views import services as saved
from portal.audit.models import AuditEvent
from portal.audit.services import RESPONSIBILITY_EVENT_TYPE, get_turn_stream
from portal.core.name_matching import compute_name_key
from portal.demo.planned import DAY, OWNER, REVIEWER, PastAct, plan_acts

COMPANIES = ("Orchid Works", "Larkspur Labs", "Basalt Grid", "Harbour Nine", "Saffron Stack", "Quillfeather")
PRODUCT_NAMES = (
    "ledger", "beacon", "gateway", "archive", "scheduler", "mirror", "broker", "catalog", "tunnel", "relay",
    "notebook", "mailer", "forge", "cache", "lantern", "compass", "weaver", "orchard", "anchor", "harvest", "pulse",
    "atlas",
)  # fmt: skip
# integrations of a program, and how many working days its decisions take at the middle
PAST_PROGRAMS = (
    ("terraform-provider", 52, 5.5), ("terraform-run-task", 26, 3.5), ("nomad", 20, 4.5), ("vault", 20, 7.0),
    ("consul", 8, 5.0),
)  # fmt: skip
END_WINDOW_DAYS = 330  # within which they ended or were listed
END_WEIGHTS = (("", 48), ("withdraw", 26), ("decline", 14), ("archive", 12))
SAVED_VIEWS = (
    ("queue", "Waiting for a week", "age=7"),
    ("integrations", "Terraform, in review", "program=terraform-provider&stage=review"),
    ("office", "Terraform, this year", "program=terraform-provider&period=365"),
)
STEP_LABELS = {step.name: step.custom.get("label", step.name) for _, step in list_all_transitions()}
END_STAGES = {"withdrawn", "declined", "archived"}


@dataclass
class PastIntegration:
    """One integration of the past: its row, how it went, and what was written of it."""

    row: Integration
    acts: list[tuple[datetime, PastAct]]
    people: dict[str, Any]
    events: list[AuditEvent] = field(default_factory=list)
    turns: list[AuditEvent] = field(default_factory=list)


def create_past(now: datetime, reviewers: list[User], password: str) -> None:
    """A year of integrations of six companies, of which some are in support and the others have ended."""
    random = Random(20260101)  # noqa: S311 - the same world each time
    companies = [create_company(name, now, password) for name in COMPANIES]
    lives: list[PastIntegration] = []
    for program, count, middle in PAST_PROGRAMS:
        for _ in range(count):
            lives.append(build_past_integration(random, len(lives), program, middle, companies, reviewers, now))
    Integration.objects.bulk_create([life.row for life in lives])
    for life in lives:
        build_events(life)
    all_events = [event for life in lives for event in (*life.events, *life.turns)]
    AuditEvent.objects.bulk_create(all_events, batch_size=500)
    complete_requirements([life.row for life in lives if life.row.stage == Stage.SUPPORT], now)
    services.rebuild()
    for page, name, query in SAVED_VIEWS:
        saved.save_view(reviewers[0], page, name, query, shared=True, now=now)


def create_company(name: str, now: datetime, password: str) -> tuple[Partner, User]:
    """A company of the past and its owner, who cannot be found among the people to sign in as."""
    domain = f"{slugify(name)}.example"
    owner = User.objects.create(email=f"owner@{domain}", name=f"{name.split()[0]} Owner", password=password)
    then = now - timedelta(days=600)
    return profiles.create_partner(name, website=f"https://{domain}", domain=domain, actor=owner, now=then), owner


def build_past_integration(
    random: Random, number: int, program: str, middle: float, companies: list[tuple[Partner, User]],
    reviewers: list[User], now: datetime,
) -> PastIntegration:  # fmt: skip
    """One integration as it stands now, with the plan of how it came there."""
    edition = PROGRAMS[program].newest
    ending = random.choices([key for key, _ in END_WEIGHTS], [weight for _, weight in END_WEIGHTS])[0]
    acts = plan_acts(random, edition, middle, ending)
    end = now - DAY * (2 + END_WINDOW_DAYS * random.random())
    moments = [end - sum((act.after for act in acts[n + 1 :]), timedelta()) for n in range(len(acts))]
    partner, owner = companies[number % len(companies)]
    thing = PRODUCT_NAMES[number // len(companies) % len(PRODUCT_NAMES)]
    integration = Integration(
        **_build_fields(partner, program, edition, thing, random),
        **_build_state(acts, moments, edition),
        created_by=owner,
    )
    integration.reviewer = reviewers[number % len(reviewers)] if integration.review_round else None
    integration.name_key = compute_name_key(integration.name)
    timed_acts = list(zip(moments, acts, strict=True))
    return PastIntegration(
        integration, timed_acts, {OWNER: owner, REVIEWER: reviewers[number % len(reviewers)], "": None}
    )


def _build_fields(partner: Partner, program: str, edition: Edition, thing: str, random: Random) -> dict[str, Any]:
    """What the company said of it."""
    word = partner.name.split()[0]
    address = f"{slugify(partner.name)}/{program.split('-')[0]}-{slugify(word)}-{thing}"
    return {
        "partner": partner, "program_key": program, "edition_date": edition.date, "name": f"{word} {thing}",
        "description": f"The {thing} of {partner.name}, as code.", "repository": address,
        "category": random.choice([c.key for c in edition.categories]) if edition.categories else "",
        "offerings": list(edition.offerings[:1]), "homepage": f"https://{partner.domain}/{thing}",
    }  # fmt: skip


def _build_state(acts: list[PastAct], moments: list[datetime], edition: Edition) -> dict[str, Any]:
    """Where it stands after the last act."""
    last, end = acts[-1], moments[-1]
    when = {act.event_type: at for act, at in zip(acts, moments, strict=True)}
    has_ended = last.stage in END_STAGES
    request_times = [
        at for act, at in zip(acts, moments, strict=True) if act.event_type.startswith("request_") and act.by == OWNER
    ]
    is_listed = "publish" in when
    return {
        "stage": last.stage,
        "step": last.step,
        "stage_before_end": acts[-2].stage if has_ended else "",
        "review_round": last.round,
        "review_requested_at": request_times[-1] if request_times else None,
        "created_at": moments[0],
        "released_at": when.get("publish"),
        "ended_at": end if has_ended else None,
        "listing_status": (ListingStatus.DELISTED if has_ended else ListingStatus.LISTED)
        if is_listed
        else ListingStatus.UNLISTED,
        "tier": edition.release_tier.key if is_listed and not has_ended else "",
        "listing_status_since": end if is_listed else None,
        "responsible_party": last.holder,
        "responsible_since": end,
        "version": len(acts),
    }


def build_events(life: PastIntegration) -> None:
    """The history of one life: what people did, and each passing of the turn."""
    integration, previous_position = life.row, ("", "")
    for at, act in life.acts:
        by = life.people[act.by]
        if act.event_type:
            event_data = _build_event_data(integration, act, previous_position)
            actor_fields = {"actor_id": by.pk, "actor": str(by), "note": act.note}
            _append_event(
                life.events,
                f"integration:{integration.pk}",
                integration=integration,
                partner=integration.partner,
                event_type=act.event_type,
                at=at,
                data=event_data,
                **actor_fields,
            )
        turn_data = {"stage": act.stage, "holder": act.holder, "round": act.round}
        _append_event(
            life.turns,
            get_turn_stream(integration.pk),
            event_type=RESPONSIBILITY_EVENT_TYPE,
            internal=True,
            at=at,
            data=turn_data,
        )
        previous_position = (act.stage, act.step)


def _build_event_data(integration: Integration, act: PastAct, previous_position: tuple[str, str]) -> dict[str, Any]:
    if act.event_type == "created":
        return {"program": integration.program_key, "edition": integration.edition_date, "name": integration.name}
    return {
        "label": STEP_LABELS[act.event_type], "from": list(previous_position), "to": [act.stage, act.step],
        "to_step": integration.edition.step(act.step).name, "round": act.round,
    }  # fmt: skip


def _append_event(before: list[AuditEvent], stream: str, **fields: Any) -> None:
    event = AuditEvent(stream=stream, seq=len(before) + 1, before=before[-1].hash if before else "", **fields)
    event.seal()
    before.append(event)


def complete_requirements(rows: list[Integration], now: datetime) -> None:
    """What is in support has everything that its program asks, and its turn is derived from that."""
    states = {
        integration.pk: [
            _build_fulfillment(integration, requirement) for requirement in integration.edition.requirements()
        ]
        for integration in rows
    }
    RequirementFulfillment.objects.bulk_create(
        [state for integration_states in states.values() for state in integration_states], batch_size=500
    )
    for integration in rows:
        integration.__dict__["_states"] = {state.requirement_id: state for state in states[integration.pk]}
        integration.__dict__["_findings"] = []
        turn = determine_next_action(context.build_step_context(integration, now))
        integration.next_action_text, integration.next_action_target = (turn.action, turn.target) if turn else ("", "")
        integration.requirement_counts = context.count_requirements(integration, now)
    Integration.objects.bulk_update(
        rows, ["next_action_text", "next_action_target", "requirement_counts"], batch_size=200
    )


def _build_fulfillment(integration: Integration, requirement: Requirement) -> RequirementFulfillment:
    status = Status.PASS if requirement.who == FulfillingParty.MACHINE else Status.SUBMITTED
    return RequirementFulfillment(
        integration=integration,
        requirement_id=requirement.id,
        status=status,
        summary="In order.",
        submitted_at=integration.released_at,
    )
