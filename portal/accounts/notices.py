"""Who hears of what happens in a company? One table from an event's verb to audience and mail."""

from collections.abc import Callable, Iterable

from integrations import history
from integrations.models import Event, Membership, Role
from portal import mail
from portal.accounts.models import User

Audience = Callable[[Event], Iterable[User]]


def owners(event: Event) -> list[User]:
    """The owners of the company as they are now."""
    current = Membership.objects.filter(
        partner=event.partner, ended_at=None, role=Role.OWNER, user__is_active=True
    ).select_related("user")
    return [membership.user for membership in current.order_by("pk")]


def the_person(event: Event) -> list[User]:
    """Whom it is about."""
    return list(User.objects.filter(pk=event.data["person"], is_active=True))


def the_others(event: Event) -> list[User]:
    """Who was removed, or else the owners of the company that somebody left."""
    return owners(event) if event.data["left"] else the_person(event)


NOTICES: dict[str, tuple[str, Audience]] = {
    "join_requested": ("join_requested", owners),
    "join_accepted": ("join_accepted", the_person),
    "join_declined": ("join_declined", the_person),
    "role_changed": ("role_changed", the_person),
    "owner_appointed": ("role_changed", the_person),
    "membership_ended": ("membership_ended", the_others),
}


def hear(event: Event) -> None:
    """Queue the mails of an event of a company, in its transaction. Who did it gets none."""
    if not event.stream.startswith("partner:") or event.verb not in NOTICES:
        return
    name, audience = NOTICES[event.verb]
    told = {"event": event, "partner": event.partner, "note": event.note, "data": event.data}
    if role := event.data.get("role"):
        told["role"] = Role(role).label.lower()
    for person in audience(event):
        if person.pk != event.actor_id:
            mail.queue(name, f"{event.stream}:{event.seq}:{person.email}", person, told, event=event, now=event.at)


def connect() -> None:
    """Called once when the app is ready."""
    history.listen(hear)
