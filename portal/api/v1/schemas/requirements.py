"""What is sent to take part in a requirement: answers, signatures, times, test accounts, waivers?"""

from datetime import date, datetime
from uuid import UUID

from pydantic import Field

from portal.api.routing import StrictSchema


class EmptyBody(StrictSchema):
    """An empty object."""


class AnswersIn(StrictSchema):
    """Answers by the key of their question."""

    answers: dict[str, bool | int | float | str | list[str]] = Field(max_length=100)


class ConfirmationIn(StrictSchema):
    """`confirmed` must be true."""

    confirmed: bool


class ObjectReference(StrictSchema):
    uuid: UUID


class SignatureIn(StrictSchema):
    """One side's signature. `version` is asked of the side that begins."""

    signer: str
    signed_on: date
    version: str | None = None


class MeetingProposalIn(StrictSchema):
    times: list[datetime] = Field(min_length=1, max_length=5)
    minutes: int = Field(45, description="15, 30, 45, 60, 90 or 120.")
    place: str = ""


class MeetingAcceptanceIn(StrictSchema):
    """One of the proposed times."""

    time: datetime
    place: str = ""


class ReasonIn(StrictSchema):
    reason: str


class MeetingRecordIn(StrictSchema):
    """What was shown, from the items of the meeting."""

    shown: list[str] = Field([], max_length=50)
    notes: str = ""


class TestCredentialIn(StrictSchema):
    """A test account. The secret is encrypted at once; nothing of the API tells it again."""

    label: str
    secret: str
    permanent: bool = False
    replaces: UUID | None = None
    uuid: UUID | None = Field(None, description="Of the new account, to give it once only.")


class WaiverIn(StrictSchema):
    reason: str
    until: date
