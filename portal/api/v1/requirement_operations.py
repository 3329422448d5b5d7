"""Table of operations on a requirement: body, scope, and form fields."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.utils import timezone

from integrations.submissions.services import meetings
from integrations.submissions.views.requirements.meetings import get_meeting
from integrations.submissions.views.requirements.page import RequirementPage
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


def dump_body(page: RequirementPage, body: StrictSchema) -> FormFields:
    return body.model_dump()


def extract_answers(page: RequirementPage, body: Any) -> FormFields:
    """Return the answers. Raises ApiError for unknown questions."""
    question_keys = {question.key for question in page.requirement.fields}
    field_errors = [(f"answers.{key}", "Unknown question.") for key in body.answers if key not in question_keys]
    if field_errors:
        raise ApiError("validation-error", "Unknown question.", fields=field_errors)
    return dict(body.answers)


def build_proposal_fields(page: RequirementPage, body: Any) -> FormFields:
    times = {f"time_{number}": starts_at for number, starts_at in enumerate(body.times, 1)}
    return times | {"minutes": body.minutes, "place": body.place}


def build_acceptance_fields(page: RequirementPage, body: Any) -> FormFields:
    """Return the proposed time that equals the requested time in any time zone."""
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


def build_credential_fields(page: RequirementPage, body: Any) -> FormFields:
    return body.model_dump() | {"uuid": body.uuid or uuid4()}


@dataclass(frozen=True, slots=True)
class RequirementOperation:
    """Operation for an action of a requirement page. `fields` converts the body to form fields."""

    name: str
    body: type[StrictSchema]
    summary: str
    scope: str = WRITE_SCOPE
    fields: Callable[[RequirementPage, Any], FormFields] = dump_body


REVIEW_SCOPE, CREDENTIALS_SCOPE = "reviews:write", "credentials:write"
REQUIREMENT_OPERATIONS = (
    RequirementOperation(
        "answer",
        AnswersIn,
        "Submit answers. With If-Match, the response is 412 if a newer answer exists.",
        fields=extract_answers,
    ),
    RequirementOperation(
        "draft", AnswersIn, "Save answers as a draft that your colleagues can continue.", fields=extract_answers
    ),
    RequirementOperation("discard", EmptyBody, "Delete the draft of the answers."),
    RequirementOperation("not_needed", EmptyBody, "Mark an optional requirement as not applicable."),
    RequirementOperation("confirm", ConfirmationIn, "Confirm the statement."),
    RequirementOperation("remove", ObjectReference, "Delete a document."),
    RequirementOperation("sign", SignatureIn, "Record your side's signature."),
    RequirementOperation("renew", SignatureIn, "Sign a new version of a complete agreement."),
    RequirementOperation("propose", MeetingProposalIn, "Propose times for the meeting.", fields=build_proposal_fields),
    RequirementOperation("accept", MeetingAcceptanceIn, "Accept a proposed time.", fields=build_acceptance_fields),
    RequirementOperation("cancel", ReasonIn, "Cancel the meeting."),
    RequirementOperation(
        "hold", MeetingRecordIn, "Record the items presented in the meeting. For reviewers.", REVIEW_SCOPE
    ),
    RequirementOperation(
        "give",
        TestCredentialIn,
        "Add a test account. No operation returns its credentials.",
        CREDENTIALS_SCOPE,
        build_credential_fields,
    ),
    RequirementOperation(
        "withdraw", ObjectReference, "Withdraw a test account and delete its credentials.", CREDENTIALS_SCOPE
    ),
    RequirementOperation("waive", WaiverIn, "Waive the requirement until a date. For reviewers.", REVIEW_SCOPE),
    RequirementOperation("end_waiver", ReasonIn, "End a waiver early. For reviewers.", REVIEW_SCOPE),
)
