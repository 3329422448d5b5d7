"""Operations of the API for the acts on a requirement: body, scope, and the form fields made of the body."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.utils import timezone

from integrations.submissions.services import meetings
from integrations.submissions.views.requirements.meetings import get_meeting
from integrations.submissions.views.requirements.page import RequirementPage as Shown
from portal.api.problems import ApiError
from portal.api.routing import StrictSchema
from portal.api.v1.integrations import WRITE_SCOPE
from portal.api.v1.schemas.requirements import (
    AnswersIn,
    ConfirmationIn,
    EmptyBody,
    MeetingAcceptanceIn,
    MeetingProposalIn,
    MeetingRecordIn,
    ObjectReference,
    ReasonIn,
    SignatureIn,
    TestCredentialIn,
    WaiverIn,
)

FormFields = dict[str, Any]


def dump_body(page: Shown, body: StrictSchema) -> FormFields:
    return body.model_dump()


def extract_answers(page: Shown, body: Any) -> FormFields:
    """Only the requirement's own questions."""
    question_keys = {question.key for question in page.requirement.fields}
    field_errors = [
        (f"answers.{key}", "There is no such question here.") for key in body.answers if key not in question_keys
    ]
    if field_errors:
        raise ApiError("validation-error", "There is no such question here.", fields=field_errors)
    return dict(body.answers)


def build_proposal_fields(page: Shown, body: Any) -> FormFields:
    times = {f"time_{number}": starts_at for number, starts_at in enumerate(body.times, 1)}
    return times | {"minutes": body.minutes, "place": body.place}


def build_acceptance_fields(page: Shown, body: Any) -> FormFields:
    """The moment as the meeting holds it, whatever zone it was said in."""
    meeting = get_meeting(page)
    requested_at = body.time if timezone.is_aware(body.time) else timezone.make_aware(body.time)
    starts_at = next(
        (
            proposed_at
            for proposed_at in (meetings.list_proposed_times(meeting) if meeting else [])
            if proposed_at == requested_at
        ),
        requested_at,
    )
    return {"time": starts_at.isoformat(), "place": body.place}


def build_credential_fields(page: Shown, body: Any) -> FormFields:
    return body.model_dump() | {"uuid": body.uuid or uuid4()}


@dataclass(frozen=True, slots=True)
class RequirementOperation:
    """An act of the pages as an operation. `fields`: from the body to what the page's form takes."""

    name: str
    body: type[StrictSchema]
    summary: str
    scope: str = WRITE_SCOPE
    fields: Callable[[Shown, Any], FormFields] = dump_body


REVIEW_SCOPE, CREDENTIALS_SCOPE = "reviews:write", "credentials:write"
REQUIREMENT_OPERATIONS = (
    RequirementOperation(
        "answer",
        AnswersIn,
        "Answer the questions. With If-Match, a newer answer is not overwritten: 412.",
        fields=extract_answers,
    ),
    RequirementOperation(
        "draft", AnswersIn, "Keep answers as a draft; colleagues can go on with it.", fields=extract_answers
    ),
    RequirementOperation("discard", EmptyBody, "Throw the draft of the answers away."),
    RequirementOperation("not_needed", EmptyBody, "Say that an optional requirement is not needed."),
    RequirementOperation("confirm", ConfirmationIn, "Confirm the statement."),
    RequirementOperation("remove", ObjectReference, "Remove a document."),
    RequirementOperation("sign", SignatureIn, "Record your side's signature."),
    RequirementOperation("renew", SignatureIn, "Sign a new version of what both sides signed."),
    RequirementOperation("propose", MeetingProposalIn, "Propose times for the meeting.", fields=build_proposal_fields),
    RequirementOperation("accept", MeetingAcceptanceIn, "Accept a proposed time.", fields=build_acceptance_fields),
    RequirementOperation("cancel", ReasonIn, "Cancel the meeting."),
    RequirementOperation("hold", MeetingRecordIn, "Say what was shown in the meeting. For reviewers.", REVIEW_SCOPE),
    RequirementOperation(
        "give",
        TestCredentialIn,
        "Give a test account. Write-only: no operation reads it.",
        CREDENTIALS_SCOPE,
        build_credential_fields,
    ),
    RequirementOperation("withdraw", ObjectReference, "Withdraw a test account; its value is gone.", CREDENTIALS_SCOPE),
    RequirementOperation("waive", WaiverIn, "Let it count as met until a day. For reviewers.", REVIEW_SCOPE),
    RequirementOperation("end_waiver", ReasonIn, "End a waiver before its day. For reviewers.", REVIEW_SCOPE),
)
