"""How is each move of the due process told? One table from an event's verb to the words of its mail."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext, gettext_noop

from portal.audit.models import AuditEvent


@dataclass(frozen=True, slots=True)
class ComplianceEmailTemplate:
    """A mail's words. `{name}`, `{company}` and `{actor}` are filled in; `then`: what follows and what can be done."""

    subject: str
    lead: str
    then: str = ""
    then_of_program: str = ""


EMAIL_TEMPLATES: dict[str, ComplianceEmailTemplate] = {
    "issue_notice": ComplianceEmailTemplate(
        gettext_noop("Notice: {name}"),
        gettext_noop("{actor} gave notice to {name}: its support has not kept the program’s promise."),
        gettext_noop(
            "Its listing does not change and nobody else is told. Settle what the evidence names, or appeal. "
            "Whatever you do is looked at by a person before anything follows."
        ),
    ),
    "suggest_notice": ComplianceEmailTemplate(
        gettext_noop("Is a notice due? {name} of {company}"),
        gettext_noop("The portal found that {name} has not kept the promise often enough to ask you to look."),
        then_of_program=gettext_noop(
            "It is a suggestion: give notice, or leave it as it is. "
            "Look at the evidence before you decide: the partner sees the same."
        ),
    ),
    "dismiss_request": ComplianceEmailTemplate(
        gettext_noop("Left as it is: {name}"),
        gettext_noop("{actor} looked at {name} and leaves its standing as it is."),
    ),
    "pause_deadline": ComplianceEmailTemplate(
        gettext_noop("Held: the notice to {name}"),
        gettext_noop(
            "What {company} did is noted, and the period stands still until somebody of the program has looked at it."
        ),
        gettext_noop("You need to do nothing for that."),
        gettext_noop(
            "Take the notice back, reinstate it, or let the period run on. "
            "Look at the evidence before you decide: the partner sees the same."
        ),
    ),
    "resume_deadline": ComplianceEmailTemplate(
        gettext_noop("The period runs on: {name}"),
        gettext_noop(
            "{actor} looked at what {company} did. The time during which the period stood still is not counted."
        ),
        gettext_noop("You can appeal once against each decision."),
    ),
    "period_ended": ComplianceEmailTemplate(
        gettext_noop("The period has ended: {name} of {company}"),
        gettext_noop(
            "The period that {name} was given has ended. Nothing follows by itself: a reviewer has to decide."
        ),
        then_of_program=gettext_noop(
            "Look at the evidence before you decide: the partner sees the same."
            " A suspension or a removal needs another reviewer than the step before it."
        ),
    ),
    "suspend": ComplianceEmailTemplate(
        gettext_noop("Suspended: {name}"),
        gettext_noop("{actor} suspended {name}. Its public page says so from now on."),
        gettext_noop("Its promise and its clocks go on. Settle what is left and ask to be reinstated, or appeal."),
    ),
    "suspend_immediately": ComplianceEmailTemplate(
        gettext_noop("Suspended at once: {name}"),
        gettext_noop(
            "{actor} suspended {name} without notice: its repository is in other hands. Its public page says so."
        ),
        gettext_noop("Show whose it is now and ask to be reinstated, or appeal."),
    ),
    "delist": ComplianceEmailTemplate(
        gettext_noop("Removed from the listing: {name}"),
        gettext_noop("{actor} removed {name} from the listing. Its public page stays and says so."),
        gettext_noop("You can ask to be reinstated at any time."),
    ),
    "appeal": ComplianceEmailTemplate(
        gettext_noop("Appeal: {name} of {company}"),
        gettext_noop("{actor} appeals. The period stands still until the appeal is decided."),
        then_of_program=gettext_noop(
            "A reviewer decides who neither gave the notice nor suspended it. "
            "Look at the evidence before you decide: the partner sees the same."
        ),
    ),
    "uphold_appeal": ComplianceEmailTemplate(
        gettext_noop("Appeal upheld: {name}"), gettext_noop("{actor} upheld the appeal: {name} has its standing back.")
    ),
    "dismiss_appeal": ComplianceEmailTemplate(
        gettext_noop("Appeal dismissed: {name}"),
        gettext_noop("{actor} dismissed the appeal. The time during which the period stood still is not counted."),
        gettext_noop("The reviewers’ decisions and the evidence they had stay on the page for both sides."),
    ),
    "withdraw_notice": ComplianceEmailTemplate(
        gettext_noop("Notice taken back: {name}"), gettext_noop("{actor} took the notice to {name} back.")
    ),
    "reinstate": ComplianceEmailTemplate(
        gettext_noop("Reinstated: {name}"),
        gettext_noop("{actor} looked afresh and reinstated {name}. Its public page says so."),
    ),
    "request_reinstatement": ComplianceEmailTemplate(
        gettext_noop("Asks to be reinstated: {name} of {company}"),
        gettext_noop("{actor} asks that {name} be reinstated."),
        then_of_program=gettext_noop("Look afresh: reinstate it, or leave it as it is and say why."),
    ),
    "downgrade_to_community": ComplianceEmailTemplate(
        gettext_noop("Now a community integration: {name}"),
        gettext_noop(
            "{company} no longer promises support for {name} and said so itself. "
            "Thank you for telling its users in time."
        ),
        gettext_noop(
            "No clock runs any more. You are welcome back: ask to be reinstated when you want to support it again."
        ),
    ),
}
EMAILED_EVENT_TYPES = tuple(EMAIL_TEMPLATES)


@dataclass(frozen=True, slots=True)
class ComplianceEmail:
    """The words of one event's mail, filled."""

    subject: str
    lead: str
    then: str
    then_of_program: str
    due: datetime | None
    acts: tuple[dict[str, Any], ...]


def build_compliance_email(event: AuditEvent) -> ComplianceEmail | None:
    """What the mail of a move of the due process says; None for any other event."""
    template, integration = EMAIL_TEMPLATES.get(event.event_type), event.integration
    if template is None or integration is None:
        return None
    placeholders = {
        "name": integration.name,
        "company": integration.partner.name,
        "actor": event.actor or gettext("The portal"),
    }
    deadline = event.data.get("compliance_deadline") or ""
    return ComplianceEmail(
        subject=gettext(template.subject).format_map(placeholders),
        lead=gettext(template.lead).format_map(placeholders),
        then=gettext(template.then).format_map(placeholders),
        then_of_program=gettext(template.then_of_program).format_map(placeholders),
        due=datetime.fromisoformat(deadline) if deadline else None,
        acts=tuple(event.data.get("acts", ())),
    )
