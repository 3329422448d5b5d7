"""API schemas of integrations, events, requirements, findings, and messages."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from django.utils import timezone
from ninja import Schema
from pydantic import BeforeValidator, Field

from integrations.programs.schema import Requirement
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.selectors.responsibility import describe_responsible
from portal.api.v1.schemas.common import DisplayText, PartnerReference, link_to
from portal.core.value_types import JsonObject


class NextActionOut(Schema):
    """Next action. `responsible_party` is empty if no action is needed; `code` is the same in all languages.

    `waiting_for`: who must act; `began_at`: when the wait began; `due_at`: the program's published target time.
    """

    responsible_party: str
    code: str = Field(validation_alias="next_action_code")
    action: str = Field(validation_alias="next_action_label")
    waiting_for: str
    began_at: datetime | None = Field(validation_alias="next_action_since")
    due_at: datetime | None = Field(validation_alias="action_due_at")

    @staticmethod
    def resolve_waiting_for(row: Integration) -> str:
        return describe_responsible(row)


class IntegrationOut(Schema):
    """Integration."""

    uuid: UUID
    name: str
    program: str = Field(validation_alias="program_key")
    edition: str = Field(validation_alias="edition_date")
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
    reviewer: DisplayText
    created_at: datetime
    listed_at: datetime | None = Field(validation_alias="released_at")
    ended_at: datetime | None
    version: int
    href: Annotated[str, link_to("submissions:detail")] = Field(validation_alias="uuid")

    @staticmethod
    def resolve_next_action(row: Integration) -> Integration:
        return row


class ActionOut(Schema):
    """Required action. `requirement`: ID of the requirement that it completes, empty for other actions."""

    responsible_party: str
    code: str
    action: str
    requirement: str


class OpenRequirementOut(Schema):
    """Requirement that must be complete before the next step."""

    requirement: str = Field(validation_alias="id")
    title: str
    reason: str


class IntegrationDetail(IntegrationOut):
    """Integration with the actions of all parties, most urgent first, and the open requirements of the next step."""

    actions: list[ActionOut]
    open_requirements: list[OpenRequirementOut]

    @staticmethod
    def resolve_actions(row: Integration) -> list[JsonObject]:
        return [
            {
                "responsible_party": action.responsible_party or "",
                "code": action.code,
                "action": action.render(),
                "requirement": action.requirement.id if action.requirement else "",
            }
            for action in context.list_integration_actions(row, timezone.now())
        ]

    @staticmethod
    def resolve_open_requirements(row: Integration) -> list[Requirement]:
        return list(context.list_missing_next(row, timezone.now())) if row.is_open else []


class TransitionOut(Schema):
    """Transition available to the token's user. `blockers` lists what prevents it."""

    name: str
    label: str
    tone: str
    note: str
    is_decision: bool
    ready: bool = Field(validation_alias="is_ready")
    blockers: list[str]


class EventOut(Schema):
    """Event. `sequence` counts the events of an integration or partner, as in webhook messages."""

    sequence: int = Field(validation_alias="seq")
    event_type: str
    summary: str
    actor: str = Field(validation_alias="actor_name")
    note: str
    internal: bool
    requirement: Annotated[str, BeforeValidator(lambda data: str(data.get("requirement", "")))] = Field(
        validation_alias="data"
    )
    created_at: datetime = Field(validation_alias="at")


class RequirementOut(Schema):
    """Requirement. `status` is the status on pages, where a waiver takes precedence.

    `blocker` is what must come first, while a statement can't be confirmed yet.
    """

    id: str = Field(validation_alias="row.requirement.id")
    title: str = Field(validation_alias="row.requirement.title")
    responsible_party: str = Field(validation_alias="row.requirement.responsible_party")
    kind: str = Field(validation_alias="row.requirement.kind")
    step: str
    optional: bool = Field(validation_alias="row.requirement.optional")
    status: str = Field(validation_alias="row.display_status")
    is_fulfilled: bool = Field(validation_alias="row.is_met")
    summary: str
    blocker: str = Field(validation_alias="row.blocker")
    reason: str = Field(validation_alias="row.requirement.reason")
    version: int = Field(validation_alias="fulfillment.version")
    submitted_by: DisplayText = Field(validation_alias="fulfillment.submitted_by")
    submitted_at: datetime | None = Field(validation_alias="fulfillment.submitted_at")
    valid_until: datetime | None = Field(validation_alias="fulfillment.valid_until")
    waiver_expires_at: datetime | None = Field(validation_alias="fulfillment.waiver_expires_at")
    waiver_reason: str = Field(validation_alias="fulfillment.waiver_reason")


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
    requirement: str = Field(validation_alias="requirement_id")
    state: str
    proposed_by_program: bool = Field(validation_alias="by_program")
    times: list[datetime]
    starts_at: datetime | None
    duration_minutes: int = Field(validation_alias="minutes")
    place: str
    items: dict[str, bool]


class TextChangeOut(Schema):
    change: Literal["added", "removed"]
    text: str


class AgreementTextOut(Schema):
    """Agreement to sign: its text in Markdown, the SHA-256 of the text, and the statement that a signer confirms.

    `document` and `sha256` are the UUID and the SHA-256 of the uploaded PDF, null without one. `changes` lists what
    differs from the version in force, or from the newest other one without a version in force.
    """

    version: str
    text: str
    digest: str
    statement: str
    document: UUID | None
    sha256: str | None
    changes: list[TextChangeOut]


class RequirementDetail(RequirementOut):
    """Requirement with its questions as JSON schema, answers, and available actions.

    `items` lists the items of the meeting. `accept` lists the allowed file types of a document.
    """

    questions: JsonObject
    answers: JsonObject = Field(validation_alias="fulfillment.data")
    available_actions: list[str]
    items: list[str] = Field(validation_alias="row.requirement.meeting_items")
    accept: list[str]
    documents: list[DocumentOut]
    credentials: list[CredentialOut]
    meeting: MeetingOut | None
    agreement: AgreementTextOut | None


class FindingOut(Schema):
    id: int
    number: int
    round: int
    requirement: str = Field(validation_alias="requirement_id")
    severity: str
    text: str
    state: str
    raised_by: Annotated[str, BeforeValidator(lambda person: str(person or "The portal"))]
    raised_at: datetime
    due_at: datetime | None
    answer: str
    resolved_at: datetime | None
    verified_at: datetime | None


class MessageOut(Schema):
    id: int
    author: DisplayText
    body: str
    internal: bool
    created_at: datetime = Field(validation_alias="at")
