"""Operations for notification preferences."""

from typing import Any

from ninja import Schema
from pydantic import Field

from portal.accounts.requests import AuthenticatedRequest
from portal.api.problems import ApiError, validate_form
from portal.api.routing import ScopedRouter, StrictSchema, build_form_data
from portal.inbox.forms import NotificationPreferencesForm, list_categories

router = ScopedRouter("Notifications")


class NotificationCategoryOut(Schema):
    """Notification category. `delivery` is one of `delivery_modes`. `locked` says why emails are always immediate."""

    key: str
    title: str
    description: str
    delivery: str
    delivery_modes: list[str]
    locked: str


class NotificationPreferencesOut(Schema):
    """Preferences. With `only_in_working_hours`, emails wait for your working hours."""

    categories: list[NotificationCategoryOut]
    only_in_working_hours: bool


class NotificationPreferencesIn(StrictSchema):
    """Delivery by category: immediate, daily, weekly, portal, or off. Omitted categories stay unchanged."""

    delivery: dict[str, str] = Field({}, max_length=100)
    only_in_working_hours: bool | None = None


@router.get("/notifications/preferences", "notifications:read", NotificationPreferencesOut)
def get_notification_preferences(request: AuthenticatedRequest) -> object:
    """Get your notification preferences."""
    return _serialize_preferences(request)


@router.patch("/notifications/preferences", "notifications:write", NotificationPreferencesOut)
def update_notification_preferences(request: AuthenticatedRequest, body: NotificationPreferencesIn) -> Any:
    """Change your notification preferences. You can't change locked categories."""
    unbound_form = NotificationPreferencesForm(request.user)
    editable_fields = [name for name in unbound_form.fields if name != "only_in_working_hours"]
    field_errors = [(f"delivery.{key}", "Unknown category.") for key in body.delivery if key not in editable_fields]
    if field_errors:
        raise ApiError("validation-error", "Unknown category.", fields=field_errors)
    current_values = {name: field.initial for name, field in unbound_form.fields.items()}
    form_fields = (
        current_values
        | body.delivery
        | ({} if body.only_in_working_hours is None else {"only_in_working_hours": body.only_in_working_hours})
    )
    validate_form(
        NotificationPreferencesForm(request.user, build_form_data(**form_fields)),
        {name: f"delivery.{name}" for name in editable_fields},
    ).save()
    return _serialize_preferences(request)


def _serialize_preferences(request: AuthenticatedRequest) -> dict[str, object]:
    fields = NotificationPreferencesForm(request.user).fields
    categories = [
        {
            "key": category.key,
            "title": str(category.title),
            "description": str(category.description),
            "locked": str(category.locked),
            "delivery": "immediate" if category.locked else str(fields[category.key].initial),
            "delivery_modes": [str(mode) for mode in category.list_modes()],
        }
        for category in list_categories(request.user)
    ]
    return {"categories": categories, "only_in_working_hours": bool(fields["only_in_working_hours"].initial)}
