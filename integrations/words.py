"""How is a happening told? One table from an event's verb to its words; history, changes and mails share it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from integrations.models.event import Event

# verb: (what was done, tone, icon); {…} is filled from the event's data
WORDS: dict[str, tuple[str, str, str]] = {
    "created": ("began the integration", "accent", "rocket"),
    "facts_changed": ("changed its description", "neutral", "pencil"),
    "repository_changed": ("changed the repository", "neutral", "git-branch"),
    "answered": ("answered “{title}”", "neutral", "check"),
    "not_needed": ("said that “{title}” is not needed", "neutral", "minus"),
    "checked": ("checked “{title}”: {outcome}", "neutral", "search-check"),
    "check_failed": ("found that “{title}” no longer holds", "bad", "circle-x"),
    "check_passed": ("found that “{title}” holds again", "good", "circle-check"),
    "waived": ("waived “{title}” until {until_day}", "warn", "shield-off"),
    "accepted": ("accepted the {thing} {value} for good", "warn", "badge-check"),
    "waiver_ended": ("ended the waiver of “{title}” early", "warn", "shield"),
    "advance": ("completed a step: {to_step} is next", "good", "arrow-right"),
    "request_review": ("requested the review", "accent", "send"),
    "request_again": ("requested the review again, round {round}", "accent", "send"),
    "request_changes": ("requested changes", "warn", "message-square-warning"),
    "approve": ("approved it", "good", "circle-check"),
    "release": ("listed it", "good", "badge-check"),
    "decline": ("declined it", "bad", "circle-x"),
    "withdraw": ("withdrew it", "bad", "undo-2"),
    "archive": ("stopped supporting it", "bad", "archive"),
    "reopen": ("opened it again", "good", "rotate-ccw"),
    "put_on_hold": ("put it on hold", "warn", "pause"),
    "resume": ("took it off hold", "good", "play"),
    "undo_decision": ("undid the decision", "warn", "undo-2"),
    "request_tier": ("asked for a tier", "accent", "award"),
    "grant_tier": ("granted the tier", "good", "award"),
    "decline_tier": ("declined the tier", "bad", "award"),
    "suggest_notice": ("suggested to look: {why}", "warn", "search-check"),
    "set_aside": ("left the standing as it is", "neutral", "shield"),
    "give_notice": ("gave notice", "warn", "flag"),
    "hold_process": ("held the period: the company acted", "accent", "pause"),
    "go_on": ("let the period run on", "warn", "play"),
    "period_ended": ("noted that the period has ended", "neutral", "timer"),
    "suspend": ("suspended it", "bad", "shield-off"),
    "suspend_at_once": ("suspended it at once", "bad", "shield-off"),
    "remove": ("removed it from the listing", "bad", "circle-x"),
    "appeal": ("appealed", "accent", "send"),
    "uphold_appeal": ("upheld the appeal", "good", "circle-check"),
    "dismiss_appeal": ("dismissed the appeal", "bad", "circle-x"),
    "take_notice_back": ("took the notice back", "good", "undo-2"),
    "reinstate": ("reinstated it", "good", "badge-check"),
    "ask_reinstatement": ("asked to be reinstated", "accent", "send"),
    "step_down": ("stepped down to community", "neutral", "archive"),
    "news_passed_on": ("passed the news on to {whom}, since nobody had answered", "warn", "mail"),
    "turn_warned": ("reminded {whom} of the program’s turn", "neutral", "timer"),
    "turn_overdue": ("told {whom} that the program’s turn is past due", "warn", "timer"),
    "mail_undelivered": ("could not deliver a mail to {whom}", "warn", "mail-x"),
    "edition_moved": ("moved it to the edition {to}", "neutral", "book-open"),
    "claimed": ("took the review", "neutral", "hand"),
    "put_back": ("put it back into the queue", "neutral", "corner-up-left"),
    "assigned": ("named {reviewer} as reviewer", "neutral", "user-check"),
    "finding_raised": ("wrote finding {finding}", "warn", "flag"),
    "finding_fixed": ("answered finding {finding}", "neutral", "wrench"),
    "finding_verified": ("verified finding {finding}", "good", "check-check"),
    "finding_reopened": ("opened finding {finding} again", "warn", "flag"),
    "said_to_partner": ("wrote to the company", "neutral", "message-square"),
    "said_to_program": ("wrote to the program", "neutral", "message-square"),
    "noted": ("noted", "neutral", "lock"),
    "document_uploaded": ("handed in a document for “{title}”", "neutral", "file-up"),
    "document_removed": ("removed a document of “{title}”", "neutral", "file-x"),
    "agreement_to_countersign": ("signed “{title}”", "neutral", "signature"),
    "agreement_to_sign": ("signed “{title}” for the program", "neutral", "signature"),
    "agreement_complete": ("completed “{title}”", "good", "signature"),
    "meeting_proposed": ("proposed times for “{title}”", "accent", "calendar-plus"),
    "meeting_agreed": ("agreed on a time for “{title}”", "good", "calendar-check"),
    "meeting_cancelled": ("cancelled “{title}”", "warn", "calendar-x"),
    "meeting_held": ("held “{title}”", "good", "calendar-check"),
    "credential_given": ("gave test credentials", "neutral", "key-round"),
    "credential_revealed": ("opened the test credentials", "warn", "eye"),
    "credential_used": ("used the test credentials in a sandbox run", "neutral", "terminal"),
    "credential_withdrawn": ("withdrew the test credentials", "neutral", "key-round"),
    "credential_ended": ("ended the test credentials", "neutral", "key-round"),
    "credential_to_rotate": ("asked to rotate the test credentials", "warn", "refresh-cw"),
    "introduction_asked": ("asked for an introduction", "neutral", "users"),
    "introduction_agreed": ("agreed to an introduction", "good", "handshake"),
    "introduction_declined": ("declined an introduction", "neutral", "users"),
    "issues_warned": ("warned of issues that come due: {count}", "warn", "alarm-clock"),
    "issues_breached": ("found issues past their due moment: {count}", "bad", "alarm-clock-off"),
    "breaches_retracted": ("took back breaches that never were: {count}", "good", "undo-2"),
    "labels_proposed": ("proposed how labels are read", "accent", "tags"),
    "labels_accepted": ("accepted how labels are read", "good", "tags"),
    "labels_declined": ("declined how labels are to be read", "warn", "tags"),
    "support_replied": ("replied to its support record", "neutral", "message-square"),
    "calendar_changed": ("changed the calendar", "neutral", "calendar-days"),
    "severity_asked": ("asked to lower the severity of {name}", "neutral", "send"),
    "breach_disputed": ("disputed the breach of {name}", "neutral", "scale"),
    "dispute_dismissed": ("left what was disputed about {name} as it is", "warn", "minus"),
    "severity_lowered": ("lowered the severity of {name}", "warn", "arrow-down"),
    "not_covered": ("agreed that no promise covers {name}", "warn", "minus"),
    "webhook_added": ("added the webhook “{name}” to {shown}", "neutral", "webhook"),
    "webhook_changed": ("changed the webhook “{name}”", "neutral", "webhook"),
    "webhook_secret_made": ("made a new secret for the webhook “{name}”", "warn", "key"),
    "webhook_paused": ("paused the webhook “{name}”", "warn", "pause"),
    "webhook_resumed": ("resumed the webhook “{name}”", "neutral", "play"),
    "webhook_removed": ("removed the webhook “{name}”", "neutral", "trash-2"),
    "partner_created": ("created the company", "accent", "building-2"),
    "checks_reported": ("reported from CI for {commit}: {outcome}", "neutral", "terminal"),
    "checks_disagree": ("found otherwise than CI reported for {commit}", "bad", "git-compare"),
    "token_made": ("made the token {token}", "neutral", "key-round"),
    "token_revoked": ("revoked the token {token}", "neutral", "key-round"),
    "company_changed": ("changed what the company's record says", "neutral", "pencil"),
    "manager_named": ("named the Alliances manager", "neutral", "user-check"),
    "join_requested": ("asked to join", "neutral", "user-plus"),
    "join_accepted": ("let {name} join", "good", "user-check"),
    "join_declined": ("declined the request of {name}", "neutral", "user-x"),
    "invited": ("invited {email}", "neutral", "mail"),
    "invitation_revoked": ("took the invitation to {email} back", "neutral", "mail-x"),
    "invitation_accepted": ("accepted an invitation", "good", "user-check"),
    "role_changed": ("gave {name} the role {role}", "neutral", "user-cog"),
    "membership_ended": ("ended the membership of {name}", "neutral", "user-minus"),
    "owner_appointed": ("appointed {name} as owner", "warn", "user-cog"),
}


UNNAMED = {"introduction_asked", "introduction_declined"}  # the other company, which stays unknown


def words_of(event: "Event") -> tuple[str, str, str]:
    """What an event says after its actor's name, its tone and its icon."""
    said, tone, icon = WORDS.get(event.verb, (event.verb.replace("_", " "), "neutral", "dot"))
    values = {
        "until_day": str(event.data.get("until", ""))[:10],
        **{key: value for key, value in event.data.items() if isinstance(value, str | int)},
    }
    return said.format_map(_Lenient(values)), tone, icon


def actor_of(event: "Event") -> str:
    """Who did it: a person's name, the machine, or somebody who is not to be named."""
    return event.actor or ("Somebody" if event.verb in UNNAMED else "The portal")


class _Lenient(dict[str, object]):
    """A value that an old event does not hold leaves a gap, never an error."""

    def __missing__(self, key: str) -> str:
        return "…"
