"""Who hears of it, with which mail: one table from an event's verb to audience and template."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from integrations.compliance import events as process
from integrations.partners import permissions
from integrations.partners.models import Membership, Role
from integrations.submissions.models import Finding, Integration
from integrations.submissions.selectors import context
from integrations.submissions.services.transitions import perform
from integrations.submissions.workflow.states import ReviewState, how_many
from portal.audit.models import Event
from portal.notifications import email, preferences

Audience = Callable[[Integration], Iterable[Any]]
OWN = "(an address of their own)"


def partner_team(integration: Integration) -> list[Any]:
    """Owners and editors of the company."""
    roles = (Role.OWNER, Role.EDITOR)
    current = Membership.objects.filter(
        partner=integration.partner, ended_at=None, role__in=roles, user__is_active=True
    )
    return [m.user for m in current.select_related("user").order_by("pk")]


def program_team(integration: Integration) -> list[Any]:
    """The reviewer, else the company's Alliances manager, else the program's mailbox."""
    people = (integration.reviewer, integration.partner.alliances_manager)
    person = next((p for p in people if p and p.is_active and permissions.is_of_program(integration, p)), None)
    return [person] if person else [integration.edition.mailbox]


def both(integration: Integration) -> list[Any]:
    return [*partner_team(integration), *program_team(integration)]


@dataclass(frozen=True, slots=True)
class Notice:
    """A mail: its template under portal/notifications/templates/notifications/email/ and who gets it.

    The actor is left out, unless a calendar comes with it. `unnamed`: it goes only where the event names nobody,
    that is to the side that must not learn who it was.
    """

    template: str
    audience: Audience
    unnamed: bool = False


NOTICES: dict[str, Notice] = {
    "created": Notice("created", both),
    "request_review": Notice("review_requested", program_team),
    "request_again": Notice("review_requested", program_team),
    "request_changes": Notice("changes_requested", partner_team),
    "approve": Notice("approved", partner_team),
    "decline": Notice("declined", partner_team),
    "release": Notice("released", partner_team),
    "put_on_hold": Notice("held", partner_team),
    "resume": Notice("resumed", partner_team),
    "archive": Notice("archived", both),
    "withdraw": Notice("withdrawn", program_team),
    "reopen": Notice("reopened", both),
    "request_tier": Notice("tier_requested", program_team),
    "grant_tier": Notice("tier_granted", partner_team),
    "decline_tier": Notice("tier_declined", partner_team),
    "check_failed": Notice("check_failed", both),
    "check_passed": Notice("check_passed", both),
    "checks_disagree": Notice("checks_disagree", both),
    "said_to_partner": Notice("message", partner_team),
    "said_to_program": Notice("message", program_team),
    "waived": Notice("waived", partner_team),
    "waiver_ended": Notice("waiver_ended", partner_team),
    "accepted": Notice("accepted", partner_team),
    "agreement_to_countersign": Notice("agreement_to_countersign", program_team),
    "agreement_to_sign": Notice("agreement_to_sign", partner_team),
    "agreement_complete": Notice("agreement_complete", both),
    "meeting_proposed": Notice("meeting_proposed", both),
    "meeting_agreed": Notice("meeting_agreed", both),
    "meeting_cancelled": Notice("meeting_cancelled", both),
    "credential_revealed": Notice("credential_revealed", partner_team),
    "credential_to_rotate": Notice("credential_to_rotate", partner_team),
    "introduction_asked": Notice("introduction_asked", partner_team),
    "introduction_agreed": Notice("introduction_agreed", partner_team),
    "introduction_declined": Notice("introduction_declined", partner_team, unnamed=True),
    "edition_moved": Notice("edition_moved", partner_team),
    "issues_warned": Notice("issues_warned", both),
    "issues_breached": Notice("issues_breached", both),
    "breaches_retracted": Notice("breaches_retracted", both),
    "labels_proposed": Notice("labels_proposed", program_team),
    "labels_accepted": Notice("labels_accepted", partner_team),
    "labels_declined": Notice("labels_declined", partner_team),
    "severity_asked": Notice("severity_asked", program_team),
    "breach_disputed": Notice("breach_disputed", program_team),
    "dispute_dismissed": Notice("dispute_dismissed", partner_team),
    "severity_lowered": Notice("severity_lowered", partner_team),
    "not_covered": Notice("not_covered", partner_team),
    "give_notice": Notice("standing", partner_team),
    "suggest_notice": Notice("standing", program_team),
    "set_aside": Notice("standing", partner_team),
    "hold_process": Notice("standing", both),
    "go_on": Notice("standing", partner_team),
    "period_ended": Notice("standing", program_team),
    "suspend": Notice("standing", partner_team),
    "suspend_at_once": Notice("standing", partner_team),
    "remove": Notice("standing", partner_team),
    "appeal": Notice("standing", program_team),
    "uphold_appeal": Notice("standing", partner_team),
    "dismiss_appeal": Notice("standing", partner_team),
    "take_notice_back": Notice("standing", partner_team),
    "reinstate": Notice("standing", partner_team),
    "ask_reinstatement": Notice("standing", program_team),
    "step_down": Notice("standing", both),
}


def context_of(event: Event) -> dict[str, Any]:
    """What every mail about an integration may say.

    `findings`: those that wait for the partner's answer; `items`: the requirements that do, in a round of changes.
    """
    integration = event.integration
    in_changes = integration is not None and integration.review_state == ReviewState.CHANGES
    tier = integration.edition.tier(event.data.get("tier") or integration.tier) if integration else None
    items = context.partners_part(integration, event.at) if integration and in_changes else ()
    return {
        "event": event,
        "integration": integration,
        "note": event.note,
        "data": event.data,
        "findings": list(integration.findings.filter(state=Finding.State.OPEN)) if integration else [],
        "items": items,
        "to_settle": how_many(items),
        "process": process.told(event),
        "due": moment(event.data.get("due")),
        "tier_name": tier.name if tier else "",
        "starts_at": moment(event.data.get("starts_at")),
        "times": [moment(text) for text in event.data.get("times", ())],
        "issues": [issue | {"due": moment(issue["due"])} for issue in event.data.get("issues", ())],
    }


def moment(text: str | None) -> datetime | None:
    """What an event keeps as text, as a moment again."""
    return datetime.fromisoformat(text) if text else None


def is_of_program(receiver: Any) -> bool:
    """Whether a mail goes to the program: one of its people, or a mailbox."""
    return isinstance(receiver, str) or permissions.works_for_program(receiver)


def address(receiver: Any) -> str:
    return str(getattr(receiver, "email", receiver))


def name_of(receiver: Any) -> int | str:
    """A receiver as an event's data names them: a person by number, a mailbox by its address."""
    number = getattr(receiver, "pk", None)
    return str(receiver) if number is None else int(number)


