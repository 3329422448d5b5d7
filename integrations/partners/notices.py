"""Email notifications about members and calendars of a partner, and the time zones of recipients."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import translation

from integrations.partners import permissions
from integrations.partners.models import Role
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.audit.event_types import EMAILS, Audience
from portal.audit.models import AuditEvent
from portal.core.business_time import Calendar
from portal.notifications import email

Recipient = TypeVar("Recipient")
DEFAULT_ZONE = "UTC"  # time zone of new accounts


def localize_calendar(calendar: Calendar, recipient: object) -> Calendar:
    """Return the calendar in a recipient's time zone, which mailboxes don't have and new accounts don't know yet."""
    zone = getattr(recipient, "zone", DEFAULT_ZONE)
    is_zone_known = zone != DEFAULT_ZONE or getattr(recipient, "zone_chosen", False)
    return replace(calendar, zone=ZoneInfo(zone)) if is_zone_known else calendar


def get_address(recipient: object) -> str:
    """Return the email address of a person or mailbox."""
    return str(getattr(recipient, "email", recipient))


def keep_unique(recipients: Iterable[Recipient]) -> list[Recipient]:
    """Return the recipients without later ones with the same address, in any case, such as a person's mailbox."""
    recipients_by_address: dict[str, Recipient] = {}
    for recipient in recipients:
        recipients_by_address.setdefault(get_address(recipient).casefold(), recipient)
    return list(recipients_by_address.values())


def list_owners(event: AuditEvent) -> list[User]:
    """Return the current active owners of the partner."""
    assert event.partner
    return event.partner.list_members(Role.OWNER)


def list_both_sides(event: AuditEvent) -> list[User | str]:
    """Return the owners and editors, plus the Alliances manager or the mailboxes of the supported programs.

    The mailboxes replace a manager who is missing or inactive.
    """
    assert event.partner
    recipients = event.partner.list_members(Role.OWNER, Role.EDITOR)
    manager = event.partner.alliances_manager
    if manager is not None and manager.is_active:
        return keep_unique([*recipients, manager])
    supported_integrations = event.partner.integrations.in_support().order_by("pk")
    return keep_unique([*recipients, *(integration.edition.mailbox for integration in supported_integrations)])


def list_subject(event: AuditEvent) -> list[User]:
    """Return the person whom the event is about."""
    return list(User.objects.filter(pk=event.data["person"], is_active=True))


def list_counterparts(event: AuditEvent) -> list[User]:
    """Return the removed member, or the owners if the member left."""
    return list_owners(event) if event.data["left"] else list_subject(event)


def list_reviewers(event: AuditEvent) -> list[User]:
    """Return the reviewers who can decide on the partner."""
    assert event.partner
    reviewers = User.objects.active_reviewers().order_by("pk")
    return [user for user in reviewers if permissions.can_decide_on_partner(event.partner, user)]


FINDERS: dict[Audience, Callable[[AuditEvent], Iterable[User | str]]] = {
    Audience.OWNERS: list_owners,
    Audience.MEMBER: list_subject,
    Audience.MEMBER_OR_OWNERS: list_counterparts,
    Audience.PARTNER_AND_MANAGER: list_both_sides,
    Audience.REVIEWERS: list_reviewers,
}


def handle_event(event: AuditEvent) -> None:
    """Queue the emails of a partner event in its transaction, except for the person who caused it."""
    # Events of integrations name the company too. Their emails are in submissions.notices.
    if event.stream.startswith("partner:") and event.event_type in EMAILS:
        with translation.override(settings.LANGUAGE_CODE):  # emails don't use the actor's language
            _queue_emails(event)


def _queue_emails(event: AuditEvent) -> None:
    entry = EMAILS[event.event_type]
    context = {
        "event": event,
        "partner": event.partner,
        "partner_name": event.partner.name if event.partner else "",
        "actor": event.actor,
        "note": event.note,
        "data": event.data,
    }
    if role := event.data.get("role"):
        context["role"] = Role(role).label.lower()
    for recipient in FINDERS[entry.audience](event):
        if not (isinstance(recipient, User) and recipient.pk == event.actor_id):
            recipient_context = context | {"for_program": is_program_recipient(recipient, event)}
            # One email for each event and address.
            key = f"{event.stream}:{event.seq}:{get_address(recipient)}"
            email.queue(entry.template, key, recipient, recipient_context, event=event, now=event.at)


def is_program_recipient(recipient: AnyUser | str, event: AuditEvent) -> bool:
    """Return whether an email goes to a mailbox, or to program staff who don't belong to the partner."""
    if isinstance(recipient, str):
        return True
    # A merge moves integrations, but their earlier events stay with the company that was merged.
    partner = event.integration.partner if event.integration else event.partner
    assert partner
    return permissions.is_program_staff(recipient) and not permissions.get_role(partner, recipient)
