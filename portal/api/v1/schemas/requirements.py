"""What is sent to take part in a requirement: answers, signatures, times, test accounts, waivers?"""

from datetime import date, datetime
from uuid import UUID

from pydantic import Field

from portal.api.routing import Strict


class Nothing(Strict):
    """An empty object."""


class AnswersIn(Strict):
    """Answers by the key of their question."""

    answers: dict[str, bool | int | float | str | list[str]] = Field(max_length=100)


class ConfirmIn(Strict):
    """`confirmed` must be true."""

    confirmed: bool


class OneIn(Strict):
    uuid: UUID


class SignIn(Strict):
    """One side's signature. `version` is asked of the side that begins."""

    signer: str
    signed_on: date
    version: str | None = None


class ProposeIn(Strict):
    times: list[datetime] = Field(min_length=1, max_length=5)
    minutes: int = Field(45, description="15, 30, 45, 60, 90 or 120.")
    place: str = ""


class AcceptIn(Strict):
    """One of the proposed times."""

    time: datetime
    place: str = ""


class ReasonIn(Strict):
    reason: str


class HoldIn(Strict):
    """What was shown, from the items of the meeting."""

    shown: list[str] = Field([], max_length=50)
    notes: str = ""


class GiveIn(Strict):
    """A test account. The secret is encrypted at once; nothing of the API tells it again."""

    label: str
    secret: str
    permanent: bool = False
    replaces: UUID | None = None
    uuid: UUID | None = Field(None, description="Of the new account, to give it once only.")


class WaiveIn(Strict):
    reason: str
    until: date
