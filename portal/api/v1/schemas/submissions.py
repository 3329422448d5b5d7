"""API schemas and serializers of integrations, events, requirements, findings, and messages."""

from datetime import datetime
from uuid import UUID

from ninja import Schema

from integrations.submissions.models import Finding, Integration, Meeting, ReviewMessage
from integrations.submissions.presenters import RequirementRow
from integrations.submissions.services.transitions import AvailableTransition
from portal.api.v1.schemas.common import PartnerReference, build_absolute_url, serialize_partner_reference
from portal.audit.models import AuditEvent
from portal.core.value_types import JsonObject


class NextActionOut(Schema):
    """Next action. `responsible_party` is empty if no action is needed."""

    responsible_party: str
    action: str
    since: datetime | None
    due_at: datetime | None


class IntegrationOut(Schema):
    """Integration."""

    uuid: UUID
    name: str
    program: str
    edition: str
    partner: PartnerReference
    stage: str
    step: str
    listing_status: str
    tier: str
    on_hold_for: str
    review_state: str
    review_round: int
    next_action: NextActionOut
    category: str
    description: str
    offerings: list[str]
    repository: str
    homepage: str
    reviewer: str
    created_at: datetime
    released_at: datetime | None
    ended_at: datetime | None
    version: int
    href: str


class OpenRequirementOut(Schema):
    """Requirement that must be complete before the next step."""

    requirement: str
    title: str
    why: str


class IntegrationDetail(IntegrationOut):
    """Integration with the open requirements of the next step."""

    open_requirements: list[OpenRequirementOut]


class TransitionOut(Schema):
    """Transition available to the token's user. `blockers` lists what prevents it."""

    name: str
    label: str
    tone: str
    note: str
    is_decision: bool
    ready: bool
    blockers: list[str]


class EventOut(Schema):
    seq: int
    event_type: str
    summary: str
    actor: str
    note: str
    internal: bool
    requirement: str
    at: datetime


class RequirementOut(Schema):
    """Requirement. `status` is the status on pages, where a waiver takes precedence."""

    id: str
    title: str
    responsible_party: str
    kind: str
    step: str
    optional: bool
    status: str
    is_fulfilled: bool
    summary: str
    why: str
    version: int
    submitted_by: str
    submitted_at: datetime | None
    valid_until: datetime | None
    waiver_expires_at: datetime | None
    waiver_reason: str


class DocumentOut(Schema):
    uuid: UUID
    name: str
    kind: str
    size: int
    sha256: str
    uploaded_at: datetime


class CredentialOut(Schema):
    """Test account, without its credentials."""

    uuid: UUID
    label: str
    permanent: bool
    created_at: datetime
    rotate_at: datetime | None


class MeetingOut(Schema):
    uuid: UUID
    requirement: str
    state: str
    proposed_by_program: bool
    times: list[datetime]
    starts_at: datetime | None
    minutes: int
    place: str
    items: dict[str, bool]


class RequirementDetail(RequirementOut):
    """Requirement with its questions as JSON schema, answers, and available actions.

    `items` lists the items of the meeting. `accept` lists the allowed file types of a document.
    """

    questions: JsonObject
    answers: JsonObject
    available_actions: list[str]
    items: list[str]
    accept: list[str]
    documents: list[DocumentOut]
    credentials: list[CredentialOut]
    meeting: MeetingOut | None


class FindingOut(Schema):
    id: int
    number: int
    round: int
    requirement: str
    text: str
    state: str
    raised_by: str
    raised_at: datetime
    due_at: datetime | None
    answer: str
    resolved_at: datetime | None
    verified_at: datetime | None


class MessageOut(Schema):
    id: int
    author: str
    body: str
    internal: bool
    at: datetime


def serialize_integration(row: Integration) -> JsonObject:
    field_names = (
        "uuid",
        "name",
        "stage",
        "step",
        "listing_status",
        "tier",
        "on_hold_for",
        "review_state",
        "review_round",
        "category",
        "description",
        "offerings",
        "repository",
        "homepage",
        "created_at",
        "released_at",
        "ended_at",
        "version",
    )
    next_action = {
        "responsible_party": row.responsible_party,
        "action": row.next_action_text,
        "since": row.responsible_since,
        "due_at": row.action_due_at,
    }
    return {key: getattr(row, key) for key in field_names} | {
        "program": row.program_key,
        "edition": row.edition_date,
        "partner": serialize_partner_reference(row.partner),
        "next_action": next_action,
        "reviewer": str(row.reviewer or ""),
        "href": build_absolute_url("submissions:detail", row.uuid),
    }


def serialize_transition(action: AvailableTransition) -> dict[str, object]:
    field_names = ("name", "label", "tone", "note", "is_decision")
    return {key: getattr(action, key) for key in field_names} | {
        "ready": action.is_ready,
        "blockers": list(action.blockers),
    }


def serialize_event(event: AuditEvent) -> JsonObject:
    return {
        "seq": event.seq,
        "event_type": event.event_type,
        "summary": event.summary,
        "actor": event.actor_name,
        "note": event.note,
        "internal": event.internal,
        "requirement": str(event.data.get("requirement", "")),
        "at": event.at,
    }


def serialize_requirement(row: RequirementRow, step: str) -> JsonObject:
    requirement, fulfillment = row.requirement, row.state
    return {
        "id": requirement.id,
        "title": requirement.title,
        "responsible_party": str(requirement.who),
        "kind": str(requirement.kind),
        "step": step,
        "optional": requirement.optional,
        "status": row.display_status,
        "is_fulfilled": row.is_met,
        "why": requirement.why,
        "summary": fulfillment.summary if fulfillment else "",
        "version": fulfillment.version if fulfillment else 0,
        "submitted_by": str(fulfillment.submitted_by or "") if fulfillment else "",
        "submitted_at": fulfillment.submitted_at if fulfillment else None,
        "valid_until": fulfillment.valid_until if fulfillment else None,
        "waiver_expires_at": fulfillment.waiver_expires_at if fulfillment else None,
        "waiver_reason": fulfillment.waiver_reason if fulfillment else "",
    }


def serialize_finding(finding: Finding) -> JsonObject:
    field_names = (
        "id",
        "number",
        "round",
        "text",
        "state",
        "raised_at",
        "due_at",
        "answer",
        "resolved_at",
        "verified_at",
    )
    raised_by = str(finding.raised_by) if finding.raised_by_id and finding.raised_by else "The portal"
    return {key: getattr(finding, key) for key in field_names} | {
        "requirement": finding.requirement_id,
        "raised_by": raised_by,
    }


def serialize_message(message: ReviewMessage) -> JsonObject:
    return {
        "id": message.pk,
        "author": str(message.author or ""),
        "body": message.body,
        "internal": message.internal,
        "at": message.at,
    }


def serialize_meeting(meeting: Meeting) -> dict[str, object]:
    field_names = ("uuid", "state", "times", "starts_at", "minutes", "place", "items")
    return {key: getattr(meeting, key) for key in field_names} | {
        "requirement": meeting.requirement_id,
        "proposed_by_program": meeting.by_program,
    }
