"""Which kinds of events can be heard of outside, and what does a message of each say? One table, read by all.

The payload's shape is version 1: `type`, `timestamp`, `data`. Fields are only ever added to it; what would change or
take away is a new version, chosen for each endpoint. No payload holds what people wrote to each other: the page does.
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
    """A kind of event: its name outside, what it means, the verbs that are told so, what `data` says beside the usual.

    `office`: for the program's own endpoints alone.
    """

    name: str
    means: str
    event_types: tuple[str, ...]
    fields: tuple[str, ...] = ()
    is_program_only: bool = False

    @property
    def group(self) -> str:
        return self.name.partition(".")[0]


WEBHOOK_EVENT_TYPES = (
    WebhookEventType("integration.created", _("An integration was begun."), ("created",)),
    WebhookEventType("integration.advanced", _("A step of its path is complete."), ("complete_step",), ("from", "to")),
    WebhookEventType(
        "integration.approved", _("A reviewer approved it; it is not listed yet."), ("approve",), ("from", "to")
    ),
    WebhookEventType("integration.listed", _("It is in the listing."), ("publish",), ("from", "to")),
    WebhookEventType("integration.declined", _("A reviewer declined it."), ("decline",), ("from", "to")),
    WebhookEventType("integration.put_on_hold", _("It waits; nobody’s time runs."), ("put_on_hold",)),
    WebhookEventType("integration.resumed", _("It no longer waits."), ("resume",)),
    WebhookEventType("integration.withdrawn", _("Its company withdrew it."), ("withdraw",), ("from", "to")),
    WebhookEventType("integration.archived", _("It is no longer supported."), ("archive",), ("from", "to")),
    WebhookEventType("integration.reopened", _("It was opened again."), ("reopen",), ("from", "to")),
    WebhookEventType(
        "integration.edition_moved", _("It follows a newer edition of its program."), ("edition_moved",), ("was", "to")
    ),
    WebhookEventType(
        "review.requested",
        _("A review was requested, or requested again."),
        ("submit_for_review", "resubmit_for_review"),
        ("round",),
    ),
    WebhookEventType("review.changes_requested", _("A reviewer asks for changes."), ("request_changes",), ("round",)),
    WebhookEventType(
        "finding.resolved", _("The company answered a finding."), ("finding_fixed",), ("finding", *REQUIREMENT_FIELDS)
    ),
    WebhookEventType(
        "finding.verified", _("A finding is settled."), ("finding_verified",), ("finding", *REQUIREMENT_FIELDS)
    ),
    WebhookEventType(
        "finding.reopened", _("A finding is open again."), ("finding_reopened",), ("finding", *REQUIREMENT_FIELDS)
    ),
    WebhookEventType(
        "check.failed", _("A requirement that was met no longer is."), ("check_failed",), REQUIREMENT_FIELDS
    ),
    WebhookEventType("check.passed", _("A requirement is met again."), ("check_passed",), REQUIREMENT_FIELDS),
    WebhookEventType(
        "check.accepted",
        _("A reviewer accepted what a check found for good."),
        ("accepted",),
        ("check", "title", "thing"),
    ),
    WebhookEventType(
        "check.disagreed",
        _("The portal found otherwise than your CI reported."),
        ("checks_disagree",),
        (*REQUIREMENT_FIELDS, "commit"),
    ),
    WebhookEventType(
        "requirement.waived", _("A requirement is waived for a time."), ("waived",), (*REQUIREMENT_FIELDS, "until")
    ),
    WebhookEventType(
        "requirement.waiver_ended",
        _("A waiver was ended before its day."),
        ("waiver_ended",),
        (*REQUIREMENT_FIELDS, "until"),
    ),
    WebhookEventType("tier.requested", _("The company asks for a tier."), ("request_tier",), ("tier",)),
    WebhookEventType("tier.granted", _("A tier was granted."), ("grant_tier",), ("tier",)),
    WebhookEventType("tier.declined", _("A tier was declined."), ("decline_tier",), ("tier",)),
    WebhookEventType(
        "message.posted", _("Somebody wrote; the page has the words."), ("said_to_partner", "said_to_program")
    ),
    WebhookEventType(
        "agreement.signed",
        _("One side signed an agreement."),
        ("agreement_to_sign", "agreement_to_countersign"),
        REQUIREMENT_FIELDS,
    ),
    WebhookEventType("agreement.completed", _("Both sides have signed."), ("agreement_complete",), REQUIREMENT_FIELDS),
    WebhookEventType(
        "meeting.proposed", _("Times for a meeting are proposed."), ("meeting_proposed",), REQUIREMENT_FIELDS
    ),
    WebhookEventType(
        "meeting.scheduled",
        _("A time for a meeting is agreed."),
        ("meeting_agreed",),
        (*REQUIREMENT_FIELDS, "starts_at"),
    ),
    WebhookEventType("meeting.cancelled", _("A meeting is cancelled."), ("meeting_cancelled",), REQUIREMENT_FIELDS),
    WebhookEventType(
        "credential.accessed",
        _("A reviewer opened the test credentials."),
        ("credential_revealed",),
        REQUIREMENT_FIELDS,
    ),
    WebhookEventType(
        "credential.rotation_requested",
        _("Test credentials should be made anew."),
        ("credential_to_rotate",),
        REQUIREMENT_FIELDS,
    ),
    WebhookEventType("issue.warning_sent", _("Issues come due."), ("issues_warned",), ISSUE_LIST_FIELDS),
    WebhookEventType("issue.breached", _("Issues are past their due moment."), ("issues_breached",), ISSUE_LIST_FIELDS),
    WebhookEventType(
        "issue.breach_retracted",
        _("Breaches were taken back: they never were."),
        ("breaches_retracted",),
        ISSUE_LIST_FIELDS,
    ),
    WebhookEventType(
        "issue.severity_reduction_requested",
        _("The company asks for a lower severity."),
        ("severity_asked",),
        SINGLE_ISSUE_FIELDS,
    ),
    WebhookEventType(
        "issue.severity_reduced", _("A lower severity was agreed."), ("severity_lowered",), SINGLE_ISSUE_FIELDS
    ),
    WebhookEventType("issue.disputed", _("The company disputes a breach."), ("breach_disputed",), SINGLE_ISSUE_FIELDS),
    WebhookEventType(
        "issue.dispute_dismissed", _("What was disputed stays as it is."), ("dispute_dismissed",), SINGLE_ISSUE_FIELDS
    ),
    WebhookEventType(
        "issue.excluded", _("No promise covers it, as was agreed."), ("not_covered",), SINGLE_ISSUE_FIELDS
    ),
    WebhookEventType("label_policy.proposed", _("The company proposes how labels are read."), ("labels_proposed",)),
    WebhookEventType("label_policy.accepted", _("How labels are read was accepted."), ("labels_accepted",)),
    WebhookEventType("label_policy.declined", _("How labels are to be read was declined."), ("labels_declined",)),
    WebhookEventType("introduction.requested", _("Somebody asks to be introduced."), ("introduction_asked",)),
    WebhookEventType("introduction.accepted", _("Both sides agreed to be introduced."), ("introduction_agreed",)),
    WebhookEventType("introduction.declined", _("An introduction was declined."), ("introduction_declined",)),
    WebhookEventType(
        "compliance.notice_issued", _("Notice was given: the badge is at stake."), ("issue_notice",), STANDING_FIELDS
    ),
    WebhookEventType(
        "compliance.deadline_paused", _("The period is held: the company acted."), ("pause_deadline",), STANDING_FIELDS
    ),
    WebhookEventType("compliance.deadline_resumed", _("The period runs on."), ("resume_deadline",), STANDING_FIELDS),
    WebhookEventType(
        "compliance.deadline_expired",
        _("A period has ended; the program decides."),
        ("period_ended",),
        ("compliance_deadline",),
    ),
    WebhookEventType(
        "compliance.request_dismissed", _("A suggested notice was set aside: the standing stays."), ("dismiss_request",)
    ),
    WebhookEventType(
        "compliance.suspended",
        _("It is suspended in the listing."),
        ("suspend", "suspend_immediately"),
        STANDING_FIELDS,
    ),
    WebhookEventType("compliance.delisted", _("It was removed from the listing."), ("delist",), STANDING_FIELDS),
    WebhookEventType("compliance.appealed", _("The company appealed."), ("appeal",), STANDING_FIELDS),
    WebhookEventType(
        "compliance.appeal_decided", _("An appeal was decided."), ("uphold_appeal", "dismiss_appeal"), STANDING_FIELDS
    ),
    WebhookEventType(
        "compliance.notice_withdrawn", _("A notice was taken back."), ("withdraw_notice",), STANDING_FIELDS
    ),
    WebhookEventType(
        "compliance.reinstatement_requested",
        _("The company asks to be reinstated."),
        ("request_reinstatement",),
        STANDING_FIELDS,
    ),
    WebhookEventType("compliance.reinstated", _("It is verified again."), ("reinstate",), STANDING_FIELDS),
    WebhookEventType(
        "compliance.downgraded",
        _("It goes on as a community integration."),
        ("downgrade_to_community",),
        STANDING_FIELDS,
    ),
    WebhookEventType(
        "program.notice_suggested",
        _("The portal suggests to look at a standing."),
        ("suggest_notice",),
        ("why",),
        is_program_only=True,
    ),
    WebhookEventType(
        "program.action_warning_sent",
        _("The program’s own turn runs out."),
        ("turn_warned",),
        ("due",),
        is_program_only=True,
    ),
    WebhookEventType(
        "program.action_overdue",
        _("The program’s own turn is past due."),
        ("turn_overdue",),
        ("due",),
        is_program_only=True,
    ),
    WebhookEventType(
        "program.email_delivery_failed",
        _("A mail could not be delivered."),
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
        "integration": _("Path of an integration"), "review": _("Review"), "finding": _("Findings"),
        "check": _("Checks"),
        "requirement": _("Requirements"), "tier": _("Tiers"), "message": _("Conversation"),
        "agreement": _("Agreements"),
        "meeting": _("Meetings"), "credential": _("Test credentials"), "issue": _("Issues and their promises"),
        "label_policy": _("Labels"), "introduction": _("Introductions"),
        "compliance": _("Standing in the listing"), "program": _("The program’s own work"),
    }
)  # fmt: skip
# what the fields beside the usual look like, for the page and the documents
SAMPLE_VALUES: MappingProxyType[str, Any] = MappingProxyType(
    {
        "from": {"stage": "review", "step": "verify"}, "to": {"stage": "release", "step": "release"}, "was": "2021-04",
        "round": 2, "finding": 3, "requirement": "TP-4.2", "title": "Signature of the release", "tier": "premier",
        "until": "2026-10-01T00:00:00+00:00", "starts_at": "2026-04-20T14:00:00+00:00", "count": 1,
        "issues": [{
            "issue": "4f0c…", "name": "acme/rocket#412", "url": "https://github.com/acme/rocket/issues/412",
            "target_type": "respond", "severity": "critical", "due": "2026-04-16T09:00:00+00:00",
        }],
        "listing_status": {"was": "listed", "is": "on_notice"}, "compliance_deadline": "2026-05-14T09:00:00+00:00",
        "due": "2026-04-21T15:00:00+00:00", "issue": "4f0c…", "name": "acme/rocket#412", "commit": "9f3c1e0a77b2",
        "check": "repository.owner", "thing": "new owner", "why": "2 breaches that stand within 90 days",
    }
)  # fmt: skip
ISSUE_KEYS = ("issue", "name", "url", "target_type", "severity", "due")


def iterate_event_type_groups(*, is_program_staff: bool) -> Iterator[tuple[str, list[WebhookEventType]]]:
    """The kinds that an endpoint may hear of, by group, in the order of the table."""
    for group, title in GROUP_TITLES.items():
        kinds = [
            kind
            for kind in WEBHOOK_EVENT_TYPES
            if kind.group == group and (is_program_staff or not kind.is_program_only)
        ]
        if kinds:
            yield title, kinds
