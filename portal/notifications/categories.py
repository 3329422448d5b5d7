"""Which kinds of notices are there, and which of them may a person silence? One table. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from django.utils.translation import gettext_noop as _


class How(StrEnum):
    """Where a notice goes and when."""

    NOW = "now"
    DAILY = "daily"
    WEEKLY = "weekly"
    PORTAL = "portal"
    NONE = "none"


LABELS: Mapping[How, str] = MappingProxyType(
    {
        How.NOW: _("Mail at once"),
        How.DAILY: _("Daily digest by mail"),
        How.WEEKLY: _("Weekly digest by mail"),
        How.PORTAL: _("In the portal only"),
        How.NONE: _("Not at all"),
    }
)
DIGESTS = (How.DAILY, How.WEEKLY)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of notice. `locked`: why nobody can silence it; `side`: who gets it, blank for both.

    `digest`: whether it can wait; what brings a calendar along cannot.
    """

    key: str
    title: str
    means: str
    verbs: tuple[str, ...]
    locked: str = ""
    side: str = ""
    digest: bool = True

    def ways(self) -> tuple[How, ...]:
        return tuple(how for how in How if self.digest or how not in DIGESTS)


KINDS = (
    Kind(
        "decisions", _("Decisions"), _("Approved, declined, listed, changes requested, tiers and waivers."),
        ("request_changes", "approve", "decline", "release", "grant_tier", "decline_tier", "waived", "waiver_ended",
         "accepted"),
        locked=_("A decision starts time that counts, and both sides rely on it having been told."), side="partner",
    ),
    Kind(
        "standing", _("Standing in the listing"), _("Notices, suspensions, appeals and everything of the due process."),
        ("give_notice", "suggest_notice", "set_aside", "hold_process", "go_on", "period_ended", "suspend",
         "suspend_at_once", "remove", "appeal", "uphold_appeal", "dismiss_appeal", "take_notice_back", "reinstate",
         "ask_reinstatement", "step_down"),
        locked=_("The periods of the due process run from the mail that told you."),
    ),
    Kind(
        "breaches", _("Breaches"),
        _("Issues past their due moment, breaches taken back, and what was decided about them."),
        ("issues_breached", "breaches_retracted", "severity_lowered", "not_covered", "breach_disputed",
         "dispute_dismissed"),
        locked=_("A breach that nobody heard of helps nobody: silence is no answer."),
    ),
    Kind(
        "credentials", _("Test credentials"), _("Opened, or due to be made anew."),
        ("credential_revealed", "credential_to_rotate"),
        locked=_("It is about your secrets."), side="partner",
    ),
    Kind(
        "reviews", _("Review requests"), _("A review, a tier or labels to decide on; withdrawals."),
        ("request_review", "request_again", "request_tier", "withdraw", "labels_proposed", "severity_asked"),
        side="program",
    ),
    Kind("messages", _("Messages"), _("Somebody wrote about an integration."), ("said_to_partner", "said_to_program")),
    Kind(
        "checks", _("Checks"), _("A requirement that was met no longer is, or is again; CI was contradicted."),
        ("check_failed", "check_passed", "checks_disagree"),
    ),
    Kind("warnings", _("Issues that come due"), _("Before an issue is past its due moment."), ("issues_warned",)),
    Kind(
        "path", _("Path of an integration"), _("Begun, on hold, resumed, reopened, archived, a new edition."),
        ("created", "put_on_hold", "resume", "archive", "reopen", "edition_moved"),
    ),
    Kind(
        "agreements", _("Agreements"), _("To sign, and signed by both."),
        ("agreement_to_countersign", "agreement_to_sign", "agreement_complete"),
    ),
    Kind(
        "meetings", _("Meetings"), _("Times proposed, agreed or cancelled; the mail brings the calendar entry."),
        ("meeting_proposed", "meeting_agreed", "meeting_cancelled"), digest=False,
    ),
    Kind("labels", _("Labels"), _("How labels of your repository are read."), ("labels_accepted", "labels_declined"),
         side="partner"),
    Kind(
        "introductions", _("Introductions"), _("Others who work on the same thing."),
        ("introduction_asked", "introduction_agreed", "introduction_declined"), side="partner",
    ),
)  # fmt: skip
BY_KEY = MappingProxyType({kind.key: kind for kind in KINDS})
BY_VERB = MappingProxyType({verb: kind for kind in KINDS for verb in kind.verbs})