def tell(event: Event) -> None:
    """Queue the mails of one event, in its transaction. A decision's mail waits out the undo window."""
    notice = NOTICES.get(event.verb)
    if notice is None or event.integration is None or (notice.unnamed and event.actor):
        return
    undo_until, told = event.data.get("undo_until"), context_of(event)
    calendar = event.data.get("calendar", "")
    later = event.data.get("later", ())
    for person in notice.audience(event.integration):
        if name_of(person) in later:  # integrations.sla.warnings tells them when they work
            continue
        is_actor = event.actor_id is not None and getattr(person, "pk", None) == event.actor_id
        if is_actor and not calendar:  # a calendar must hear of it even where its owner knows
            continue
        queue(notice.template, event, person, told, calendar=calendar, undo_until=moment(undo_until))


def queue(
    template: str, event: Event, person: Any, told: dict[str, Any], *, calendar: str, undo_until: datetime | None
) -> None:
    """One person's mail, on the way that they chose."""
    way = preferences.way(person, event.verb, event.at)
    email.queue(
        template,
        f"{event.stream}:{event.seq}:{address(person)}",
        person,
        told | {"for_program": is_of_program(person), "stop": way.stop},
        hold_until=max((each for each in (undo_until, way.not_before) if each), default=None),
        event=event,
        calendar=calendar,
        unsubscribe=way.stop,
        state=way.state,
        now=event.at,
    )


def preview(
    integration: Integration, step: str, *, by: Any, note: str, now: datetime, **inputs: Any
) -> list[email.Email]:
    """The exact mails that a step would send: it is taken for real and then rolled back.

    Raises NotAllowed where the step would be refused.
    """
    with transaction.atomic():
        event = perform(integration, step, by=by, note=note, now=now, **inputs)
        mails = list(event.emails.order_by("pk"))
        transaction.set_rollback(True)
    for each in mails:  # the address that stops a kind is a key: its receiver's alone
        if each.unsubscribe:
            each.text, each.html = (text.replace(each.unsubscribe, OWN) for text in (each.text, each.html))
    return mails
