"""Operations for notifications and their preferences."""

from datetime import datetime
from types import SimpleNamespace
from typing import Annotated
from uuid import UUID

from django.utils import timezone
from ninja import Query, Schema
from pydantic import Field

from portal.accounts.requests import AuthenticatedRequest
from portal.api.form_data import build_form_data, get_initial_values, validate_form
from portal.api.pagination import CursorPage, Page, PaginationParams, paginate
from portal.api.problems import refuse_unknown_keys
from portal.api.routing import ScopedRouter, StrictSchema
from portal.api.v1.schemas.common import DisplayText, RelatedUuid, link_to
from portal.core.value_types import JsonObject
from portal.inbox.forms import NotificationPreferencesForm, list_categories
from portal.notifications.models import EmailMessage
from portal.notifications.preferences import save_preferences
from portal.notifications.selectors import list_received_emails

router = ScopedRouter("Notifications")


class NotificationOut(Schema):
    uuid: UUID
    subject: str
    created_at: datetime
    read_at: datetime | None = Field(validation_alias="seen_at")
    integration: RelatedUuid
    href: Annotated[str, link_to("inbox:email")] = Field(validation_alias="uuid")


class NotificationEventOut(Schema):
    """Event type of a category. `delivery` is empty if it follows its category."""

    key: str = Field(validation_alias="name")
    description: DisplayText = Field(validation_alias="label")
    delivery: DisplayText = Field(validation_alias="initial")


class NotificationCategoryOut(Schema):
    """Notification category. `delivery` is one of `delivery_modes`. `locked` says why emails are always immediate.

    `events` can differ from their category; a category with one event type has none.
    """

    key: str = Field(validation_alias="category.key")
    title: DisplayText = Field(validation_alias="category.title")
    description: DisplayText = Field(validation_alias="category.description")
    delivery: DisplayText
    delivery_modes: list[DisplayText] = Field(validation_alias="category.list_modes")
    locked: DisplayText = Field(validation_alias="category.locked")
    events: list[NotificationEventOut]


class NotificationPreferencesOut(Schema):
    """Preferences. With `only_in_working_hours`, emails wait for your working hours."""

    categories: list[NotificationCategoryOut]
    only_in_working_hours: bool


class NotificationPreferencesIn(StrictSchema):
    """Delivery by category or event type: immediate, daily, weekly, portal, or off. Others stay unchanged.

    An event type with an empty text follows its category again.
    """

    delivery: dict[str, str] = Field({}, max_length=100)
    only_in_working_hours: bool | None = None


@router.get("/notifications", "notifications:read", CursorPage[NotificationOut])
def list_notifications(request: AuthenticatedRequest, pagination: Query[PaginationParams]) -> Page[EmailMessage]:
    """List your notifications, newest first. This doesn't mark them as read."""
    rows = list_received_emails(request.user.pk, timezone.now()).select_related("integration")
    return paginate(request, rows, pagination)


@router.get("/notifications/preferences", "notifications:read", NotificationPreferencesOut)
def get_notification_preferences(request: AuthenticatedRequest) -> JsonObject:
    """Get your notification preferences."""
    form = NotificationPreferencesForm(request.user)
    fields = form.fields
    events = {category.name: events for category, events in form.sections}
    categories = [
        SimpleNamespace(
            category=category,
            delivery="immediate" if category.locked else fields[category.key].initial,
            events=events.get(category.key, []),
        )
        for category in list_categories(request.user)
    ]
    return {"categories": categories, "only_in_working_hours": fields["only_in_working_hours"].initial}


@router.patch("/notifications/preferences", "notifications:write", NotificationPreferencesOut)
def update_notification_preferences(request: AuthenticatedRequest, body: NotificationPreferencesIn) -> JsonObject:
    """Change your notification preferences. You can't change locked categories."""
    unbound_form = NotificationPreferencesForm(request.user)
    field_names = {name: f"delivery.{name}" for name in unbound_form.fields if name != "only_in_working_hours"}
    # Forms ignore unknown fields, so that a typo would look like success.
    refuse_unknown_keys("delivery", body.delivery, field_names, "Unknown category or event type.")
    form_fields = get_initial_values(unbound_form) | body.delivery
    form = NotificationPreferencesForm(request.user, data=build_form_data(**form_fields))
    values = validate_form(form, field_names).cleaned_data
    # The form needs all fields, but only those sent are saved, so that concurrent changes stay.
    save_preferences(request.user, {name: values[name] for name in body.delivery}, body.only_in_working_hours)
    return get_notification_preferences(request)
