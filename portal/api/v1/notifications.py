"""How does what one is told reach one? Read and chosen as on the page."""

from typing import Any

from django.http import HttpRequest
from ninja import Schema
from pydantic import Field

from portal.api.problems import Problem, fit
from portal.api.routing import Room, Strict, posted
from portal.notifications.forms import NoticesForm, kinds_of

room = Room("Notifications")


class NoticeKind(Schema):
    """A kind of notice. `how`: the way chosen, of `ways`; `locked`: why it always comes by mail at once."""

    key: str
    title: str
    means: str
    how: str
    ways: list[str]
    locked: str


class NoticesOut(Schema):
    """`office_hours`: mails wait for your working hours."""

    kinds: list[NoticeKind]
    office_hours: bool


class NoticesIn(Strict):
    """By the key of a kind: now, daily, weekly, portal or none. What is left out stays."""

    how: dict[str, str] = Field({}, max_length=100)
    office_hours: bool | None = None


@room.get("/notifications/choices", "notifications:read", NoticesOut)
def get_notification_choices(request: HttpRequest) -> Any:
    """How each kind of notice reaches you."""
    return _told(request)


@room.patch("/notifications/choices", "notifications:write", NoticesOut)
def choose_notifications(request: HttpRequest, body: NoticesIn) -> Any:
    """Choose how notices reach you. What is locked cannot be silenced."""
    empty = NoticesForm(request.user)
    open_ones = [name for name in empty.fields if name != "office_hours"]
    odd = [(f"how.{key}", "There is no such choice.") for key in body.how if key not in open_ones]
    if odd:
        raise Problem("unfit", "There is no such choice.", fields=odd)
    kept = {name: field.initial for name, field in empty.fields.items()}
    given = kept | body.how | ({} if body.office_hours is None else {"office_hours": body.office_hours})
    fit(NoticesForm(request.user, posted(**given)), {name: f"how.{name}" for name in open_ones}).save()
    return _told(request)


def _told(request: HttpRequest) -> dict[str, Any]:
    fields = NoticesForm(request.user).fields
    kinds = [
        {"key": kind.key, "title": str(kind.title), "means": str(kind.means), "locked": str(kind.locked),
         "how": "now" if kind.locked else str(fields[kind.key].initial),
         "ways": ["now"] if kind.locked else [str(way) for way in kind.ways()]}
        for kind in kinds_of(request.user)
    ]  # fmt: skip
    return {"kinds": kinds, "office_hours": bool(fields["office_hours"].initial)}
