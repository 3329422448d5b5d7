"""Who hears of what happens in a company? One table from an event's verb to audience and mail."""

from collections.abc import Callable, Iterable

from django.conf import settings
from django.utils import translation

from integrations.partners import permissions
from integrations.partners.models import Membership, Role
from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import Stage
from portal.accounts.models import User
from portal.audit import services
from portal.audit.models import Event
from portal.notifications import email

Audience = Callable[[Event], Iterable[User | str]]


def owners(event: Event) -> list[User]:
    """The owners of the company as they are now."""
    current = Membership.objects.filter(
        partner=event.partner, ended_at=None, role=Role.OWNER, user__is_active=True
    ).select_related("user")
    return [membership.user for membership in current.order_by("pk")]


def both_sides(event: Event) -> list[User | str]:
    """Owners and editors, and of the program the Alliances manager, else the mailboxes of what is supported."""
    assert event.partner
    members = Membership.objects.filter(
        partner=event.partner, ended_at=None, role__in=(Role.OWNER, Role.EDITOR), user__is_active=True
    )
    team: list[User | str] = [member.user for member in members.select_related("user").order_by("pk")]
    manager = event.partner.alliances_manager
    if manager is not None and manager.is_active:
        return [*team, manager]
    supported = Integration.objects.filter(partner=event.partner, stage=Stage.SUPPORT).order_by("pk")
    return [*team, *dict.fromkeys(row.edition.mailbox for row in supported)]


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
    "calendar_changed": ("calendar_changed", both_sides),
    "membership_ended": ("membership_ended", the_others),
}


def hear(event: Event) -> None:
    """Queue the mails of an event of a company, in its transaction. Who did it gets none."""
    if not event.stream.startswith("partner:") or event.verb not in NOTICES:
        return
    with translation.override(settings.LANGUAGE_CODE):  # of mails, whoever caused them
        _tell(event)


def _tell(event: Event) -> None:
    name, audience = NOTICES[event.verb]
    told = {"event": event, "partner": event.partner, "note": event.note, "data": event.data}
    if role := event.data.get("role"):
        told["role"] = Role(role).label.lower()
    for person in audience(event):
        if getattr(person, "pk", None) != event.actor_id:
            address = getattr(person, "email", person)
            of_program = isinstance(person, str) or permissions.works_for_program(person)
            said = told | {"for_program": of_program}
            email.queue(name, f"{event.stream}:{event.seq}:{address}", person, said, event=event, now=event.at)


def connect() -> None:
    """Called once when the app is ready."""
    services.listen(hear)
