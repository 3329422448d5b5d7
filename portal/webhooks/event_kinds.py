"""Webhook event types and the payload fields of each.

Version 1 of the payload has `type`, `timestamp`, and `data`. New fields can be added. Changed or removed fields require
a new version, which each endpoint selects. Payloads never contain messages between people.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.utils.translation import gettext_noop as _

PAYLOAD_VERSION = 1
TEST_EVENT_TYPE = "portal.test"
REQUIREMENT_FIELDS = ("requirement", "title")
ISSUE_LIST_FIELDS = ("count", "issues")
SINGLE_ISSUE_FIELDS = ("issue", "name", "title")
STANDING_FIELDS = ("listing_status", "compliance_deadline")


@dataclass(frozen=True, slots=True)
class WebhookEventType:
    """Webhook event type.

    Attributes:
        name: The public name.
        description: What happened.
        event_types: The audit event types that it covers.
        fields: Additional fields in `data`.
        is_program_only: Whether only endpoints of the program receive it.
    """

    name: str
    description: str
    event_types: tuple[str, ...]
    fields: tuple[str, ...] = ()
    is_program_only: bool = False

    @property
    def group(self) -> str:
        return self.name.partition(".")[0]


WEBHOOK_EVENT_TYPES = (
    WebhookEventType("integration.created", _("A partner submitted an integration."), ("created",)),
    WebhookEventType(
        "integration.advanced", _("The integration completed a step."), ("complete_step",), ("from", "to")
    ),
    WebhookEventType(
        "integration.approved",
        _("A reviewer approved the integration. It is not listed yet."),
        ("approve",),
        ("from", "to"),
    ),
    WebhookEventType("integration.listed", _("The integration was listed."), ("publish",), ("from", "to")),
    WebhookEventType("integration.declined", _("A reviewer declined the integration."), ("decline",), ("from", "to")),
    WebhookEventType(
        "integration.put_on_hold", _("The integration was put on hold. Due dates are paused."), ("put_on_hold",)
    ),
    WebhookEventType("integration.resumed", _("The hold was removed."), ("resume",)),
    WebhookEventType(
        "integration.withdrawn", _("The partner withdrew the integration."), ("withdraw",), ("from", "to")
    ),
    WebhookEventType("integration.archived", _("Support for the integration ended."), ("archive",), ("from", "to")),
    WebhookEventType("integration.reopened", _("The integration was reopened."), ("reopen",), ("from", "to")),
    WebhookEventType(
        "integration.edition_moved",
        _("The integration moved to a newer edition of its program."),
        ("edition_moved",),
        ("was", "to"),
    ),
    WebhookEventType(
        "review.requested",
        _("The partner requested a review or another review."),
        ("submit_for_review", "resubmit_for_review"),
        ("round",),
    ),
    WebhookEventType("review.changes_requested", _("A reviewer requested changes."), ("request_changes",), ("round",)),
    WebhookEventType(
        "finding.resolved",
        _("The partner responded to a finding."),
        ("finding_fixed",),
        ("finding", *REQUIREMENT_FIELDS),
    ),
    WebhookEventType(
        "finding.verified", _("A reviewer verified a finding."), ("finding_verified",), ("finding", *REQUIREMENT_FIELDS)
    ),
    WebhookEventType(
        "finding.reopened", _("A reviewer reopened a finding."), ("finding_reopened",), ("finding", *REQUIREMENT_FIELDS)
    ),
    WebhookEventType(
        "check.failed", _("A check failed for a requirement that was complete."), ("check_failed",), REQUIREMENT_FIELDS
    ),
    WebhookEventType(
        "check.passed", _("The checks of a requirement passed again."), ("check_passed",), REQUIREMENT_FIELDS
    ),
    WebhookEventType(
        "check.accepted",
        _("A reviewer permanently accepted a deviation."),
        ("accepted",),
        ("check", "title", "thing"),
    ),
    WebhookEventType(
        "check.disagreed",
        _("The portal's check results differ from your CI report."),
        ("checks_disagree",),
        (*REQUIREMENT_FIELDS, "commit"),
    ),
    WebhookEventType("requirement.waived", _("A requirement was waived."), ("waived",), (*REQUIREMENT_FIELDS, "until")),
    WebhookEventType(
        "requirement.waiver_ended",
        _("A waiver was revoked before its expiration date."),
        ("waiver_ended",),
        (*REQUIREMENT_FIELDS, "until"),
    ),
    WebhookEventType("tier.requested", _("The partner requested a tier."), ("request_tier",), ("tier",)),
    WebhookEventType("tier.granted", _("A tier was granted."), ("grant_tier",), ("tier",)),
    WebhookEventType("tier.declined", _("A tier was declined."), ("decline_tier",), ("tier",)),
    WebhookEventType(
        "message.posted",
        _("Someone posted a message. The payload doesn't include the text."),
        ("said_to_partner", "said_to_program"),
    ),
    WebhookEventType(
        "agreement.signed",
        _("One party signed an agreement."),
        ("agreement_to_sign", "agreement_to_countersign"),
        REQUIREMENT_FIELDS,
    ),
    WebhookEventType(
        "agreement.completed", _("Both parties signed an agreement."), ("agreement_complete",), REQUIREMENT_FIELDS
    ),
    WebhookEventType("meeting.proposed", _("Meeting times were proposed."), ("meeting_proposed",), REQUIREMENT_FIELDS),
    WebhookEventType(
        "meeting.scheduled",
        _("A meeting was scheduled."),
        ("meeting_agreed",),
        (*REQUIREMENT_FIELDS, "starts_at"),
    ),
    WebhookEventType("meeting.cancelled", _("A meeting was canceled."), ("meeting_cancelled",), REQUIREMENT_FIELDS),
    WebhookEventType(
        "credential.accessed",
        _("A reviewer viewed a test account."),
        ("credential_revealed",),
        REQUIREMENT_FIELDS,
    ),
    WebhookEventType(
        "credential.rotation_requested",
        _("The program requested new test account credentials."),
        ("credential_to_rotate",),
        REQUIREMENT_FIELDS,
    ),
    WebhookEventType("issue.warning_sent", _("Issues are due soon."), ("issues_warned",), ISSUE_LIST_FIELDS),
    WebhookEventType("issue.breached", _("Issues breached their SLA target."), ("issues_breached",), ISSUE_LIST_FIELDS),
    WebhookEventType(
        "issue.breach_retracted",
        _("Breaches were retracted because of new data."),
        ("breaches_retracted",),
        ISSUE_LIST_FIELDS,
    ),
    WebhookEventType(
        "issue.severity_reduction_requested",
        _("The partner requested a lower severity."),
        ("severity_asked",),
        SINGLE_ISSUE_FIELDS,
    ),
    WebhookEventType(
        "issue.severity_reduced", _("The program lowered the severity."), ("severity_lowered",), SINGLE_ISSUE_FIELDS
    ),
    WebhookEventType("issue.disputed", _("The partner disputed a breach."), ("breach_disputed",), SINGLE_ISSUE_FIELDS),
    WebhookEventType(
        "issue.dispute_dismissed", _("The program dismissed a dispute."), ("dispute_dismissed",), SINGLE_ISSUE_FIELDS
    ),
    WebhookEventType(
        "issue.excluded", _("The program excluded an issue from the SLA."), ("not_covered",), SINGLE_ISSUE_FIELDS
    ),
    WebhookEventType("label_policy.proposed", _("The partner proposed a label policy."), ("labels_proposed",)),
    WebhookEventType("label_policy.accepted", _("The program accepted a label policy."), ("labels_accepted",)),
    WebhookEventType("label_policy.declined", _("The program declined a label policy."), ("labels_declined",)),
    WebhookEventType(
        "introduction.requested", _("Another partner requested an introduction."), ("introduction_asked",)
    ),
    WebhookEventType("introduction.accepted", _("Both partners accepted an introduction."), ("introduction_agreed",)),
    WebhookEventType("introduction.declined", _("An introduction was declined."), ("introduction_declined",)),
    WebhookEventType("compliance.notice_issued", _("The program issued a notice."), ("issue_notice",), STANDING_FIELDS),
    WebhookEventType(
        "compliance.deadline_paused",
        _("The compliance deadline was paused because the partner acted."),
        ("pause_deadline",),
        STANDING_FIELDS,
    ),
    WebhookEventType(
        "compliance.deadline_resumed", _("The compliance deadline was resumed."), ("resume_deadline",), STANDING_FIELDS
    ),
    WebhookEventType(
        "compliance.deadline_expired",
        _("The compliance deadline expired. The program decides."),
        ("period_ended",),
        ("compliance_deadline",),
    ),
    WebhookEventType("compliance.request_dismissed", _("A suggested notice was dismissed."), ("dismiss_request",)),
    WebhookEventType(
        "compliance.suspended",
        _("The integration was suspended."),
        ("suspend", "suspend_immediately"),
        STANDING_FIELDS,
    ),
    WebhookEventType("compliance.delisted", _("The integration was delisted."), ("delist",), STANDING_FIELDS),
    WebhookEventType("compliance.appealed", _("The partner appealed."), ("appeal",), STANDING_FIELDS),
    WebhookEventType(
        "compliance.appeal_decided", _("An appeal was decided."), ("uphold_appeal", "dismiss_appeal"), STANDING_FIELDS
    ),
    WebhookEventType(
        "compliance.notice_withdrawn", _("A notice was withdrawn."), ("withdraw_notice",), STANDING_FIELDS
    ),
    WebhookEventType(
        "compliance.reinstatement_requested",
        _("The partner requested reinstatement."),
        ("request_reinstatement",),
        STANDING_FIELDS,
    ),
    WebhookEventType("compliance.reinstated", _("The integration was reinstated."), ("reinstate",), STANDING_FIELDS),
    WebhookEventType(
        "compliance.downgraded",
        _("The integration was downgraded to community."),
        ("downgrade_to_community",),
        STANDING_FIELDS,
    ),
    WebhookEventType(
        "program.notice_suggested",
        _("The portal suggests a compliance notice."),
        ("suggest_notice",),
        ("why",),
        is_program_only=True,
    ),
    WebhookEventType(
        "program.action_warning_sent",
        _("An action of the program is due soon."),
        ("turn_warned",),
        ("due",),
        is_program_only=True,
    ),
    WebhookEventType(
        "program.action_overdue",
        _("An action of the program is overdue."),
        ("turn_overdue",),
        ("due",),
        is_program_only=True,
    ),
    WebhookEventType(
        "program.email_delivery_failed",
        _("An email could not be delivered."),
        ("mail_undelivered",),
        is_program_only=True,
    ),
)
EVENT_TYPES_BY_NAME = MappingProxyType({kind.name: kind for kind in WEBHOOK_EVENT_TYPES})
EVENT_TYPES_BY_VERB = MappingProxyType(
    {event_type: kind for kind in WEBHOOK_EVENT_TYPES for event_type in kind.event_types}
)
GROUP_TITLES = MappingProxyType(
    {
        "integration": _("Integration"), "review": _("Review"), "finding": _("Findings"),
        "check": _("Checks"),
        "requirement": _("Requirements"), "tier": _("Tiers"), "message": _("Messages"),
        "agreement": _("Agreements"),
        "meeting": _("Meetings"), "credential": _("Test accounts"), "issue": _("Support issues"),
        "label_policy": _("Label policy"), "introduction": _("Introductions"),
        "compliance": _("Compliance"), "program": _("Program"),
    }
)  # fmt: skip
# sample values of the additional fields, for the documentation
SAMPLE_VALUES: MappingProxyType[str, Any] = MappingProxyType(
    {
        "from": {"stage": "review", "step": "verify"}, "to": {"stage": "release", "step": "release"}, "was": "2021-04",
        "round": 2, "finding": 3, "requirement": "TP-4.2", "title": "Release signature", "tier": "premier",
        "until": "2026-10-01T00:00:00+00:00", "starts_at": "2026-04-20T14:00:00+00:00", "count": 1,
        "issues": [{
            "issue": "4f0c…", "name": "acme/rocket#412", "url": "https://github.com/acme/rocket/issues/412",
            "target_type": "respond", "severity": "critical", "due": "2026-04-16T09:00:00+00:00",
        }],
        "listing_status": {"was": "listed", "is": "on_notice"}, "compliance_deadline": "2026-05-14T09:00:00+00:00",
        "due": "2026-04-21T15:00:00+00:00", "issue": "4f0c…", "name": "acme/rocket#412", "commit": "9f3c1e0a77b2",
        "check": "repository.owner", "thing": "new owner", "why": "2 SLA breaches within 90 days",
    }
)  # fmt: skip
ISSUE_KEYS = ("issue", "name", "url", "target_type", "severity", "due")


def iterate_event_type_groups(*, is_program_staff: bool) -> Iterator[tuple[str, list[WebhookEventType]]]:
    """Yield the title and the event types of each group that an endpoint can receive."""
    for group, title in GROUP_TITLES.items():
        kinds = [
            kind
            for kind in WEBHOOK_EVENT_TYPES
            if kind.group == group and (is_program_staff or not kind.is_program_only)
        ]
        if kinds:
            yield title, kinds
