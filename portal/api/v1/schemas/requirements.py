"""API schemas of requirement operations."""

from datetime import date, datetime
from uuid import UUID

from pydantic import Field

from portal.api.routing import StrictSchema


class EmptyBody(StrictSchema):
    """Empty object."""


class AnswersIn(StrictSchema):
    """Answers by the key of their question."""

    answers: dict[str, bool | int | float | str | list[str]] = Field(max_length=100)


class ConfirmationIn(StrictSchema):
    """`confirmed` must be true."""

    confirmed: bool


class ObjectReference(StrictSchema):
    uuid: UUID


class SignatureIn(StrictSchema):
    """Signature of one side. `signer` is the full name, and `digest` is that of the text in `agreement`.

    Signing confirms the statement in `agreement`.
    """

    signer: str
    title: str
    digest: str


class MeetingProposalIn(StrictSchema):
    times: list[datetime] = Field(min_length=1, max_length=5)
    minutes: int = Field(45, description="15, 30, 45, 60, 90, or 120.")
    place: str = ""


class MeetingAcceptanceIn(StrictSchema):
    """One of the proposed times."""

    time: datetime
    place: str = ""


class ReasonIn(StrictSchema):
    reason: str


class MeetingRecordIn(StrictSchema):
    """Meeting items that were presented."""

    shown: list[str] = Field([], max_length=50)
    notes: str = ""


class TestCredentialIn(StrictSchema):
    """Test account. The secret is encrypted, and the API never returns it."""

    label: str
    secret: str
    permanent: bool = False
    replaces: UUID | None = None
    uuid: UUID | None = Field(None, description="UUID of the new account, which makes the request repeatable.")


class WaiverIn(StrictSchema):
    reason: str
    until: date
