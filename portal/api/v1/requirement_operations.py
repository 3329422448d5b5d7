"""Table of operations on a requirement: body, scope, and form fields."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import uuid4

from django.utils import timezone

from integrations.submissions.services import meetings
from integrations.submissions.views.requirements.meetings import get_meeting
from integrations.submissions.views.requirements.page import RequirementPage
from portal.api.problems import refuse_unknown_keys
from portal.api.routing import StrictSchema
from portal.api.v1.integrations import WRITE_SCOPE
from portal.api.v1.schemas import requirements as schemas
from portal.core.value_types import NamedValues

BodyT = TypeVar("BodyT", bound=StrictSchema)


def dump_body(page: RequirementPage, body: StrictSchema) -> NamedValues:
    return body.model_dump()


def extract_answers(page: RequirementPage, body: schemas.AnswersIn) -> NamedValues:
    """Return the answers. Raises ApiError for unknown questions."""
    question_keys = {question.key for question in page.requirement.fields}
    refuse_unknown_keys("answers", body.answers, question_keys, "Unknown question.")
    return dict(body.answers)


def build_proposal_fields(page: RequirementPage, body: schemas.MeetingProposalIn) -> NamedValues:
    times = {f"time_{number}": starts_at for number, starts_at in enumerate(body.times, 1)}
    return times | {"minutes": body.minutes, "place": body.place}


def build_acceptance_fields(page: RequirementPage, body: schemas.MeetingAcceptanceIn) -> NamedValues:
    """Return the proposed time that equals the requested time in any time zone."""
    meeting = get_meeting(page)
    requested_at = body.time if timezone.is_aware(body.time) else timezone.make_aware(body.time)
    proposed_times = meetings.list_proposed_times(meeting) if meeting else []
    starts_at = next((time for time in proposed_times if time == requested_at), requested_at)
    return {"time": starts_at.isoformat(), "place": body.place}


def build_credential_fields(page: RequirementPage, body: schemas.TestCredentialIn) -> NamedValues:
    return body.model_dump() | {"uuid": body.uuid or uuid4()}


@dataclass(frozen=True, slots=True)
class RequirementOperation(Generic[BodyT]):
    """Operation for an action of a requirement page. `fields` converts the body to form fields."""

    name: str
    body: type[BodyT]
    summary: str
    scope: str = WRITE_SCOPE
    fields: Callable[[RequirementPage, BodyT], NamedValues] = dump_body


REVIEW_SCOPE, CREDENTIALS_SCOPE = "reviews:write", "credentials:write"
REQUIREMENT_OPERATIONS: tuple[RequirementOperation[Any], ...] = (
    RequirementOperation(
        "answer",
        schemas.AnswersIn,
        "Submit answers. With If-Match, the response is 412 if a newer answer exists.",
        fields=extract_answers,
    ),
    RequirementOperation(
        "draft", schemas.AnswersIn, "Save answers as a draft that your colleagues can continue.", fields=extract_answers
    ),
    RequirementOperation("discard", schemas.EmptyBody, "Delete the draft of the answers."),
    RequirementOperation("not_needed", schemas.EmptyBody, "Mark an optional requirement as not applicable."),
    RequirementOperation("confirm", schemas.ConfirmationIn, "Confirm the statement."),
    RequirementOperation("remove", schemas.ObjectReference, "Delete a document."),
    RequirementOperation("sign", schemas.SignatureIn, "Sign the agreement for your side."),
    RequirementOperation(
        "confirm_agreement", schemas.EmptyBody, "Confirm the uploaded agreement. For reviewers.", REVIEW_SCOPE
    ),
    RequirementOperation(
        "reject_agreement", schemas.ReasonIn, "Reject the uploaded agreement. For reviewers.", REVIEW_SCOPE
    ),
    RequirementOperation(
        "propose", schemas.MeetingProposalIn, "Propose times for the meeting.", fields=build_proposal_fields
    ),
    RequirementOperation(
        "accept", schemas.MeetingAcceptanceIn, "Accept a proposed time.", fields=build_acceptance_fields
    ),
    RequirementOperation("cancel", schemas.ReasonIn, "Cancel the meeting."),
    RequirementOperation(
        "hold", schemas.MeetingRecordIn, "Record the items presented in the meeting. For reviewers.", REVIEW_SCOPE
    ),
    RequirementOperation(
        "give",
        schemas.TestCredentialIn,
        "Add a test account. No operation returns its credentials.",
        CREDENTIALS_SCOPE,
        build_credential_fields,
    ),
    RequirementOperation(
        "withdraw", schemas.ObjectReference, "Withdraw a test account and delete its credentials.", CREDENTIALS_SCOPE
    ),
    RequirementOperation("waive", schemas.WaiverIn, "Waive the requirement until a date. For reviewers.", REVIEW_SCOPE),
    RequirementOperation("request_waiver", schemas.ReasonIn, "Ask the program to waive the requirement."),
    RequirementOperation(
        "decline_waiver", schemas.ReasonIn, "Decline a requested waiver. For reviewers.", REVIEW_SCOPE
    ),
    RequirementOperation("end_waiver", schemas.ReasonIn, "End a waiver early. For reviewers.", REVIEW_SCOPE),
)
