"""Email notifications of integrations: recipients and contexts."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext_lazy

from integrations.partners import permissions
from integrations.partners.models import Role
from integrations.partners.notices import get_address, is_program_recipient, keep_unique
from integrations.submissions.compliance_emails import build_compliance_email
from integrations.submissions.edition_emails import list_new_requirements
from integrations.submissions.models import Finding, Integration
from integrations.submissions.selectors import context
from integrations.submissions.selectors.answers import get_critical_issue_address
from integrations.submissions.selectors.deciders import (
    get_deciding_reviewer,
    has_no_decider,
    list_deciding_reviewers,
    list_reviewer_managers,
)
from integrations.submissions.selectors.history import get_left_repository, list_waiver_consequences
from integrations.submissions.services.transitions import build_settled_copy
from integrations.submissions.workflow.actions import NextAction
from integrations.submissions.workflow.compliance_guards import is_excluded_from_decision
from integrations.submissions.workflow.states import ResponsibleParty, ReviewState
from portal.accounts.models import User
from portal.audit.event_types import EMAILS, Audience, Category
from portal.audit.models import AuditEvent
from portal.core.site_urls import build_absolute_url
from portal.core.value_types import TemplateContext
from portal.notifications import email, preferences
from portal.notifications.rendering import EmailDraft
from portal.notifications.selectors import list_notified

RecipientFinder = Callable[[Integration], Iterable[object]]


def list_partner_team(integration: Integration) -> list[object]:
    """Return the owners and editors of the partner."""
    return [*integration.partner.list_members(Role.OWNER, Role.EDITOR)]


def list_program_contacts(integration: Integration) -> list[User | str]:
    """Return the reviewer, the Alliances manager, and the mailbox, each once and only people who can act now.

    If no reviewer can make the pending decision, those who can add one come before the mailbox.
    """
    # docs/explanation/compliance.md, "Escalation": those who can't make the pending decision are skipped.
    contacts = [
        person
        for person in (get_deciding_reviewer(integration), integration.partner.alliances_manager)
        if person
        and person.is_active
        and permissions.can_act_for_program(integration, person)
        and not is_excluded_from_decision(integration, person.pk)
        and not permissions.is_own_approval(integration.first_approver_id, integration.review_state, person)
    ]
    managers = list_reviewer_managers(integration) if has_no_decider(integration) else []
    return keep_unique((*contacts, *managers, integration.edition.mailbox))


def list_remaining_contacts(integration: Integration, addresses: Iterable[str]) -> list[User | str]:
    """Return the program's contacts with other addresses than these."""
    notified = {address.casefold() for address in addresses}
    return [each for each in list_program_contacts(integration) if get_address(each).casefold() not in notified]


def list_program_team(integration: Integration) -> list[object]:
    """Return the first contact of the program."""
    return [list_program_contacts(integration)[0]]


def list_involved_program_team(integration: Integration) -> list[object]:
    """Return the first contact of the program, or no one before there was something to review or decide.

    The program sees an integration from its creation, but only its reviews and waivers depend on what can change.
    """
    decision_requests = integration.events.filter(event_type__in=("requirement.waiver_requested", "requirement.waived"))
    is_involved = integration.review_round or integration.reviewer_id or decision_requests.exists()
    return list_program_team(integration) if is_involved else []


def list_review_deciders(integration: Integration) -> Sequence[User | str]:
    """Return the reviewers who can decide on a review, or the mailbox if there is none.

    While a decision on the review can be undone, no one is asked for another.
    """
    if integration.is_pending:
        return []
    return list_deciding_reviewers(integration) or [integration.edition.mailbox]


def list_both_teams(integration: Integration) -> list[object]:
    return keep_unique((*list_partner_team(integration), *list_program_team(integration)))


