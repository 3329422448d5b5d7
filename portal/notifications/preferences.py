"""Notification preferences and the delivery decision that follows from them, made where emails are created."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils.translation import gettext

from portal.audit.catalog import EMAILS
from portal.core.business_time import Calendar
from portal.core.office_hours import get_next_working_time
from portal.notifications import unsubscribe
from portal.notifications.categories import (
    CATEGORY_BY_KEY,
    DIGEST_MODES,
    DeliveryMode,
    NotificationCategory,
)
from portal.notifications.models import EmailMessage
from portal.notifications.models.preferences import NotificationPreference

DIGEST_TIME = time(8)
WEEKLY_DAY = 0  # Monday
EMAIL_STATE_BY_MODE = {
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
    if key is None or CATEGORY_BY_KEY[key].locked or not hasattr(person, "zone"):
        return DeliveryDecision()
    category, preference = CATEGORY_BY_KEY[key], NotificationPreference.objects.filter(user=person).first()
    mode = get_mode(preference.delivery if preference else {}, category)
    stop_url = unsubscribe.build_url(person, category.key)
    if mode == DeliveryMode.IMMEDIATE:
        calendar = Calendar(zone=ZoneInfo(person.zone))
        return DeliveryDecision(
            not_before=get_next_working_time(now, calendar)
            if preference and preference.only_in_working_hours
            else None,
            stop=stop_url,
            category=gettext(category.title),
        )
    return DeliveryDecision(
        EMAIL_STATE_BY_MODE[mode],
        calculate_digest_time(mode, person, now) if mode in DIGEST_MODES else None,
        stop_url,
        gettext(category.title),
    )


def get_mode(mode_by_category: Mapping[str, str], category: NotificationCategory) -> DeliveryMode:
    """Return the selected mode of a category, or its default if the mode is no longer available."""
    mode_key = mode_by_category.get(category.key, DeliveryMode.IMMEDIATE)
    return DeliveryMode(mode_key) if mode_key in category.list_modes() else DeliveryMode.IMMEDIATE


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
def save_preferences(
    person: Any, mode_by_category: Mapping[str, str], only_in_working_hours: bool | None = None
) -> NotificationPreference:
    """Save the modes of some categories. Emails that wait for a digest follow the new mode.

    Raises:
        ValueError: A category is locked or does not offer the mode.
    """
    for key, mode in mode_by_category.items():
        if CATEGORY_BY_KEY[key].locked or mode not in CATEGORY_BY_KEY[key].list_modes():
            raise ValueError(f"{key} cannot be {mode}.")
    NotificationPreference.objects.get_or_create(user=person)
    preference = NotificationPreference.objects.select_for_update(of=("self",)).get(user=person)
    preference.delivery = {**preference.delivery, **{key: str(mode) for key, mode in mode_by_category.items()}}
    if only_in_working_hours is not None:
        preference.only_in_working_hours = only_in_working_hours
    preference.save()
    for key, mode in mode_by_category.items():
        if mode in (DeliveryMode.PORTAL, DeliveryMode.OFF):
            waiting = EmailMessage.objects.filter(
                person=person, state=EmailMessage.State.BATCHED, event__event_type__in=CATEGORY_BY_KEY[key].event_types
            )
            waiting.update(state=EMAIL_STATE_BY_MODE[DeliveryMode(mode)])
    return preference


def stop_category(person: Any, key: str) -> None:
    """Switch a category, or the digest, from email to portal only."""
    if key != unsubscribe.DIGEST:
        save_preferences(person, {key: DeliveryMode.PORTAL})
        return
    preference = NotificationPreference.objects.filter(user=person).first()
    mode_by_category = preference.delivery if preference else {}
    save_preferences(
        person,
        {
            category.key: DeliveryMode.PORTAL
            for category in CATEGORY_BY_KEY.values()
            if get_mode(mode_by_category, category) in DIGEST_MODES
        },
    )
