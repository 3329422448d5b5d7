"""Email texts of the compliance procedure by event type."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext, gettext_noop

from portal.audit.models import AuditEvent


@dataclass(frozen=True, slots=True)
class ComplianceEmailTemplate:
    """Text of one compliance email with the placeholders `{name}`, `{company}`, and `{actor}`.

    `then` tells the partner what follows and what it can do; `then_of_program` tells the program.
    """

    subject: str
    lead: str
    then: str = ""
    then_of_program: str = ""


EMAIL_TEMPLATES: dict[str, ComplianceEmailTemplate] = {
    "compliance.notice_issued": ComplianceEmailTemplate(
        gettext_noop("Notice issued: {name}"),
        gettext_noop("{actor} issued a notice to {name} because support missed the SLA targets."),
        gettext_noop(
            "The public listing doesn't change, and we notify no one else. Fix the issues in the evidence, or appeal. "
            "A reviewer looks at your response before making a decision."
        ),
    ),
    "program.notice_suggested": ComplianceEmailTemplate(
        gettext_noop("Notice suggested: {name} by {company}"),
        gettext_noop("{name} reached a threshold of missed SLA targets."),
        then_of_program=gettext_noop(
            "Issue a notice or dismiss the request. "
            "Read the evidence before you decide. The partner sees the same evidence."
        ),
    ),
    "compliance.request_dismissed": ComplianceEmailTemplate(
        gettext_noop("Request dismissed: {name}"),
        gettext_noop("{actor} reviewed {name}. Its listing status doesn't change."),
    ),
    "compliance.deadline_paused": ComplianceEmailTemplate(
        gettext_noop("Deadline paused: {name}"),
        gettext_noop("{company} responded. The deadline is paused until a reviewer looks at the response."),
        gettext_noop("No action needed."),
        gettext_noop(
            "Withdraw the notice, reinstate the integration, or resume the deadline. "
            "Read the evidence before you decide. The partner sees the same evidence."
        ),
    ),
    "compliance.deadline_resumed": ComplianceEmailTemplate(
        gettext_noop("Deadline resumed: {name}"),
        gettext_noop("{actor} reviewed the response of {company}. The paused time doesn't count."),
        gettext_noop("You can appeal each decision once."),
    ),
    "compliance.deadline_expired": ComplianceEmailTemplate(
        gettext_noop("Decision required: {name} by {company}, notice period ended"),
        gettext_noop("The notice period of {name} has ended. Nothing happens automatically. A reviewer must decide."),
        then_of_program=gettext_noop(
            "Read the evidence before you decide. The partner sees the same evidence. "
            "A different reviewer from the previous step must decide on a suspension or a delisting."
        ),
    ),
    "compliance.suspended": ComplianceEmailTemplate(
        gettext_noop("Suspended: {name}"),
        gettext_noop("{actor} suspended {name}. The public page shows the suspension."),
        gettext_noop("The SLA targets still apply. Fix the open issues and request reinstatement, or appeal."),
    ),
    "compliance.suspended_immediately": ComplianceEmailTemplate(
        gettext_noop("Suspended immediately: {name}"),
        gettext_noop(
            "{actor} suspended {name} without notice because the owner of its repository changed. "
            "The public page shows the suspension."
        ),
        gettext_noop("Explain who owns the repository now and request reinstatement, or appeal."),
    ),
    "compliance.delisted": ComplianceEmailTemplate(
        gettext_noop("Delisted: {name}"),
        gettext_noop("{actor} delisted {name}. The public page stays online and shows the status."),
        gettext_noop("You can request reinstatement anytime."),
    ),
    "compliance.appealed": ComplianceEmailTemplate(
        gettext_noop("Appeal: {name} by {company}"),
        gettext_noop("{actor} appealed. The deadline is paused until a reviewer decides on the appeal."),
        then_of_program=gettext_noop(
            "The reviewer who issued the notice or suspended the integration can't decide on the appeal. "
            "Read the evidence before you decide. The partner sees the same evidence."
        ),
    ),
    "compliance.appeal_upheld": ComplianceEmailTemplate(
        gettext_noop("Appeal upheld: {name}"),
        gettext_noop("{actor} upheld the appeal. {name} has its previous listing status again."),
    ),
    "compliance.appeal_dismissed": ComplianceEmailTemplate(
        gettext_noop("Appeal dismissed: {name}"),
        gettext_noop("{actor} dismissed the appeal. The paused time doesn't count."),
        gettext_noop("The decisions and their evidence stay on the compliance page for both sides."),
    ),
    "compliance.notice_withdrawn": ComplianceEmailTemplate(
        gettext_noop("Notice withdrawn: {name}"), gettext_noop("{actor} withdrew the notice to {name}.")
    ),
    "compliance.reinstated": ComplianceEmailTemplate(
        gettext_noop("Reinstated: {name}"),
        gettext_noop("{actor} reinstated {name}. The public page shows the change."),
    ),
    "compliance.reinstatement_requested": ComplianceEmailTemplate(
        gettext_noop("Reinstatement requested: {name} by {company}"),
        gettext_noop("{actor} requested reinstatement of {name}."),
        then_of_program=gettext_noop("Review the integration, then reinstate it or dismiss the request with a reason."),
    ),
    "compliance.downgraded": ComplianceEmailTemplate(
        gettext_noop("Now a community integration: {name}"),
        gettext_noop("{company} ended the support commitment for {name}. Thank you for informing its users."),
        gettext_noop("No SLA targets apply now. You can request reinstatement when you want to support it again."),
    ),
}


@dataclass(frozen=True, slots=True)
class ComplianceEmail:
    """Rendered text of the email for one event."""

    subject: str
    lead: str
    then: str
    then_of_program: str
    due: datetime | None
    activities: tuple[dict[str, object], ...]


def build_compliance_email(event: AuditEvent) -> ComplianceEmail | None:
    """Return the rendered email of a compliance event, or None for any other event."""
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
        activities=tuple(event.data.get("activities", ())),
    )
