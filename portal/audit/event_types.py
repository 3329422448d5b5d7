"""Catalog of audit event types: description, tone, and icon, shared by the history, change lists, and emails."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

if TYPE_CHECKING:
    from portal.audit.models import AuditEvent

# Event type: (description after the actor's name, tone, icon). Placeholders are filled from the event's data.
EVENT_TYPES: dict[str, tuple[str, str, str]] = {
    "created": (gettext_noop("created the integration"), "accent", "rocket"),
    "facts_changed": (gettext_noop("changed the description"), "neutral", "pencil"),
    "repository_changed": (gettext_noop("changed the repository"), "neutral", "git-branch"),
    "answered": (gettext_noop("answered “{title}”"), "neutral", "check"),
    "not_needed": (gettext_noop("marked “{title}” as not applicable"), "neutral", "minus"),
    "checked": (gettext_noop("checked “{title}”: {outcome}"), "neutral", "search-check"),
    "check_failed": (gettext_noop("reported that “{title}” no longer passes"), "bad", "circle-x"),
    "check_passed": (gettext_noop("reported that “{title}” passes again"), "good", "circle-check"),
    "waived": (gettext_noop("waived “{title}” until {until_day}"), "warn", "shield-off"),
    "accepted": (gettext_noop("permanently accepted the {thing} {value}"), "warn", "badge-check"),
    "waiver_ended": (gettext_noop("ended the waiver of “{title}” early"), "warn", "shield"),
    "complete_step": (gettext_noop("completed a step. Next step: {to_step}"), "good", "arrow-right"),
    "submit_for_review": (gettext_noop("requested review"), "accent", "send"),
    "resubmit_for_review": (gettext_noop("requested another review, round {round}"), "accent", "send"),
    "request_changes": (gettext_noop("requested changes"), "warn", "message-square-warning"),
    "approve": (gettext_noop("approved the integration"), "good", "circle-check"),
    "publish": (gettext_noop("published the listing"), "good", "badge-check"),
    "decline": (gettext_noop("declined the integration"), "bad", "circle-x"),
    "withdraw": (gettext_noop("withdrew the integration"), "bad", "undo-2"),
    "archive": (gettext_noop("ended support"), "bad", "archive"),
    "reopen": (gettext_noop("reopened the integration"), "good", "rotate-ccw"),
    "put_on_hold": (gettext_noop("put the integration on hold"), "warn", "pause"),
    "resume": (gettext_noop("removed the hold"), "good", "play"),
    "undo_decision": (gettext_noop("undid the decision"), "warn", "undo-2"),
    "request_tier": (gettext_noop("requested a tier"), "accent", "award"),
    "grant_tier": (gettext_noop("granted the tier"), "good", "award"),
    "decline_tier": (gettext_noop("declined the tier"), "bad", "award"),
    "suggest_notice": (gettext_noop("suggested a compliance review: {why}"), "warn", "search-check"),
    "dismiss_request": (gettext_noop("dismissed the request"), "neutral", "shield"),
    "issue_notice": (gettext_noop("issued a notice"), "warn", "flag"),
    "pause_deadline": (gettext_noop("paused the deadline because the partner responded"), "accent", "pause"),
    "resume_deadline": (gettext_noop("resumed the deadline"), "warn", "play"),
    "period_ended": (gettext_noop("recorded the end of the notice period"), "neutral", "timer"),
    "suspend": (gettext_noop("suspended the integration"), "bad", "shield-off"),
    "suspend_immediately": (gettext_noop("suspended the integration immediately"), "bad", "shield-off"),
    "delist": (gettext_noop("delisted the integration"), "bad", "circle-x"),
    "appeal": (gettext_noop("appealed"), "accent", "send"),
    "uphold_appeal": (gettext_noop("upheld the appeal"), "good", "circle-check"),
    "dismiss_appeal": (gettext_noop("dismissed the appeal"), "bad", "circle-x"),
    "withdraw_notice": (gettext_noop("withdrew the notice"), "good", "undo-2"),
    "reinstate": (gettext_noop("reinstated the integration"), "good", "badge-check"),
    "request_reinstatement": (gettext_noop("requested reinstatement"), "accent", "send"),
    "downgrade_to_community": (gettext_noop("downgraded the integration to community"), "neutral", "archive"),
    "news_passed_on": (gettext_noop("escalated to {whom} because no one responded"), "warn", "mail"),
    "turn_warned": (gettext_noop("reminded {whom} of the program's next action"), "neutral", "timer"),
    "turn_overdue": (gettext_noop("notified {whom} that the program's next action is overdue"), "warn", "timer"),
    "mail_undelivered": (gettext_noop("could not deliver an email to {whom}"), "warn", "mail-x"),
    "edition_moved": (gettext_noop("moved the integration to edition {to}"), "neutral", "book-open"),
    "claimed": (gettext_noop("claimed the review"), "neutral", "hand"),
    "put_back": (gettext_noop("released the claim"), "neutral", "corner-up-left"),
    "assigned": (gettext_noop("assigned the review to {reviewer}"), "neutral", "user-check"),
    "finding_raised": (gettext_noop("added finding {finding}"), "warn", "flag"),
    "finding_fixed": (gettext_noop("responded to finding {finding}"), "neutral", "wrench"),
    "finding_verified": (gettext_noop("verified finding {finding}"), "good", "check-check"),
    "finding_reopened": (gettext_noop("reopened finding {finding}"), "warn", "flag"),
    "said_to_partner": (gettext_noop("sent a message to the partner"), "neutral", "message-square"),
    "said_to_program": (gettext_noop("sent a message to the program"), "neutral", "message-square"),
    "noted": (gettext_noop("added an internal note"), "neutral", "lock"),
    "document_uploaded": (gettext_noop("uploaded a document for “{title}”"), "neutral", "file-up"),
    "document_removed": (gettext_noop("deleted a document from “{title}”"), "neutral", "file-x"),
    "agreement_to_countersign": (gettext_noop("signed “{title}”"), "neutral", "signature"),
    "agreement_to_sign": (gettext_noop("signed “{title}” for the program"), "neutral", "signature"),
    "agreement_complete": (gettext_noop("completed “{title}”"), "good", "signature"),
    "meeting_proposed": (gettext_noop("proposed times for “{title}”"), "accent", "calendar-plus"),
    "meeting_agreed": (gettext_noop("agreed on a time for “{title}”"), "good", "calendar-check"),
    "meeting_cancelled": (gettext_noop("canceled “{title}”"), "warn", "calendar-x"),
    "meeting_held": (gettext_noop("marked “{title}” as completed"), "good", "calendar-check"),
    "credential_given": (gettext_noop("added a test account"), "neutral", "key-round"),
    "credential_revealed": (gettext_noop("viewed the test account"), "warn", "eye"),
    "credential_used": (gettext_noop("used the test account in a sandbox run"), "neutral", "terminal"),
    "credential_withdrawn": (gettext_noop("withdrew the test account"), "neutral", "key-round"),
    "credential_ended": (gettext_noop("deleted the test account"), "neutral", "key-round"),
    "credential_to_rotate": (gettext_noop("requested rotation of the test account credentials"), "warn", "refresh-cw"),
    "introduction_asked": (gettext_noop("requested an introduction"), "neutral", "users"),
    "introduction_agreed": (gettext_noop("accepted an introduction"), "good", "handshake"),
    "introduction_declined": (gettext_noop("declined an introduction"), "neutral", "users"),
    "issues_warned": (gettext_noop("warned about issues due soon: {count}"), "warn", "alarm-clock"),
    "issues_breached": (gettext_noop("reported overdue issues: {count}"), "bad", "alarm-clock-off"),
    "breaches_retracted": (gettext_noop("retracted breaches: {count}"), "good", "undo-2"),
    "labels_proposed": (gettext_noop("proposed a label policy"), "accent", "tags"),
    "labels_accepted": (gettext_noop("accepted the label policy"), "good", "tags"),
    "labels_declined": (gettext_noop("declined the label policy"), "warn", "tags"),
    "support_replied": (gettext_noop("replied to its support record"), "neutral", "message-square"),
    "calendar_changed": (gettext_noop("changed the calendar"), "neutral", "calendar-days"),
    "severity_asked": (gettext_noop("requested a lower severity for {name}"), "neutral", "send"),
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
    "partner_created": (gettext_noop("created the partner"), "accent", "building-2"),
    "checks_reported": (gettext_noop("reported CI results for {commit}: {outcome}"), "neutral", "terminal"),
    "checks_disagree": (
        gettext_noop("found results that differ from the CI report for {commit}"),
        "bad",
        "git-compare",
    ),
    "token_made": (gettext_noop("created the token {token}"), "neutral", "key-round"),
    "token_revoked": (gettext_noop("revoked the token {token}"), "neutral", "key-round"),
    "company_changed": (gettext_noop("changed the partner profile"), "neutral", "pencil"),
    "manager_named": (gettext_noop("assigned the Alliances manager"), "neutral", "user-check"),
    "join_requested": (gettext_noop("requested to join"), "neutral", "user-plus"),
    "join_accepted": (gettext_noop("accepted the request of {name}"), "good", "user-check"),
    "join_declined": (gettext_noop("declined the request of {name}"), "neutral", "user-x"),
    "invited": (gettext_noop("invited {email}"), "neutral", "mail"),
    "invitation_revoked": (gettext_noop("revoked the invitation to {email}"), "neutral", "mail-x"),
    "invitation_accepted": (gettext_noop("accepted an invitation"), "good", "user-check"),
    "role_changed": (gettext_noop("changed the role of {name} to {role}"), "neutral", "user-cog"),
    "membership_ended": (gettext_noop("removed the member {name}"), "neutral", "user-minus"),
    "account_roles_changed": (gettext_noop("changed the roles of {name}: {roles}"), "warn", "user-cog"),
    "account_deactivated": (gettext_noop("deactivated the account of {name}"), "bad", "user-x"),
    "account_reactivated": (gettext_noop("reactivated the account of {name}"), "good", "user-check"),
    "owner_appointed": (gettext_noop("appointed {name} as owner"), "warn", "user-cog"),
}


ANONYMOUS_EVENT_TYPES = {"introduction_asked", "introduction_declined"}  # hide the name of the other partner


def describe_event(event: "AuditEvent") -> tuple[str, str, str]:
    """Return the description that follows the actor's name, the tone, and the icon of an event."""
    template, tone, icon = EVENT_TYPES.get(event.event_type, (event.event_type.replace("_", " "), "neutral", "dot"))
    values = {
        "until_day": str(event.data.get("until", ""))[:10],
        **{key: value for key, value in event.data.items() if isinstance(value, str | int)},
    }
    return _(template).format_map(_LenientValues(values)), tone, icon


def get_actor_name(event: "AuditEvent") -> str:
    """Return the actor's name, “The portal” for automatic events, or “Someone” if the name is private."""
    return event.actor or (_("Someone") if event.event_type in ANONYMOUS_EVENT_TYPES else _("The portal"))


class _LenientValues(dict[str, object]):
    """Event data in which a missing value renders as an ellipsis."""

    def __missing__(self, key: str) -> str:
        return "…"