FINDERS: dict[Audience, RecipientFinder] = {
    Audience.PARTNER_TEAM: list_partner_team,
    Audience.PROGRAM_TEAM: list_program_team,
    Audience.INVOLVED_PROGRAM_TEAM: list_involved_program_team,
    Audience.DECIDING_REVIEWERS: list_review_deciders,
    Audience.BOTH_TEAMS: list_both_teams,
}


def build_context(event: AuditEvent) -> TemplateContext:
    """Return the context of all emails about an integration.

    `findings`: open findings; `items`: requirements that the partner can complete while a review waits for changes. The
    email of a decision is sent when the decision is final, so it names the actions of that time.
    """
    integration = event.integration
    if integration is not None and "undo_until" in event.data:
        # The email is sent after the undo period, so it has to state the next action of that time.
        integration = build_settled_copy(integration)
    is_in_changes = integration is not None and integration.review_state == ReviewState.CHANGES
    tier = integration.edition.get_tier(event.data.get("tier") or integration.tier) if integration else None
    actions: tuple[NextAction, ...] = ()
    if integration and is_in_changes:
        moment = integration.undo_until or event.at
        actions = context.list_integration_actions(integration, moment, ResponsibleParty.PARTNER)
    requirement = integration.edition.get_requirement(event.data.get("requirement", "")) if integration else None
    waived_until = parse_moment(event.data.get("until"))
    return {
        **_build_names(event, integration),
        "event": event,
        "integration": integration,
        "note": event.note or _get_source_note(event, integration),
        "data": event.data,
        "findings": list(integration.findings.filter(state=Finding.State.OPEN)) if integration else [],
        "items": [action.requirement for action in actions if action.requirement],
        "process": build_compliance_email(event),
        "new_requirements": list_new_requirements(event),
        "has_no_decider": integration is not None and has_no_decider(integration),
        "due": parse_moment(event.data.get("due")),
        "tier_name": tier.name if tier else "",
        "starts_at": parse_moment(event.data.get("starts_at")),
        # the day that the reviewer chose
        "waived_until": None if waived_until is None else waived_until.astimezone(UTC).date(),
        "agenda": requirement.meeting_items if requirement else (),
        "times": [parse_moment(text) for text in event.data.get("times", ())],
        **_build_repository_change(event),
        "issues": [issue | {"due": parse_moment(issue["due"])} for issue in event.data.get("issues", ())],
    }


def _build_repository_change(event: AuditEvent) -> TemplateContext:
    """Return what a change of the repository left or ended, for the email about it."""
    return {
        "left": get_left_repository(event),
        "ended_waivers": list_waiver_consequences(event, "requirement.waiver_ended"),
        "withdrawn_requests": list_waiver_consequences(event, "requirement.waiver_request_withdrawn"),
    }


def _get_source_note(event: AuditEvent, integration: Integration | None) -> str:
    """Return the text of the event that mentions people, blank for other events."""
    if integration is None or "source" not in event.data:
        return ""
    return integration.events.get(seq=event.data["source"]).note


def _build_names(event: AuditEvent, integration: Integration | None) -> dict[str, object]:
    """Return the names and pages that almost every email about an integration mentions."""
    if integration is None:
        return {}
    requirement = event.data.get("requirement")
    introduction = event.data.get("introduction")
    issues = event.data.get("issues", ())
    has_critical_issue = any(issue["severity"] == "critical" for issue in issues)
    uuid = integration.uuid
    issues_page = f"{build_absolute_url('reports:sla_dashboard')}?partner={integration.partner.slug}&integration={uuid}"
    if len(issues) == 1:
        issues_page = build_absolute_url("sla:issue", issues[0]["issue"])
    return {
        "name": integration.name,
        "partner_name": integration.partner.name,
        "program_name": integration.program.name,
        "actor": event.actor or gettext_lazy("The portal"),
        "requirement_page": build_absolute_url("submissions:requirement", uuid, requirement) if requirement else "",
        "introduction_page": build_absolute_url("submissions:introduction", introduction) if introduction else "",
        "issues_page": issues_page,
        "critical_issue_address": get_critical_issue_address(integration) if has_critical_issue else "",
    }


