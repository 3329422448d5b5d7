"""How does what one is told reach one? Read and chosen as on the page."""

from typing import Any

from django.http import HttpRequest
from ninja import Schema
from pydantic import Field

from portal.api.problems import ApiError, validate_form
from portal.api.routing import ScopedRouter, StrictSchema, build_form_data
from portal.notifications.forms import NotificationPreferencesForm, list_categories

router = ScopedRouter("Notifications")


class NotificationCategoryOut(Schema):
    """A kind of notice. `how`: the way chosen, of `ways`; `locked`: why it always comes by mail at once."""

    key: str
    title: str
    means: str
    how: str
    ways: list[str]
    locked: str


class NotificationPreferencesOut(Schema):
    """`office_hours`: mails wait for your working hours."""

    kinds: list[NotificationCategoryOut]
    office_hours: bool


class NotificationPreferencesIn(StrictSchema):
    """By the key of a kind: now, daily, weekly, portal or none. What is left out stays."""

    how: dict[str, str] = Field({}, max_length=100)
    office_hours: bool | None = None


@router.get("/notifications/choices", "notifications:read", NotificationPreferencesOut)
def get_notification_choices(request: HttpRequest) -> Any:
    """How each kind of notice reaches you."""
    return _serialize_preferences(request)


@router.patch("/notifications/choices", "notifications:write", NotificationPreferencesOut)
def choose_notifications(request: HttpRequest, body: NotificationPreferencesIn) -> Any:
    """Choose how notices reach you. What is locked cannot be silenced."""
    unbound_form = NotificationPreferencesForm(request.user)
    editable_fields = [name for name in unbound_form.fields if name != "office_hours"]
    field_errors = [(f"how.{key}", "There is no such choice.") for key in body.how if key not in editable_fields]
    if field_errors:
        raise ApiError("unfit", "There is no such choice.", fields=field_errors)
    current_values = {name: field.initial for name, field in unbound_form.fields.items()}
    form_fields = current_values | body.how | ({} if body.office_hours is None else {"office_hours": body.office_hours})
    validate_form(
        NotificationPreferencesForm(request.user, build_form_data(**form_fields)),
        {name: f"how.{name}" for name in editable_fields},
    ).save()
    return _serialize_preferences(request)


def _serialize_preferences(request: HttpRequest) -> dict[str, Any]:
    fields = NotificationPreferencesForm(request.user).fields
    kinds = [
        {
            "key": category.key,
            "title": str(category.title),
            "means": str(category.means),
            "locked": str(category.locked),
            "how": "now" if category.locked else str(fields[category.key].initial),
            "ways": ["now"] if category.locked else [str(delivery) for delivery in category.ways()],
        }
        for category in list_categories(request.user)
    ]
    return {"kinds": kinds, "office_hours": bool(fields["office_hours"].initial)}
