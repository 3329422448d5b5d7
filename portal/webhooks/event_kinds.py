"""Which kinds of events can be heard of outside, and what does a message of each say? One table, read by all.

The payload's shape is version 1: `type`, `timestamp`, `data`. Fields are only ever added to it; what would change or
take away is a new version, chosen for each endpoint. No payload holds what people wrote to each other: the page does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.utils.translation import gettext_noop as _

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
    Kind("integration.created", _("An integration was begun."), ("created",)),
    Kind("integration.advanced", _("A step of its path is complete."), ("advance",), ("from", "to")),
    Kind("integration.approved", _("A reviewer approved it; it is not listed yet."), ("approve",), ("from", "to")),
    Kind("integration.listed", _("It is in the listing."), ("release",), ("from", "to")),
    Kind("integration.declined", _("A reviewer declined it."), ("decline",), ("from", "to")),
    Kind("integration.held", _("It waits; nobody’s time runs."), ("put_on_hold",)),
    Kind("integration.resumed", _("It no longer waits."), ("resume",)),
    Kind("integration.withdrawn", _("Its company withdrew it."), ("withdraw",), ("from", "to")),
    Kind("integration.archived", _("It is no longer supported."), ("archive",), ("from", "to")),
    Kind("integration.reopened", _("It was opened again."), ("reopen",), ("from", "to")),
    Kind("integration.edition_moved", _("It follows a newer edition of its program."), ("edition_moved",), ("was",
         "to")),
    Kind("review.requested", _("A review was requested, or requested again."), ("request_review", "request_again"),
         ("round",)),
    Kind("review.changes_requested", _("A reviewer asks for changes."), ("request_changes",), ("round",)),
    Kind("finding.answered", _("The company answered a finding."), ("finding_fixed",), ("finding", *REQUIREMENT)),
    Kind("finding.verified", _("A finding is settled."), ("finding_verified",), ("finding", *REQUIREMENT)),
    Kind("finding.reopened", _("A finding is open again."), ("finding_reopened",), ("finding", *REQUIREMENT)),
    Kind("check.failed", _("A requirement that was met no longer is."), ("check_failed",), REQUIREMENT),
    Kind("check.passed", _("A requirement is met again."), ("check_passed",), REQUIREMENT),
    Kind("check.accepted", _("A reviewer accepted what a check found for good."), ("accepted",),
         ("check", "title", "thing")),
    Kind("check.disagrees", _("The portal found otherwise than your CI reported."), ("checks_disagree",),
         (*REQUIREMENT, "commit")),
    Kind("requirement.waived", _("A requirement is waived for a time."), ("waived",), (*REQUIREMENT, "until")),
    Kind("requirement.waiver_ended", _("A waiver was ended before its day."), ("waiver_ended",), (*REQUIREMENT,
         "until")),
    Kind("tier.requested", _("The company asks for a tier."), ("request_tier",), ("tier",)),
    Kind("tier.granted", _("A tier was granted."), ("grant_tier",), ("tier",)),
    Kind("tier.declined", _("A tier was declined."), ("decline_tier",), ("tier",)),
    Kind("message.written", _("Somebody wrote; the page has the words."), ("said_to_partner", "said_to_program")),
    Kind("agreement.signed", _("One side signed an agreement."), ("agreement_to_sign", "agreement_to_countersign"),
         REQUIREMENT),
    Kind("agreement.completed", _("Both sides have signed."), ("agreement_complete",), REQUIREMENT),
    Kind("meeting.proposed", _("Times for a meeting are proposed."), ("meeting_proposed",), REQUIREMENT),
    Kind("meeting.agreed", _("A time for a meeting is agreed."), ("meeting_agreed",), (*REQUIREMENT, "starts_at")),
    Kind("meeting.cancelled", _("A meeting is cancelled."), ("meeting_cancelled",), REQUIREMENT),
    Kind("credential.opened", _("A reviewer opened the test credentials."), ("credential_revealed",), REQUIREMENT),
    Kind("credential.to_rotate", _("Test credentials should be made anew."), ("credential_to_rotate",), REQUIREMENT),
    Kind("issue.warned", _("Issues come due."), ("issues_warned",), ISSUES),
    Kind("issue.breached", _("Issues are past their due moment."), ("issues_breached",), ISSUES),
    Kind("issue.retracted", _("Breaches were taken back: they never were."), ("breaches_retracted",), ISSUES),
    Kind("issue.severity_asked", _("The company asks for a lower severity."), ("severity_asked",), ISSUE),
    Kind("issue.severity_lowered", _("A lower severity was agreed."), ("severity_lowered",), ISSUE),
    Kind("issue.disputed", _("The company disputes a breach."), ("breach_disputed",), ISSUE),
    Kind("issue.dispute_dismissed", _("What was disputed stays as it is."), ("dispute_dismissed",), ISSUE),
    Kind("issue.not_covered", _("No promise covers it, as was agreed."), ("not_covered",), ISSUE),
    Kind("labels.proposed", _("The company proposes how labels are read."), ("labels_proposed",)),
    Kind("labels.accepted", _("How labels are read was accepted."), ("labels_accepted",)),
    Kind("labels.declined", _("How labels are to be read was declined."), ("labels_declined",)),
    Kind("introduction.asked", _("Somebody asks to be introduced."), ("introduction_asked",)),
    Kind("introduction.agreed", _("Both sides agreed to be introduced."), ("introduction_agreed",)),
    Kind("introduction.declined", _("An introduction was declined."), ("introduction_declined",)),
    Kind("standing.notice", _("Notice was given: the badge is at stake."), ("give_notice",), STANDING),
    Kind("standing.held", _("The period is held: the company acted."), ("hold_process",), STANDING),
    Kind("standing.goes_on", _("The period runs on."), ("go_on",), STANDING),
    Kind("standing.period_ended", _("A period has ended; the program decides."), ("period_ended",), ("standing_due",)),
    Kind("standing.left", _("A suggested notice was set aside: the standing stays."), ("set_aside",)),
    Kind("standing.suspended", _("It is suspended in the listing."), ("suspend", "suspend_at_once"), STANDING),
    Kind("standing.removed", _("It was removed from the listing."), ("remove",), STANDING),
    Kind("standing.appealed", _("The company appealed."), ("appeal",), STANDING),
    Kind("standing.appeal_decided", _("An appeal was decided."), ("uphold_appeal", "dismiss_appeal"), STANDING),
    Kind("standing.notice_ended", _("A notice was taken back."), ("take_notice_back",), STANDING),
    Kind("standing.reinstatement_asked", _("The company asks to be reinstated."), ("ask_reinstatement",), STANDING),
    Kind("standing.reinstated", _("It is verified again."), ("reinstate",), STANDING),
    Kind("standing.stepped_down", _("It goes on as a community integration."), ("step_down",), STANDING),
    Kind("office.notice_suggested", _("The portal suggests to look at a standing."), ("suggest_notice",), ("why",),
         office=True),
    Kind("office.turn_warned", _("The program’s own turn runs out."), ("turn_warned",), ("due",), office=True),
    Kind("office.turn_overdue", _("The program’s own turn is past due."), ("turn_overdue",), ("due",), office=True),
    Kind("office.mail_undelivered", _("A mail could not be delivered."), ("mail_undelivered",), office=True),
)  # fmt: skip
BY_NAME = MappingProxyType({kind.name: kind for kind in KINDS})
BY_VERB = MappingProxyType({verb: kind for kind in KINDS for verb in kind.verbs})
GROUPS = MappingProxyType(
    {
        "integration": _("Path of an integration"), "review": _("Review"), "finding": _("Findings"),
        "check": _("Checks"),
        "requirement": _("Requirements"), "tier": _("Tiers"), "message": _("Conversation"),
        "agreement": _("Agreements"),
        "meeting": _("Meetings"), "credential": _("Test credentials"), "issue": _("Issues and their promises"),
        "labels": _("Labels"), "introduction": _("Introductions"),
        "standing": _("Standing in the listing"), "office": _("The program’s own work"),
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
