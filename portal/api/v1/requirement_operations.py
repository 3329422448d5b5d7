"""Table of operations on a requirement: body, scope, and form fields, with the schemas of the bodies."""

from dataclasses import dataclass
from datetime import date
from uuid import UUID, uuid4

from pydantic import AwareDatetime, Field

from integrations.submissions.services import meetings
from integrations.submissions.views.requirements.meetings import get_meeting
from integrations.submissions.views.requirements.page import RequirementPage
from portal.api.problems import refuse_unknown_keys
from portal.api.routing import StrictSchema
from portal.api.v1.integrations import WRITE_SCOPE
from portal.core.value_types import NamedValues


class ActionBody(StrictSchema):
    def build_fields(self, page: RequirementPage) -> NamedValues:
        """Return the fields of the page's form."""
        return self.model_dump()


class EmptyBody(ActionBody):
    """Empty object."""


class AnswersIn(ActionBody):
    """Answers by the key of their question."""

    answers: dict[str, bool | int | float | str | list[str]] = Field(max_length=100)

    def build_fields(self, page: RequirementPage) -> NamedValues:
        """Return the answers. Raises ApiError for unknown questions."""
        question_keys = {question.key for question in page.requirement.fields}
        refuse_unknown_keys("answers", self.answers, question_keys, "Unknown question.")
        return dict(self.answers)


class ConfirmationIn(ActionBody):
    """`confirmed` must be true."""

    confirmed: bool


class ObjectReference(ActionBody):
    uuid: UUID


class SignatureIn(ActionBody):
    """Signature of one side. `signer` is the full name, and `digest` is that of the text in `agreement`.

    Signing confirms the statement in `agreement`.
    """

    signer: str
    title: str
    digest: str


class UploadConfirmationIn(ActionBody):
    """`sha256` is that of the uploaded PDF, in `agreement`."""

    sha256: str


class MeetingProposalIn(ActionBody):
    times: list[AwareDatetime] = Field(min_length=1, max_length=5)
    duration_minutes: int = Field(45, description="15, 30, 45, 60, 90, or 120.")
    place: str = ""

    def build_fields(self, page: RequirementPage) -> NamedValues:
        times = {f"time_{number}": starts_at for number, starts_at in enumerate(self.times, 1)}
        return times | {"minutes": self.duration_minutes, "place": self.place}


class MeetingAcceptanceIn(ActionBody):
    """One of the proposed times."""

    starts_at: AwareDatetime
    place: str = ""

    def build_fields(self, page: RequirementPage) -> NamedValues:
        """Return the proposed time that equals the requested time in any time zone."""
        meeting = get_meeting(page)
        proposed_times = meetings.list_proposed_times(meeting) if meeting else []
        # The form compares texts, and the same time has another text in another zone.
        starts_at = next((time for time in proposed_times if time == self.starts_at), self.starts_at)
        return {"time": starts_at.isoformat(), "place": self.place}


class ReasonIn(ActionBody):
    reason: str


class MeetingRecordIn(ActionBody):
    """Meeting items that were presented."""

    shown: list[str] = Field([], max_length=50)
    notes: str = ""


class TestCredentialIn(ActionBody):
    """Test account. The secret is encrypted, and the API never returns it."""

    label: str
    secret: str
    permanent: bool = False
    replaces: UUID | None = None
    uuid: UUID | None = Field(None, description="UUID of the new account, which makes the request repeatable.")

    def build_fields(self, page: RequirementPage) -> NamedValues:
        # The row is created under this key, so a repeated request with it creates no second account.
        return self.model_dump() | {"uuid": self.uuid or uuid4()}


class WaiverIn(ActionBody):
    """Waiver. It ends at 11:59 PM UTC on the day `expires_on`."""

    reason: str
    expires_on: date


@dataclass(frozen=True, slots=True)
class RequirementOperation:
    """Operation for an action of a requirement page."""

    name: str
    body: type[ActionBody]
    summary: str
    scope: str = WRITE_SCOPE


REVIEW_SCOPE = "reviews:write"
CREDENTIALS_SCOPE = "credentials:write"
REQUIREMENT_OPERATIONS: tuple[RequirementOperation, ...] = (
    RequirementOperation(
        "answer", AnswersIn, "Submit answers. With If-Match, the response is 412 if a newer answer exists."
    ),
    RequirementOperation("draft", AnswersIn, "Save answers as a draft that your colleagues can continue."),
    RequirementOperation("discard", EmptyBody, "Delete the draft of the answers."),
    RequirementOperation("not_needed", EmptyBody, "Mark an optional requirement as not applicable."),
    RequirementOperation("confirm", ConfirmationIn, "Confirm the statement."),
    RequirementOperation("remove", ObjectReference, "Delete a document."),
    RequirementOperation("sign", SignatureIn, "Sign the agreement for your side."),
    RequirementOperation(
        "confirm_agreement", UploadConfirmationIn, "Confirm the uploaded agreement. For reviewers.", REVIEW_SCOPE
    ),
    RequirementOperation("reject_agreement", ReasonIn, "Reject the uploaded agreement. For reviewers.", REVIEW_SCOPE),
    RequirementOperation("propose", MeetingProposalIn, "Propose times for the meeting."),
    RequirementOperation("accept", MeetingAcceptanceIn, "Accept a proposed time."),
    RequirementOperation("cancel", ReasonIn, "Cancel the meeting."),
    RequirementOperation(
        "hold", MeetingRecordIn, "Record the items presented in the meeting. For reviewers.", REVIEW_SCOPE
    ),
    RequirementOperation(
        "add", TestCredentialIn, "Add a test account. No operation returns its credentials.", CREDENTIALS_SCOPE
    ),
    RequirementOperation(
        "withdraw", ObjectReference, "Withdraw a test account and delete its credentials.", CREDENTIALS_SCOPE
    ),
    RequirementOperation("waive", WaiverIn, "Waive the requirement until a date. For reviewers.", REVIEW_SCOPE),
    RequirementOperation("request_waiver", ReasonIn, "Ask the program to waive the requirement."),
    RequirementOperation("decline_waiver", ReasonIn, "Decline a requested waiver. For reviewers.", REVIEW_SCOPE),
    RequirementOperation("end_waiver", ReasonIn, "End a waiver early. For reviewers.", REVIEW_SCOPE),
)
