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
from integrations.submissions.workflow.states import ListingStatus, Status, determine_next_action
from integrations.submissions.workflow.transition_options import TRANSITION_OPTIONS
from portal.accounts.models import User
from portal.analytics import services
from portal.analytics.saved_views import services as saved_views
from portal.audit.catalog import EVENT_TYPES_BY_TRANSITION
from portal.audit.models import AuditEvent
from portal.core.name_matching import compute_name_key
from portal.core.value_types import JsonObject
from portal.demo.content import PAST
from portal.demo.past_transitions import CREATION, DAY, OWNER, REVIEWER, PastTransition, TransitionPlan

END_WINDOW_DAYS = 330  # period in which they ended or were listed
END_STAGES = {"withdrawn", "declined", "archived"}


@dataclass
class PastIntegration:
    """Past integration with its transitions, their times, and its events."""

    row: Integration
    transitions: list[tuple[datetime, PastTransition]]
    people: dict[str, User]
    events: list[AuditEvent] = field(default_factory=list)
    turns: list[AuditEvent] = field(default_factory=list)


def create_past(now: datetime, reviewers: list[User], password: str) -> None:
    """Create a year of integrations of six partners, some in support and the others ended."""
    random = Random(20260101)  # noqa: S311 - the same world each time
    companies = [create_company(name, now, password) for name in PAST.companies]
    entries: list[PastIntegration] = []
    for program, count, median_days in PAST.programs:
        for number in range(len(entries), len(entries) + count):
            partner, owner = companies[number % len(companies)]
            people = {OWNER: owner, REVIEWER: reviewers[number % len(reviewers)]}
            product_name = PAST.products[number // len(companies) % len(PAST.products)]
            transitions = draw_transitions(random, PROGRAMS[program].newest, median_days, now)
            integration = Integration(partner=partner, program_key=program, created_by=owner, **get_status(transitions))
            fill_fields(integration, product_name, random)
            fill_progress(integration, transitions, people[REVIEWER])
            entries.append(PastIntegration(integration, transitions, people))
    Integration.objects.bulk_create([entry.row for entry in entries])
    for entry in entries:
        build_events(entry)
    all_events = [event for entry in entries for event in (*entry.events, *entry.turns)]
    AuditEvent.objects.bulk_create(all_events, batch_size=500)
    complete_requirements([entry.row for entry in entries if entry.row.stage == Stage.SUPPORT], now)
    services.rebuild()
    for page, name, query in PAST.saved_views:
        saved_views.save_view(reviewers[0], page, name, query, shared=True, now=now)


def create_company(name: str, now: datetime, password: str) -> tuple[Partner, User]:
    """Create a partner and its owner, who is not in the list of demo sign-ins."""
    domain = f"{slugify(name)}.example"
    owner = User.objects.create(email=f"owner@{domain}", name=f"{name.split()[0]} Owner", password=password)
    then = now - timedelta(days=600)
    return profiles.create_partner(name, website=f"https://{domain}", domain=domain, actor=owner, now=then), owner


def draw_transitions(
    random: Random, edition: Edition, median_days: float, now: datetime
) -> list[tuple[datetime, PastTransition]]:
    """Return random transitions with their times. The last was within the last year."""
    ending = random.choices(list(PAST.endings), list(PAST.endings.values()))[0]
    transitions = TransitionPlan(random, edition, median_days, ending).transitions
    moment = now - DAY * (2 + END_WINDOW_DAYS * random.random())
    timed_transitions = []
    for transition in reversed(transitions):
        timed_transitions.append((moment, transition))
        moment -= transition.delay
    return timed_transitions[::-1]


def fill_fields(integration: Integration, product_name: str, random: Random) -> None:
    """Fill the fields that the partner entered."""
    partner, edition = integration.partner, PROGRAMS[integration.program_key].newest
    first_word = partner.name.split()[0]
    integration.edition_date = edition.date
    integration.name = f"{first_word} {product_name}"
    integration.name_key = compute_name_key(integration.name)
    integration.description = f"The {product_name} of {partner.name}, as code."
    repository = f"{integration.program_key.split('-')[0]}-{slugify(first_word)}-{product_name}"
    integration.repository = f"{slugify(partner.name)}/{repository}"
    integration.category = random.choice([c.key for c in edition.categories]) if edition.categories else ""
    integration.offerings = list(edition.offerings[:1])
    integration.homepage = f"https://{partner.domain}/{product_name}"


def get_status(transitions: list[tuple[datetime, PastTransition]]) -> dict[str, str]:
    """Return the stage and the listing status, which Integration accepts only when it is created."""
    stage = transitions[-1][1].stage
    if all(transition.name != "publish" for _, transition in transitions):
        return {"stage": stage, "listing_status": ListingStatus.UNLISTED}
    return {"stage": stage, "listing_status": ListingStatus.DELISTED if stage in END_STAGES else ListingStatus.LISTED}


def fill_progress(integration: Integration, transitions: list[tuple[datetime, PastTransition]], reviewer: User) -> None:
    """Fill the step, the responsible party, and the times after the last transition."""
    moments = {transition.name: at for at, transition in transitions}
    end, last = transitions[-1]
    has_ended, released_at = last.stage in END_STAGES, moments.get("publish")
    integration.step, integration.review_round = last.step, last.round
    integration.stage_before_end = transitions[-2][1].stage if has_ended else ""
    integration.review_requested_at = moments.get("resubmit_for_review") or moments.get("submit_for_review")
    integration.created_at, integration.released_at = transitions[0][0], released_at
    integration.ended_at = end if has_ended else None
    if released_at:
        integration.listing_status_since = end
        integration.tier = "" if has_ended else integration.edition.release_tier.key
    integration.responsible_party, integration.responsible_since = last.responsible_party, end
    integration.reviewer = reviewer if last.round else None
    integration.version = len(transitions)


def build_events(entry: PastIntegration) -> None:
    """Build the audit events and the responsibility changes of an integration."""
    integration, previous_position = entry.row, ("", "")
    for at, transition in entry.transitions:
        if transition.name:
            actor = entry.people[transition.actor]
            _append_event(
                entry.events,
                f"integration:{integration.pk}",
                integration=integration,
                partner=integration.partner,
                event_type=_get_event_type(transition),
                at=at,
                data=_build_event_data(integration, transition, previous_position),
                actor_id=actor.pk,
                actor=str(actor),
                note=transition.note,
            )
        turn_data = {"stage": transition.stage, "holder": transition.responsible_party, "round": transition.round}
        turn = {"event_type": RESPONSIBILITY_EVENT_TYPE, "internal": True, "at": at, "data": turn_data}
        _append_event(entry.turns, get_turn_stream(integration.pk), **turn)
        previous_position = (transition.stage, transition.step)


def _get_event_type(transition: PastTransition) -> str:
    return "integration.created" if transition.name == CREATION else EVENT_TYPES_BY_TRANSITION[transition.name].key


def _build_event_data(
    integration: Integration, transition: PastTransition, previous_position: tuple[str, str]
) -> JsonObject:
    if transition.name == CREATION:
        return {"program": integration.program_key, "edition": integration.edition_date, "name": integration.name}
    return {
        "label": TRANSITION_OPTIONS[transition.name].label or transition.name,
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
    for integration in rows:
        integration.fulfillments_by_id = {
            requirement.id: _build_fulfillment(integration, requirement)
            for requirement in integration.edition.requirements()
        }
    fulfillments = [each for integration in rows for each in integration.fulfillments_by_id.values()]
    RequirementFulfillment.objects.bulk_create(fulfillments, batch_size=500)
    for integration in rows:
        integration.all_findings = []
        next_action = determine_next_action(context.build_snapshot(integration, now))
        assert next_action is not None  # only ended integrations have none
        integration.next_action_code, integration.next_action_params = next_action.code, next_action.params
        integration.next_action_target = next_action.target
        integration.requirement_counts = context.count_requirements(integration, now)
    columns = ["next_action_code", "next_action_params", "next_action_target", "requirement_counts"]
    Integration.objects.bulk_update(rows, columns, batch_size=200)


def _build_fulfillment(integration: Integration, requirement: Requirement) -> RequirementFulfillment:
    return RequirementFulfillment(
        integration=integration,
        requirement_id=requirement.id,
        status=Status.PASS if requirement.responsible_party == FulfillingParty.MACHINE else Status.SUBMITTED,
        summary="The evidence fulfills the requirement.",
        submitted_at=integration.released_at,
    )
