"""Notification preferences and the delivery decision that follows from them, made where emails are created."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils.translation import gettext

from portal.audit.event_types import EMAILS
from portal.core.business_time import Calendar
from portal.core.working_hours import get_next_working_time
from portal.notifications import unsubscribe
from portal.notifications.categories import (
    CATEGORIES,
    CATEGORY_BY_KEY,
    DIGEST_MODES,
    DeliveryMode,
    NotificationCategory,
)
from portal.notifications.models import EmailMessage, NotificationPreference

DIGEST_TIME = time(8)
WEEKLY_DAY = 0  # Monday
EMAIL_STATE_BY_MODE = {
    DeliveryMode.IMMEDIATE: "",
    DeliveryMode.DAILY: EmailMessage.State.BATCHED,
    DeliveryMode.WEEKLY: EmailMessage.State.BATCHED,
    DeliveryMode.PORTAL: EmailMessage.State.IN_APP_ONLY,
    DeliveryMode.OFF: EmailMessage.State.SUPPRESSED,
}


@dataclass(frozen=True, slots=True)
class DeliveryDecision:
    """How one email goes to one person: its state, its earliest time, and how to unsubscribe from which category."""

    state: str = ""
    not_before: datetime | None = None
    stop: str = ""
    category: str = ""


def decide_delivery(person: Any, event_type: str, now: datetime) -> DeliveryDecision:
    """Decide how to deliver a notification. Locked categories and mailboxes get an immediate email."""
    key = EMAILS[event_type].category
    # A mailbox isn't an account, so it has neither a time zone nor preferences.
    if key is None or CATEGORY_BY_KEY[key].locked or not hasattr(person, "zone"):
        return DeliveryDecision()
    category = CATEGORY_BY_KEY[key]
    preference = NotificationPreference.objects.filter(user=person).first()
    mode = get_mode(preference.delivery if preference else {}, category, event_type)
    not_before = None
    if mode in DIGEST_MODES:
        not_before = calculate_digest_time(mode, person, now)
    elif mode == DeliveryMode.IMMEDIATE and preference and preference.only_in_working_hours:
        not_before = get_next_working_time(now, Calendar(zone=ZoneInfo(person.zone)))
    stop_url = unsubscribe.build_url(person, category.key)
    return DeliveryDecision(EMAIL_STATE_BY_MODE[mode], not_before, stop_url, gettext(category.title))


def get_mode(mode_by_key: Mapping[str, str], category: NotificationCategory, event_type: str = "") -> DeliveryMode:
    """Return the mode of an event type, or else of its category. Modes that are no longer available don't count."""
    modes = (mode_by_key.get(key, "") for key in (event_type, category.key))
    return next((DeliveryMode(mode) for mode in modes if mode in category.list_modes()), DeliveryMode.IMMEDIATE)


def find_category(key: str) -> NotificationCategory:
    """Return the category with this key, or that of the event type with this key.

    Raises:
        ValueError: The key is neither.
    """
    if key in CATEGORY_BY_KEY:
        return CATEGORY_BY_KEY[key]
    email = EMAILS.get(key)
    if email is None or email.category is None:
        raise ValueError(f"{key} is unknown.")
    return CATEGORY_BY_KEY[email.category]


def calculate_digest_time(mode: DeliveryMode, person: Any, now: datetime) -> datetime:
    """Return 8 AM of the person's next day, for a weekly digest of the next Monday."""
    zone = ZoneInfo(person.zone)
    day = now.astimezone(zone).date()
    if datetime.combine(day, DIGEST_TIME, zone) <= now:
        day += timedelta(days=1)
    while mode == DeliveryMode.WEEKLY and day.weekday() != WEEKLY_DAY:
        day += timedelta(days=1)
    return datetime.combine(day, DIGEST_TIME, zone)


@transaction.atomic
def save_preferences(person: Any, mode_by_key: Mapping[str, str], only_in_working_hours: bool | None = None) -> None:
    """Save the modes of some categories and event types. Emails that wait for a digest follow the new mode.

    An event type with an empty mode follows its category again.

    Raises:
        ValueError: A category is locked or does not offer the mode.
    """
    for key, mode in mode_by_key.items():
        category = find_category(key)
        is_reset = mode == "" and key not in CATEGORY_BY_KEY
        if category.locked or not (is_reset or mode in category.list_modes()):
            raise ValueError(f"{key} cannot be {mode}.")
    # A row must exist before it can be locked.
    NotificationPreference.objects.get_or_create(user=person)
    preference = NotificationPreference.objects.select_for_update(of=("self",)).get(user=person)
    merged = {**preference.delivery, **{key: str(mode) for key, mode in mode_by_key.items()}}
    preference.delivery = {key: mode for key, mode in merged.items() if mode}
    if only_in_working_hours is not None:
        preference.only_in_working_hours = only_in_working_hours
    preference.save()
    for category in {find_category(key) for key in mode_by_key}:
        _update_waiting_emails(person, preference, category)


def _update_waiting_emails(person: Any, preference: NotificationPreference, category: NotificationCategory) -> None:
    """Remove emails from the next digest if their event type is no longer sent by email."""
    for event_type in category.event_types:
        mode = get_mode(preference.delivery, category, event_type)
        # A change between two ways of sending doesn't reschedule what already waits.
        if mode in (DeliveryMode.PORTAL, DeliveryMode.OFF):
            waiting = EmailMessage.objects.filter(
                person=person, state=EmailMessage.State.BATCHED, event__event_type=event_type
            )
            waiting.update(state=EMAIL_STATE_BY_MODE[mode])


def stop_category(person: Any, key: str) -> None:
    """Switch a category with its event types, or everything in the digest, from email to portal only."""
    preference = NotificationPreference.objects.filter(user=person).first()
    mode_by_key = preference.delivery if preference else {}
    if key == unsubscribe.DIGEST:
        keys = [key for each in CATEGORIES if not each.locked for key in (each.key, *each.event_types)]
        stopped_keys = [key for key in keys if mode_by_key.get(key) in DIGEST_MODES]
    else:
        event_types = set(CATEGORY_BY_KEY[key].event_types) & mode_by_key.keys()
        # What is off stays off: unsubscribing must not turn anything on in the portal.
        stopped_keys = [name for name in (key, *event_types) if mode_by_key.get(name) != DeliveryMode.OFF]
    save_preferences(person, dict.fromkeys(stopped_keys, DeliveryMode.PORTAL))
