"""How is a happening told? One table from an event's verb to its words; history, changes and mails share it."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

if TYPE_CHECKING:
    from portal.audit.models import AuditEvent

# verb: (what was done, tone, icon); {…} is filled from the event's data
EVENT_TYPES: dict[str, tuple[str, str, str]] = {
    "created": (gettext_noop("began the integration"), "accent", "rocket"),
    "facts_changed": (gettext_noop("changed its description"), "neutral", "pencil"),
    "repository_changed": (gettext_noop("changed the repository"), "neutral", "git-branch"),
    "answered": (gettext_noop("answered “{title}”"), "neutral", "check"),
    "not_needed": (gettext_noop("said that “{title}” is not needed"), "neutral", "minus"),
    "checked": (gettext_noop("checked “{title}”: {outcome}"), "neutral", "search-check"),
    "check_failed": (gettext_noop("found that “{title}” no longer holds"), "bad", "circle-x"),
    "check_passed": (gettext_noop("found that “{title}” holds again"), "good", "circle-check"),
    "waived": (gettext_noop("waived “{title}” until {until_day}"), "warn", "shield-off"),
    "accepted": (gettext_noop("accepted the {thing} {value} for good"), "warn", "badge-check"),
    "waiver_ended": (gettext_noop("ended the waiver of “{title}” early"), "warn", "shield"),
    "complete_step": (gettext_noop("completed a step: {to_step} is next"), "good", "arrow-right"),
    "submit_for_review": (gettext_noop("requested the review"), "accent", "send"),
    "resubmit_for_review": (gettext_noop("requested the review again, round {round}"), "accent", "send"),
    "request_changes": (gettext_noop("requested changes"), "warn", "message-square-warning"),
    "approve": (gettext_noop("approved it"), "good", "circle-check"),
    "publish": (gettext_noop("listed it"), "good", "badge-check"),
    "decline": (gettext_noop("declined it"), "bad", "circle-x"),
    "withdraw": (gettext_noop("withdrew it"), "bad", "undo-2"),
    "archive": (gettext_noop("stopped supporting it"), "bad", "archive"),
    "reopen": (gettext_noop("opened it again"), "good", "rotate-ccw"),
    "put_on_hold": (gettext_noop("put it on hold"), "warn", "pause"),
    "resume": (gettext_noop("took it off hold"), "good", "play"),
    "undo_decision": (gettext_noop("undid the decision"), "warn", "undo-2"),
    "request_tier": (gettext_noop("asked for a tier"), "accent", "award"),
    "grant_tier": (gettext_noop("granted the tier"), "good", "award"),
    "decline_tier": (gettext_noop("declined the tier"), "bad", "award"),
    "suggest_notice": (gettext_noop("suggested to look: {why}"), "warn", "search-check"),
    "dismiss_request": (gettext_noop("left the standing as it is"), "neutral", "shield"),
    "issue_notice": (gettext_noop("gave notice"), "warn", "flag"),
    "pause_deadline": (gettext_noop("held the period: the company acted"), "accent", "pause"),
    "resume_deadline": (gettext_noop("let the period run on"), "warn", "play"),
    "period_ended": (gettext_noop("noted that the period has ended"), "neutral", "timer"),
    "suspend": (gettext_noop("suspended it"), "bad", "shield-off"),
    "suspend_immediately": (gettext_noop("suspended it at once"), "bad", "shield-off"),
    "delist": (gettext_noop("removed it from the listing"), "bad", "circle-x"),
    "appeal": (gettext_noop("appealed"), "accent", "send"),
    "uphold_appeal": (gettext_noop("upheld the appeal"), "good", "circle-check"),
    "dismiss_appeal": (gettext_noop("dismissed the appeal"), "bad", "circle-x"),
    "withdraw_notice": (gettext_noop("took the notice back"), "good", "undo-2"),
    "reinstate": (gettext_noop("reinstated it"), "good", "badge-check"),
    "request_reinstatement": (gettext_noop("asked to be reinstated"), "accent", "send"),
    "downgrade_to_community": (gettext_noop("stepped down to community"), "neutral", "archive"),
    "news_passed_on": (gettext_noop("passed the news on to {whom}, since nobody had answered"), "warn", "mail"),
    "turn_warned": (gettext_noop("reminded {whom} of the program’s turn"), "neutral", "timer"),
    "turn_overdue": (gettext_noop("told {whom} that the program’s turn is past due"), "warn", "timer"),
    "mail_undelivered": (gettext_noop("could not deliver a mail to {whom}"), "warn", "mail-x"),
    "edition_moved": (gettext_noop("moved it to the edition {to}"), "neutral", "book-open"),
    "claimed": (gettext_noop("took the review"), "neutral", "hand"),
    "put_back": (gettext_noop("put it back into the queue"), "neutral", "corner-up-left"),
    "assigned": (gettext_noop("named {reviewer} as reviewer"), "neutral", "user-check"),
    "finding_raised": (gettext_noop("wrote finding {finding}"), "warn", "flag"),
    "finding_fixed": (gettext_noop("answered finding {finding}"), "neutral", "wrench"),
    "finding_verified": (gettext_noop("verified finding {finding}"), "good", "check-check"),
    "finding_reopened": (gettext_noop("opened finding {finding} again"), "warn", "flag"),
    "said_to_partner": (gettext_noop("wrote to the company"), "neutral", "message-square"),
    "said_to_program": (gettext_noop("wrote to the program"), "neutral", "message-square"),
    "noted": (gettext_noop("noted"), "neutral", "lock"),
    "document_uploaded": (gettext_noop("handed in a document for “{title}”"), "neutral", "file-up"),
    "document_removed": (gettext_noop("removed a document of “{title}”"), "neutral", "file-x"),
    "agreement_to_countersign": (gettext_noop("signed “{title}”"), "neutral", "signature"),
    "agreement_to_sign": (gettext_noop("signed “{title}” for the program"), "neutral", "signature"),
    "agreement_complete": (gettext_noop("completed “{title}”"), "good", "signature"),
    "meeting_proposed": (gettext_noop("proposed times for “{title}”"), "accent", "calendar-plus"),
    "meeting_agreed": (gettext_noop("agreed on a time for “{title}”"), "good", "calendar-check"),
    "meeting_cancelled": (gettext_noop("cancelled “{title}”"), "warn", "calendar-x"),
    "meeting_held": (gettext_noop("held “{title}”"), "good", "calendar-check"),
    "credential_given": (gettext_noop("gave test credentials"), "neutral", "key-round"),
    "credential_revealed": (gettext_noop("opened the test credentials"), "warn", "eye"),
    "credential_used": (gettext_noop("used the test credentials in a sandbox run"), "neutral", "terminal"),
    "credential_withdrawn": (gettext_noop("withdrew the test credentials"), "neutral", "key-round"),
    "credential_ended": (gettext_noop("ended the test credentials"), "neutral", "key-round"),
    "credential_to_rotate": (gettext_noop("asked to rotate the test credentials"), "warn", "refresh-cw"),
    "introduction_asked": (gettext_noop("asked for an introduction"), "neutral", "users"),
    "introduction_agreed": (gettext_noop("agreed to an introduction"), "good", "handshake"),
    "introduction_declined": (gettext_noop("declined an introduction"), "neutral", "users"),
    "issues_warned": (gettext_noop("warned of issues that come due: {count}"), "warn", "alarm-clock"),
    "issues_breached": (gettext_noop("found issues past their due moment: {count}"), "bad", "alarm-clock-off"),
    "breaches_retracted": (gettext_noop("took back breaches that never were: {count}"), "good", "undo-2"),
    "labels_proposed": (gettext_noop("proposed how labels are read"), "accent", "tags"),
    "labels_accepted": (gettext_noop("accepted how labels are read"), "good", "tags"),
    "labels_declined": (gettext_noop("declined how labels are to be read"), "warn", "tags"),
    "support_replied": (gettext_noop("replied to its support record"), "neutral", "message-square"),
    "calendar_changed": (gettext_noop("changed the calendar"), "neutral", "calendar-days"),
    "severity_asked": (gettext_noop("asked to lower the severity of {name}"), "neutral", "send"),
    "breach_disputed": (gettext_noop("disputed the breach of {name}"), "neutral", "scale"),
    "dispute_dismissed": (gettext_noop("left what was disputed about {name} as it is"), "warn", "minus"),
    "severity_lowered": (gettext_noop("lowered the severity of {name}"), "warn", "arrow-down"),
    "not_covered": (gettext_noop("agreed that no promise covers {name}"), "warn", "minus"),
    "webhook_added": (gettext_noop("added the webhook “{name}” to {display_url}"), "neutral", "webhook"),
    "webhook_changed": (gettext_noop("changed the webhook “{name}”"), "neutral", "webhook"),
    "webhook_secret_made": (gettext_noop("made a new secret for the webhook “{name}”"), "warn", "key"),
    "webhook_paused": (gettext_noop("paused the webhook “{name}”"), "warn", "pause"),
    "webhook_resumed": (gettext_noop("resumed the webhook “{name}”"), "neutral", "play"),
    "webhook_removed": (gettext_noop("removed the webhook “{name}”"), "neutral", "trash-2"),
    "partner_created": (gettext_noop("created the company"), "accent", "building-2"),
    "checks_reported": (gettext_noop("reported from CI for {commit}: {outcome}"), "neutral", "terminal"),
    "checks_disagree": (gettext_noop("found otherwise than CI reported for {commit}"), "bad", "git-compare"),
    "token_made": (gettext_noop("made the token {token}"), "neutral", "key-round"),
    "token_revoked": (gettext_noop("revoked the token {token}"), "neutral", "key-round"),
    "company_changed": (gettext_noop("changed what the company's record says"), "neutral", "pencil"),
    "manager_named": (gettext_noop("named the Alliances manager"), "neutral", "user-check"),
    "join_requested": (gettext_noop("asked to join"), "neutral", "user-plus"),
    "join_accepted": (gettext_noop("let {name} join"), "good", "user-check"),
    "join_declined": (gettext_noop("declined the request of {name}"), "neutral", "user-x"),
    "invited": (gettext_noop("invited {email}"), "neutral", "mail"),
    "invitation_revoked": (gettext_noop("took the invitation to {email} back"), "neutral", "mail-x"),
    "invitation_accepted": (gettext_noop("accepted an invitation"), "good", "user-check"),
    "role_changed": (gettext_noop("gave {name} the role {role}"), "neutral", "user-cog"),
    "membership_ended": (gettext_noop("ended the membership of {name}"), "neutral", "user-minus"),
    "account_roles_changed": (gettext_noop("changed the roles of {name}: {roles}"), "warn", "user-cog"),
    "account_deactivated": (gettext_noop("deactivated the account of {name}"), "bad", "user-x"),
    "account_reactivated": (gettext_noop("reactivated the account of {name}"), "good", "user-check"),
    "owner_appointed": (gettext_noop("appointed {name} as owner"), "warn", "user-cog"),
}


ANONYMOUS_EVENT_TYPES = {"introduction_asked", "introduction_declined"}  # the other company, which stays unknown


def describe_event(event: "AuditEvent") -> tuple[str, str, str]:
    """What an event says after its actor's name, its tone and its icon."""
    template, tone, icon = EVENT_TYPES.get(event.event_type, (event.event_type.replace("_", " "), "neutral", "dot"))
    values = {
        "until_day": str(event.data.get("until", ""))[:10],
        **{key: value for key, value in event.data.items() if isinstance(value, str | int)},
    }
    return _(template).format_map(_LenientValues(values)), tone, icon


def get_actor_name(event: "AuditEvent") -> str:
    """Who did it: a person's name, the machine, or somebody who is not to be named."""
    return event.actor or (_("Somebody") if event.event_type in ANONYMOUS_EVENT_TYPES else _("The portal"))


class _LenientValues(dict[str, object]):
    """A value that an old event does not hold leaves a gap, never an error."""

    def __missing__(self, key: str) -> str:
        return "…"
