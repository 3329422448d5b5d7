"""Which kinds of events can be heard of outside, and what does a message of each say? One table, read by all.

The payload's shape is version 1: `type`, `timestamp`, `data`. Fields are only ever added to it; what would change or
take away is a new version, chosen for each endpoint. No payload holds what people wrote to each other: the page does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

VERSION = 1
TEST = "portal.test"
REQUIREMENT = ("requirement", "title")
ISSUES = ("count", "issues")
ISSUE = ("issue", "name", "title")
STANDING = ("standing", "standing_due")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event: its name outside, what it means, the verbs that are told so, what `data` says beside the usual.

    `office`: for the program's own endpoints alone.
    """

    name: str
    means: str
    verbs: tuple[str, ...]
    fields: tuple[str, ...] = ()
    office: bool = False

    @property
    def group(self) -> str:
        return self.name.partition(".")[0]


KINDS = (
    Kind("integration.created", "An integration was begun.", ("created",)),
    Kind("integration.advanced", "A step of its path is complete.", ("advance",), ("from", "to")),
    Kind("integration.approved", "A reviewer approved it; it is not listed yet.", ("approve",), ("from", "to")),
    Kind("integration.listed", "It is in the listing.", ("release",), ("from", "to")),
    Kind("integration.declined", "A reviewer declined it.", ("decline",), ("from", "to")),
    Kind("integration.held", "It waits; nobody’s time runs.", ("put_on_hold",)),
    Kind("integration.resumed", "It no longer waits.", ("resume",)),
    Kind("integration.withdrawn", "Its company withdrew it.", ("withdraw",), ("from", "to")),
    Kind("integration.archived", "It is no longer supported.", ("archive",), ("from", "to")),
    Kind("integration.reopened", "It was opened again.", ("reopen",), ("from", "to")),
    Kind("integration.edition_moved", "It follows a newer edition of its program.", ("edition_moved",), ("was", "to")),
    Kind("review.requested", "A review was requested, or requested again.", ("request_review", "request_again"),
         ("round",)),
    Kind("review.changes_requested", "A reviewer asks for changes.", ("request_changes",), ("round",)),
    Kind("finding.answered", "The company answered a finding.", ("finding_fixed",), ("finding", *REQUIREMENT)),
    Kind("finding.verified", "A finding is settled.", ("finding_verified",), ("finding", *REQUIREMENT)),
    Kind("finding.reopened", "A finding is open again.", ("finding_reopened",), ("finding", *REQUIREMENT)),
    Kind("check.failed", "A requirement that was met no longer is.", ("check_failed",), REQUIREMENT),
    Kind("check.passed", "A requirement is met again.", ("check_passed",), REQUIREMENT),
    Kind("check.accepted", "A reviewer accepted what a check found for good.", ("accepted",),
         ("check", "title", "thing")),
    Kind("check.disagrees", "The portal found otherwise than your CI reported.", ("checks_disagree",),
         (*REQUIREMENT, "commit")),
    Kind("requirement.waived", "A requirement is waived for a time.", ("waived",), (*REQUIREMENT, "until")),
    Kind("requirement.waiver_ended", "A waiver was ended before its day.", ("waiver_ended",), (*REQUIREMENT, "until")),
    Kind("tier.requested", "The company asks for a tier.", ("request_tier",), ("tier",)),
    Kind("tier.granted", "A tier was granted.", ("grant_tier",), ("tier",)),
    Kind("tier.declined", "A tier was declined.", ("decline_tier",), ("tier",)),
    Kind("message.written", "Somebody wrote; the page has the words.", ("said_to_partner", "said_to_program")),
    Kind("agreement.signed", "One side signed an agreement.", ("agreement_to_sign", "agreement_to_countersign"),
         REQUIREMENT),
    Kind("agreement.completed", "Both sides have signed.", ("agreement_complete",), REQUIREMENT),
    Kind("meeting.proposed", "Times for a meeting are proposed.", ("meeting_proposed",), REQUIREMENT),
    Kind("meeting.agreed", "A time for a meeting is agreed.", ("meeting_agreed",), (*REQUIREMENT, "starts_at")),
    Kind("meeting.cancelled", "A meeting is cancelled.", ("meeting_cancelled",), REQUIREMENT),
    Kind("credential.opened", "A reviewer opened the test credentials.", ("credential_revealed",), REQUIREMENT),
    Kind("credential.to_rotate", "Test credentials should be made anew.", ("credential_to_rotate",), REQUIREMENT),
    Kind("issue.warned", "Issues come due.", ("issues_warned",), ISSUES),
    Kind("issue.breached", "Issues are past their due moment.", ("issues_breached",), ISSUES),
    Kind("issue.retracted", "Breaches were taken back: they never were.", ("breaches_retracted",), ISSUES),
    Kind("issue.severity_asked", "The company asks for a lower severity.", ("severity_asked",), ISSUE),
    Kind("issue.severity_lowered", "A lower severity was agreed.", ("severity_lowered",), ISSUE),
    Kind("issue.disputed", "The company disputes a breach.", ("breach_disputed",), ISSUE),
    Kind("issue.dispute_dismissed", "What was disputed stays as it is.", ("dispute_dismissed",), ISSUE),
    Kind("issue.not_covered", "No promise covers it, as was agreed.", ("not_covered",), ISSUE),
    Kind("labels.proposed", "The company proposes how labels are read.", ("labels_proposed",)),
    Kind("labels.accepted", "How labels are read was accepted.", ("labels_accepted",)),
    Kind("labels.declined", "How labels are to be read was declined.", ("labels_declined",)),
    Kind("introduction.asked", "Somebody asks to be introduced.", ("introduction_asked",)),
    Kind("introduction.agreed", "Both sides agreed to be introduced.", ("introduction_agreed",)),
    Kind("introduction.declined", "An introduction was declined.", ("introduction_declined",)),
    Kind("standing.notice", "Notice was given: the badge is at stake.", ("give_notice",), STANDING),
    Kind("standing.held", "The period is held: the company acted.", ("hold_process",), STANDING),
    Kind("standing.goes_on", "The period runs on.", ("go_on",), STANDING),
    Kind("standing.period_ended", "A period has ended; the program decides.", ("period_ended",), ("standing_due",)),
    Kind("standing.left", "A suggested notice was set aside: the standing stays.", ("set_aside",)),
    Kind("standing.suspended", "It is suspended in the listing.", ("suspend", "suspend_at_once"), STANDING),
    Kind("standing.removed", "It was removed from the listing.", ("remove",), STANDING),
    Kind("standing.appealed", "The company appealed.", ("appeal",), STANDING),
    Kind("standing.appeal_decided", "An appeal was decided.", ("uphold_appeal", "dismiss_appeal"), STANDING),
    Kind("standing.notice_ended", "A notice was taken back.", ("take_notice_back",), STANDING),
    Kind("standing.reinstatement_asked", "The company asks to be reinstated.", ("ask_reinstatement",), STANDING),
    Kind("standing.reinstated", "It is verified again.", ("reinstate",), STANDING),
    Kind("standing.stepped_down", "It goes on as a community integration.", ("step_down",), STANDING),
    Kind("office.notice_suggested", "The portal suggests to look at a standing.", ("suggest_notice",), ("why",),
         office=True),
    Kind("office.turn_warned", "The program’s own turn runs out.", ("turn_warned",), ("due",), office=True),
    Kind("office.turn_overdue", "The program’s own turn is past due.", ("turn_overdue",), ("due",), office=True),
    Kind("office.mail_undelivered", "A mail could not be delivered.", ("mail_undelivered",), office=True),
)  # fmt: skip
BY_NAME = MappingProxyType({kind.name: kind for kind in KINDS})
BY_VERB = MappingProxyType({verb: kind for kind in KINDS for verb in kind.verbs})
GROUPS = MappingProxyType(
    {
        "integration": "Path of an integration", "review": "Review", "finding": "Findings", "check": "Checks",
        "requirement": "Requirements", "tier": "Tiers", "message": "Conversation", "agreement": "Agreements",
        "meeting": "Meetings", "credential": "Test credentials", "issue": "Issues and their promises",
        "labels": "Labels", "introduction": "Introductions",
        "standing": "Standing in the listing", "office": "The program’s own work",
    }
)  # fmt: skip
# what the fields beside the usual look like, for the page and the documents
SAMPLES: MappingProxyType[str, Any] = MappingProxyType(
    {
        "from": {"stage": "review", "step": "verify"}, "to": {"stage": "release", "step": "release"}, "was": "2021-04",
        "round": 2, "finding": 3, "requirement": "TP-4.2", "title": "Signature of the release", "tier": "premier",
        "until": "2026-10-01T00:00:00+00:00", "starts_at": "2026-04-20T14:00:00+00:00", "count": 1,
        "issues": [{
            "issue": "4f0c…", "name": "acme/rocket#412", "url": "https://github.com/acme/rocket/issues/412",
            "verb": "respond", "severity": "critical", "due": "2026-04-16T09:00:00+00:00",
        }],
        "standing": {"was": "verified", "is": "notice"}, "standing_due": "2026-05-14T09:00:00+00:00",
        "due": "2026-04-21T15:00:00+00:00", "issue": "4f0c…", "name": "acme/rocket#412", "commit": "9f3c1e0a77b2",
        "check": "repository.owner", "thing": "new owner", "why": "2 breaches that stand within 90 days",
    }
)  # fmt: skip
ISSUE_FIELDS = ("issue", "name", "url", "verb", "severity", "due")


def grouped(*, office: bool) -> Iterator[tuple[str, list[Kind]]]:
    """The kinds that an endpoint may hear of, by group, in the order of the table."""
    for group, title in GROUPS.items():
        kinds = [kind for kind in KINDS if kind.group == group and (office or not kind.office)]
        if kinds:
            yield title, kinds
