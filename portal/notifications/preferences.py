"""What did a person choose for a notice, and so: which way does it go? Asked in the one place where mails are made."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction

from portal.core.business_time import Calendar
from portal.core.office_hours import office_opens
from portal.notifications import unsubscribe
from portal.notifications.categories import BY_KEY, BY_VERB, DIGESTS, How, Kind
from portal.notifications.models import Email
from portal.notifications.models.preferences import Wish

MORNING = time(8)
WEEKLY_DAY = 0  # Monday
STATES = {
    How.DAILY: Email.State.GATHERED,
    How.WEEKLY: Email.State.GATHERED,
    How.PORTAL: Email.State.SHOWN,
    How.NONE: Email.State.SILENCED,
}


@dataclass(frozen=True, slots=True)
class Way:
    """How one notice goes to one person: the state of its row, not before when, the address that stops its kind."""

    state: str = ""
    not_before: datetime | None = None
    stop: str = ""


def way(person: Any, verb: str, now: datetime) -> Way:
    """The way of a notice. What is locked, and what goes to a mailbox, is a mail at once."""
    kind = BY_VERB.get(verb)
    if kind is None or kind.locked or not hasattr(person, "zone"):
        return Way()
    wish = Wish.objects.filter(user=person).first()
    how = chosen(wish.how if wish else {}, kind)
    stop = unsubscribe.address(person, kind.key)
    if how == How.NOW:
        calendar = Calendar(zone=ZoneInfo(person.zone))
        return Way(not_before=office_opens(now, calendar) if wish and wish.office_hours else None, stop=stop)
    return Way(STATES[how], digest_at(how, person, now) if how in DIGESTS else None, stop)


def chosen(how: Mapping[str, str], kind: Kind) -> How:
    """What a person chose for a kind; a choice that it no longer has counts as none."""
    said = how.get(kind.key, How.NOW)
    return How(said) if said in kind.ways() and not kind.locked else How.NOW


def digest_at(how: How, person: Any, now: datetime) -> datetime:
    """The next morning of the person's, at eight; of the weekly digest Monday's."""
    zone = ZoneInfo(person.zone)
    day = now.astimezone(zone).date()
    if datetime.combine(day, MORNING, zone) <= now:
        day += timedelta(days=1)
    while how == How.WEEKLY and day.weekday() != WEEKLY_DAY:
        day += timedelta(days=1)
    return datetime.combine(day, MORNING, zone)


@transaction.atomic
def choose(person: Any, how: Mapping[str, str], office_hours: bool | None = None) -> Wish:
    """Keep choices; kinds that are not named stay as they are. What waits for a digest follows a kind that is silenced.

    Raises ValueError for a kind that nobody can silence, or a way that it has not.
    """
    for key, said in how.items():
        if BY_KEY[key].locked or said not in BY_KEY[key].ways():
            raise ValueError(f"{key} cannot be {said}.")
    Wish.objects.get_or_create(user=person)
    wish = Wish.objects.select_for_update(of=("self",)).get(user=person)
    wish.how = {**wish.how, **{key: str(said) for key, said in how.items()}}
    if office_hours is not None:
        wish.office_hours = office_hours
    wish.save()
    for key, said in how.items():
        if said in (How.PORTAL, How.NONE):
            waiting = Email.objects.filter(person=person, state=Email.State.GATHERED, event__verb__in=BY_KEY[key].verbs)
            waiting.update(state=STATES[How(said)])
    return wish


def stop(person: Any, key: str) -> None:
    """No mail of a kind any more, or no digest: it is shown in the portal."""
    if key != unsubscribe.DIGEST:
        choose(person, {key: How.PORTAL})
        return
    wish = Wish.objects.filter(user=person).first()
    how = wish.how if wish else {}
    choose(person, {kind.key: How.PORTAL for kind in BY_KEY.values() if chosen(how, kind) in DIGESTS})
