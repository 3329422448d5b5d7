"""A year of past integrations of the demo world, for analytics.

The rows are created in bulk, because the services would take minutes. They equal what the services would write: chained
audit events, changes of the responsible party, and fulfilled requirements. The result is the same every time.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from django.utils.text import slugify

from integrations.partners.models import Partner
from integrations.partners.services import profiles
from integrations.programs.registry import PROGRAMS
from integrations.programs.requirements import FulfillingParty, Requirement
from integrations.programs.schema import Edition
from integrations.programs.stages import Stage
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.selectors import context
from integrations.submissions.services.responsibility import RESPONSIBILITY_EVENT_TYPE, get_turn_stream
from integrations.submissions.services.transitions import list_all_transitions
from integrations.submissions.workflow.states import ListingStatus, Status, determine_next_action
from portal.accounts.models import User
from portal.analytics import services
from portal.analytics.saved_views import services as saved_views
from portal.audit.catalog import EVENT_TYPES_BY_TRANSITION
from portal.audit.models import AuditEvent
from portal.core.name_matching import compute_name_key
from portal.core.value_types import JsonObject, NamedValues
from portal.demo.past_transitions import CREATION, DAY, OWNER, REVIEWER, PastTransition, plan_transitions

COMPANIES = ("Orchid Works", "Larkspur Labs", "Basalt Grid", "Harbor Nine", "Saffron Stack", "Quillfeather")
PRODUCT_NAMES = (
    "ledger",
    "beacon",
    "gateway",
    "archive",
    "scheduler",
    "mirror",
    "broker",
    "catalog",
    "tunnel",
    "relay",
    "notebook",
    "mailer",
    "forge",
    "cache",
    "lantern",
    "compass",
    "weaver",
    "orchard",
    "anchor",
    "harvest",
    "pulse",
    "atlas",
)
# program, number of integrations, median working days of a decision
PAST_PROGRAMS = (
    ("terraform-provider", 52, 5.5),
    ("terraform-run-task", 26, 3.5),
    ("nomad", 20, 4.5),
    ("vault", 20, 7.0),
    ("consul", 8, 5.0),
)
END_WINDOW_DAYS = 330  # period in which they ended or were listed
END_WEIGHTS = (("", 48), ("withdraw", 26), ("decline", 14), ("archive", 12))
SAVED_VIEWS = (
    ("queue", "Waiting for more than a week", "age=7"),
    ("integrations", "Terraform, in review", "program=terraform-provider&stage=review"),
    ("overview", "Terraform, this year", "program=terraform-provider&period=365"),
)
STEP_LABELS = {step.name: step.custom.get("label", step.name) for _, step in list_all_transitions()}
REVIEW_REQUESTS = {"submit_for_review", "resubmit_for_review"}
END_STAGES = {"withdrawn", "declined", "archived"}


@dataclass
class PastIntegration:
    """Past integration with its transitions and events."""

    row: Integration
    transitions: list[tuple[datetime, PastTransition]]
    people: NamedValues
    events: list[AuditEvent] = field(default_factory=list)
    turns: list[AuditEvent] = field(default_factory=list)


def create_past(now: datetime, reviewers: list[User], password: str) -> None:
    """Create a year of integrations of six partners, some in support and the others ended."""
    random = Random(20260101)  # noqa: S311 - the same world each time
    companies = [create_company(name, now, password) for name in COMPANIES]
    entries: list[PastIntegration] = []
    for program, count, median_days in PAST_PROGRAMS:
        for _ in range(count):
            entries.append(
                build_past_integration(random, len(entries), program, median_days, companies, reviewers, now)
            )
    Integration.objects.bulk_create([entry.row for entry in entries])
    for entry in entries:
        build_events(entry)
    all_events = [event for entry in entries for event in (*entry.events, *entry.turns)]
    AuditEvent.objects.bulk_create(all_events, batch_size=500)
    complete_requirements([entry.row for entry in entries if entry.row.stage == Stage.SUPPORT], now)
    services.rebuild()
    for page, name, query in SAVED_VIEWS:
        saved_views.save_view(reviewers[0], page, name, query, shared=True, now=now)


def create_company(name: str, now: datetime, password: str) -> tuple[Partner, User]:
    """Create a partner and its owner, who is not in the list of demo sign-ins."""
    domain = f"{slugify(name)}.example"
    owner = User.objects.create(email=f"owner@{domain}", name=f"{name.split()[0]} Owner", password=password)
    then = now - timedelta(days=600)
    return profiles.create_partner(name, website=f"https://{domain}", domain=domain, actor=owner, now=then), owner


def build_past_integration(
    random: Random,
    number: int,
    program: str,
    median_days: float,
    companies: list[tuple[Partner, User]],
    reviewers: list[User],
    now: datetime,
) -> PastIntegration:
    """Return an integration in its current state, together with its past transitions."""
    edition = PROGRAMS[program].newest
    ending = random.choices([key for key, _ in END_WEIGHTS], [weight for _, weight in END_WEIGHTS])[0]
    transitions = plan_transitions(random, edition, median_days, ending)
    end = now - DAY * (2 + END_WINDOW_DAYS * random.random())
    moments = [
        end - sum((transition.delay for transition in transitions[n + 1 :]), timedelta())
        for n in range(len(transitions))
    ]
    partner, owner = companies[number % len(companies)]
    product_name = PRODUCT_NAMES[number // len(companies) % len(PRODUCT_NAMES)]
    integration = Integration(
        **_build_fields(partner, program, edition, product_name, random),
        **_build_state(transitions, moments, edition),
        created_by=owner,
    )
    integration.reviewer = reviewers[number % len(reviewers)] if integration.review_round else None
    integration.name_key = compute_name_key(integration.name)
    timed_transitions = list(zip(moments, transitions, strict=True))
    return PastIntegration(
        integration, timed_transitions, {OWNER: owner, REVIEWER: reviewers[number % len(reviewers)], "": None}
    )


def _build_fields(
    partner: Partner, program: str, edition: Edition, product_name: str, random: Random
) -> dict[str, object]:
    """Return the fields that the partner entered."""
    first_word = partner.name.split()[0]
    address = f"{slugify(partner.name)}/{program.split('-')[0]}-{slugify(first_word)}-{product_name}"
    return {
        "partner": partner,
        "program_key": program,
        "edition_date": edition.date,
        "name": f"{first_word} {product_name}",
        "description": f"The {product_name} of {partner.name}, as code.",
        "repository": address,
        "category": random.choice([c.key for c in edition.categories]) if edition.categories else "",
        "offerings": list(edition.offerings[:1]),
        "homepage": f"https://{partner.domain}/{product_name}",
    }


def _build_state(transitions: list[PastTransition], moments: list[datetime], edition: Edition) -> NamedValues:
    """Return the state after the last transition."""
    last, end = transitions[-1], moments[-1]
    when = {transition.name: at for transition, at in zip(transitions, moments, strict=True)}
    has_ended = last.stage in END_STAGES
    request_times = [
        at for transition, at in zip(transitions, moments, strict=True) if transition.name in REVIEW_REQUESTS
    ]
    is_listed = "publish" in when
    return {
        "stage": last.stage,
        "step": last.step,
        "stage_before_end": transitions[-2].stage if has_ended else "",
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
        "responsible_party": last.responsible_party,
        "responsible_since": end,
        "version": len(transitions),
    }


def build_events(entry: PastIntegration) -> None:
    """Build the audit events and the responsibility changes of an integration."""
    integration, previous_position = entry.row, ("", "")
    for at, transition in entry.transitions:
        actor = entry.people[transition.actor]
        if transition.name:
            event_data = _build_event_data(integration, transition, previous_position)
            actor_fields = {"actor_id": actor.pk, "actor": str(actor), "note": transition.note}
            _append_event(
                entry.events,
                f"integration:{integration.pk}",
                integration=integration,
                partner=integration.partner,
                event_type=_get_event_type(transition),
                at=at,
                data=event_data,
                **actor_fields,
            )
        turn_data = {"stage": transition.stage, "holder": transition.responsible_party, "round": transition.round}
        _append_event(
            entry.turns,
            get_turn_stream(integration.pk),
            event_type=RESPONSIBILITY_EVENT_TYPE,
            internal=True,
            at=at,
            data=turn_data,
        )
        previous_position = (transition.stage, transition.step)


def _get_event_type(transition: PastTransition) -> str:
    return "integration.created" if transition.name == CREATION else EVENT_TYPES_BY_TRANSITION[transition.name].key


def _build_event_data(
    integration: Integration, transition: PastTransition, previous_position: tuple[str, str]
) -> JsonObject:
    if transition.name == CREATION:
        return {"program": integration.program_key, "edition": integration.edition_date, "name": integration.name}
    return {
        "label": STEP_LABELS[transition.name],
        "from": list(previous_position),
        "to": [transition.stage, transition.step],
        "to_step": integration.edition.step(transition.step).name,
        "round": transition.round,
    }


def _append_event(before: list[AuditEvent], stream: str, **fields: object) -> None:
    event = AuditEvent(stream=stream, seq=len(before) + 1, before=before[-1].hash if before else "", **fields)
    event.seal()
    before.append(event)


def complete_requirements(rows: list[Integration], now: datetime) -> None:
    """Fulfill all requirements of integrations in support and derive their next actions."""
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
        integration.fulfillments_by_id = {state.requirement_id: state for state in states[integration.pk]}
        integration.all_findings = []
        next_action = determine_next_action(context.build_snapshot(integration, now))
        assert next_action is not None  # only ended integrations have none
        integration.next_action_code, integration.next_action_params = next_action.code, next_action.params
        integration.next_action_target = next_action.target
        integration.requirement_counts = context.count_requirements(integration, now)
    columns = ["next_action_code", "next_action_params", "next_action_target", "requirement_counts"]
    Integration.objects.bulk_update(rows, columns, batch_size=200)


def _build_fulfillment(integration: Integration, requirement: Requirement) -> RequirementFulfillment:
    status = Status.PASS if requirement.responsible_party == FulfillingParty.MACHINE else Status.SUBMITTED
    return RequirementFulfillment(
        integration=integration,
        requirement_id=requirement.id,
        status=status,
        summary="The evidence fulfills the requirement.",
        submitted_at=integration.released_at,
    )