def add_reader(context: TemplateContext, *, for_program: bool, stop: str = "", category: str = "") -> dict[str, object]:
    """Return the context for one side: its own page, and which responsible party is the reader's.

    `stop` is the URL that ends emails of `category`, blank if the category is required.
    """
    page = "reviews:review" if for_program else "submissions:detail"
    return context | {
        "for_program": for_program,
        "reader_side": ResponsibleParty.PROGRAM if for_program else ResponsibleParty.PARTNER,
        "page": build_absolute_url(page, context["integration"].uuid),
        "stop": stop,
        "category": category,
    }


def parse_moment(text: str | None) -> datetime | None:
    """Parse an ISO timestamp of an event."""
    return datetime.fromisoformat(text) if text else None


def get_recipient_key(recipient: object) -> int | str:
    """Return a recipient as event data names it: a user by ID, a mailbox by its address."""
    number = getattr(recipient, "pk", None)
    return str(recipient) if number is None else int(number)


def list_recipients(event: AuditEvent, integration: Integration, audience: Audience) -> Iterable[object]:
    """Return who receives the email of an event. The escalation sends its own emails."""
    if audience == Audience.MENTIONED_PEOPLE:
        return User.objects.filter(pk__in=event.data["people"], is_active=True).order_by("pk")
    is_decision = EMAILS[event.event_type].category == Category.COMPLIANCE and audience == Audience.PROGRAM_TEAM
    if is_decision and has_no_decider(integration):
        # The mailbox alone can't help: someone has to add a reviewer.
        return list_program_contacts(integration)
    return FINDERS[audience](integration) if audience in FINDERS else ()


def notify(event: AuditEvent) -> None:
    """Queue the emails of an event in its transaction. Emails of a decision wait for the end of the undo window."""
    entry = EMAILS.get(event.event_type)
    integration = event.integration
    # A declined introduction has an event for each side. The one with the actor is for the side that declined.
    if entry is None or integration is None or (entry.is_anonymous and event.actor):
        return
    context = build_context(event)
    data = event.data
    undo_until = parse_moment(data.get("undo_until"))
    calendar = data.get("calendar", "")
    # integrations.sla.warnings notifies some in their working hours, and a mention is an event of its own
    skipped = (
        *data.get("later", ()),
        *data.get("mentioned", ()),
        *list_notified(event.stream, data.get("included_in")),
    )
    for recipient in list_recipients(event, integration, entry.audience):
        if get_recipient_key(recipient) in skipped:
            continue
        is_actor = event.actor_id is not None and getattr(recipient, "pk", None) == event.actor_id
        if calendar or not is_actor:  # the actor's calendar needs the event too
            queue_email(event, recipient, context, calendar=calendar, undo_until=undo_until)


def queue_email(
    event: AuditEvent,
    recipient: Any,
    context: dict[str, object],
    *,
    calendar: str = "",
    undo_until: datetime | None = None,
) -> None:
    """Queue the email for one recipient by their notification preferences."""
    channel = preferences.decide_delivery(recipient, event.event_type, event.at)
    for_program = is_program_recipient(recipient, event)
    edited = event.data.get("email")
    email.queue(
        EMAILS[event.event_type].template,
        # One email for each event and address, even if a person belongs to both audiences.
        f"{event.stream}:{event.seq}:{get_address(recipient)}",
        recipient,
        add_reader(context, for_program=for_program, stop=channel.stop, category=channel.category),
        hold_until=max((moment for moment in (undo_until, channel.not_before) if moment), default=None),
        event=event,
        # A reviewer edits the email to the partner. Program staff get the text of the template.
        draft=EmailDraft(**edited) if edited and not for_program else None,
        calendar=calendar,
        unsubscribe=channel.stop,
        state=channel.state,
        visible_at=undo_until,
        now=event.at,
    )
