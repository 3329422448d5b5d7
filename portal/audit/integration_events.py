"""Event types of an integration: path, review, requirements, and messages."""

from django.utils.translation import gettext_noop as _

from portal.audit.event_types import Audience, Category, EventType

STAGE_FIELDS = ("from", "to")
REQUIREMENT_FIELDS = ("requirement", "title")
FINDING_FIELDS = ("finding", *REQUIREMENT_FIELDS)

INTEGRATION_EVENTS = (
    EventType("integration.created", _("created the integration"), "rocket", "accent")
    .with_webhook(_("A partner submitted an integration."))
    .with_email("integration_created", Audience.BOTH_TEAMS, Category.PATH),
    EventType("integration.edited", _("changed the description"), "pencil", changes_listing=True),
    EventType("integration.repository_changed", _("changed the repository"), "git-branch", changes_listing=True),
    EventType(
        "integration.advanced", _("completed a step. Next step: {to_step}"), "arrow-right", "good", "complete_step"
    ).with_webhook(_("The integration completed a step."), *STAGE_FIELDS),
    EventType("integration.approved", _("approved the integration"), "circle-check", "good", "approve")
    .with_webhook(_("A reviewer approved the integration. It is not listed yet."), *STAGE_FIELDS)
    .with_email("integration_approved", Audience.PARTNER_TEAM, Category.DECISIONS),
    EventType("integration.listed", _("published the listing"), "badge-check", "good", "publish", changes_listing=True)
    .with_webhook(_("The integration was listed."), *STAGE_FIELDS)
    .with_email("integration_listed", Audience.PARTNER_TEAM, Category.DECISIONS),
    EventType("integration.declined", _("declined the integration"), "circle-x", "bad", "decline")
    .with_webhook(_("A reviewer declined the integration."), *STAGE_FIELDS)
    .with_email("integration_declined", Audience.PARTNER_TEAM, Category.DECISIONS),
    EventType("integration.withdrawn", _("withdrew the integration"), "undo-2", "bad", "withdraw")
    .with_webhook(_("The partner withdrew the integration."), *STAGE_FIELDS)
    .with_email("integration_withdrawn", Audience.PROGRAM_TEAM, Category.REVIEWS),
    EventType("integration.archived", _("ended support"), "archive", "bad", "archive", changes_listing=True)
    .with_webhook(_("Support for the integration ended."), *STAGE_FIELDS)
    .with_email("support_ended", Audience.BOTH_TEAMS, Category.PATH),
    EventType("integration.reopened", _("reopened the integration"), "rotate-ccw", "good", "reopen")
    .with_webhook(_("The integration was reopened."), *STAGE_FIELDS)
    .with_email("integration_reopened", Audience.BOTH_TEAMS, Category.PATH),
    EventType("integration.put_on_hold", _("put the integration on hold"), "pause", "warn", "put_on_hold")
    .with_webhook(_("The integration was put on hold. Due dates are paused."))
    .with_email("integration_on_hold", Audience.PARTNER_TEAM, Category.PATH),
    EventType("integration.resumed", _("removed the hold"), "play", "good", "resume")
    .with_webhook(_("The hold was removed."))
    .with_email("integration_resumed", Audience.PARTNER_TEAM, Category.PATH),
    EventType(
        "integration.decision_undone", _("undid the decision"), "undo-2", "warn", "undo_decision", changes_listing=True
    ),
    EventType(
        "integration.edition_moved", _("moved the integration to edition {to}"), "book-open", changes_listing=True
    )
    .with_webhook(_("The integration moved to a newer edition of its program."), "was", "to")
    .with_email("edition_migrated", Audience.PARTNER_TEAM, Category.PATH),
    EventType("integration.support_replied", _("replied to its support record"), "message-square"),
    EventType("review.requested", _("requested review"), "send", "accent", "submit_for_review")
    .with_webhook(_("The partner requested a review."), "round")
    .with_email("review_requested", Audience.PROGRAM_TEAM, Category.REVIEWS),
    EventType(
        "review.requested_again", _("requested another review, round {round}"), "send", "accent", "resubmit_for_review"
    )
    .with_webhook(_("The partner requested another review."), "round")
    .with_email("review_requested", Audience.PROGRAM_TEAM, Category.REVIEWS),
    EventType("review.changes_requested", _("requested changes"), "message-square-warning", "warn", "request_changes")
    .with_webhook(_("A reviewer requested changes."), "round")
    .with_email("changes_requested", Audience.PARTNER_TEAM, Category.DECISIONS),
    EventType("review.claimed", _("claimed the review"), "hand", is_internal=True),
    EventType("review.claim_released", _("released the claim"), "corner-up-left", is_internal=True),
    EventType("review.assigned", _("assigned the review to {reviewer}"), "user-check", is_internal=True),
    EventType(
        "finding.raised",
        _("added finding {finding}"),
        "flag",
        "warn",
        repeated=_("added {count} findings"),
        is_internal=True,
    ),
    EventType(
        "finding.resolved", _("responded to finding {finding}"), "wrench", repeated=_("responded to {count} findings")
    ).with_webhook(_("The partner responded to a finding."), *FINDING_FIELDS),
    EventType(
        "finding.verified",
        _("verified finding {finding}"),
        "check-check",
        "good",
        repeated=_("verified {count} findings"),
    ).with_webhook(_("A reviewer verified a finding."), *FINDING_FIELDS),
    EventType("finding.reopened", _("reopened finding {finding}"), "flag", "warn").with_webhook(
        _("A reviewer reopened a finding."), *FINDING_FIELDS
    ),
    EventType(
        "requirement.answered",
        _("answered “{title}”"),
        "check",
        repeated=_("answered {count} requirements"),
        changes_listing=True,
    ),
    EventType(
        "requirement.marked_not_applicable", _("marked “{title}” as not applicable"), "minus", changes_listing=True
    ),
    EventType(
        "requirement.checked",
        _("checked “{title}”: {outcome_label}"),
        "search-check",
        repeated=_("rechecked {count} requirements"),
    ),
    EventType("requirement.waived", _("waived “{title}” until {until_day}"), "shield-off", "warn")
    .with_webhook(_("A requirement was waived."), *REQUIREMENT_FIELDS, "until")
    .with_email("waiver_granted", Audience.PARTNER_TEAM, Category.DECISIONS),
    EventType("requirement.waiver_ended", _("ended the waiver of “{title}” early"), "shield", "warn")
    .with_webhook(_("A waiver was revoked before its expiration date."), *REQUIREMENT_FIELDS, "until")
    .with_email("waiver_ended", Audience.PARTNER_TEAM, Category.DECISIONS),
    EventType(
        "document.uploaded",
        _("uploaded a document for “{title}”"),
        "file-up",
        repeated=_("uploaded {count} documents"),
        changes_listing=True,
    ),
    EventType("document.deleted", _("deleted a document from “{title}”"), "file-x", changes_listing=True),
    EventType("check.failed", _("reported that “{title}” no longer passes"), "circle-x", "bad")
    .with_webhook(_("A check failed for a requirement that was complete."), *REQUIREMENT_FIELDS)
    .with_email("check_failed", Audience.BOTH_TEAMS, Category.CHECKS),
    EventType("check.passed", _("reported that “{title}” passes again"), "circle-check", "good")
    .with_webhook(_("The checks of a requirement passed again."), *REQUIREMENT_FIELDS)
    .with_email("check_passed", Audience.BOTH_TEAMS, Category.CHECKS),
    EventType("check.accepted", _("permanently accepted the {thing} {value}"), "badge-check", "warn")
    .with_webhook(_("A reviewer permanently accepted a deviation."), "check", "title", "thing")
    .with_email("deviation_accepted", Audience.PARTNER_TEAM, Category.DECISIONS),
    EventType("check.ci_reported", _("reported CI results for {commit}: {outcome_label}"), "terminal"),
    EventType("check.disagreed", _("found results that differ from the CI report for {commit}"), "git-compare", "bad")
    .with_webhook(_("The portal's check results differ from your CI report."), *REQUIREMENT_FIELDS, "commit")
    .with_email("checks_disagree", Audience.BOTH_TEAMS, Category.CHECKS),
    EventType("tier.requested", _("requested a tier"), "award", "accent", "request_tier")
    .with_webhook(_("The partner requested a tier."), "tier")
    .with_email("tier_requested", Audience.PROGRAM_TEAM, Category.REVIEWS),
    EventType("tier.granted", _("granted the tier"), "award", "good", "grant_tier", changes_listing=True)
    .with_webhook(_("A tier was granted."), "tier")
    .with_email("tier_granted", Audience.PARTNER_TEAM, Category.DECISIONS),
    EventType("tier.declined", _("declined the tier"), "award", "bad", "decline_tier")
    .with_webhook(_("A tier was declined."), "tier")
    .with_email("tier_declined", Audience.PARTNER_TEAM, Category.DECISIONS),
    EventType(
        "message.sent_to_partner",
        _("sent a message to the partner"),
        "message-square",
        repeated=_("sent {count} messages to the partner"),
    )
    .with_webhook(_("The program sent a message to the partner. The payload doesn't include the text."))
    .with_email("message", Audience.PARTNER_TEAM, Category.MESSAGES),
    EventType(
        "message.sent_to_program",
        _("sent a message to the program"),
        "message-square",
        repeated=_("sent {count} messages to the program"),
    )
    .with_webhook(_("The partner sent a message to the program. The payload doesn't include the text."))
    .with_email("message", Audience.PROGRAM_TEAM, Category.MESSAGES),
    EventType(
        "message.note_added",
        _("added an internal note"),
        "lock",
        repeated=_("added {count} internal notes"),
        is_internal=True,
    ),
    EventType("agreement.signed_by_partner", _("signed “{title}”"), "signature")
    .with_webhook(_("The partner signed an agreement."), *REQUIREMENT_FIELDS)
    .with_email("agreement_to_countersign", Audience.PROGRAM_TEAM, Category.AGREEMENTS),
    EventType("agreement.signed_by_program", _("signed “{title}” for the program"), "signature")
    .with_webhook(_("The program signed an agreement."), *REQUIREMENT_FIELDS)
    .with_email("agreement_to_sign", Audience.PARTNER_TEAM, Category.AGREEMENTS),
    EventType("agreement.completed", _("completed “{title}”"), "signature", "good")
    .with_webhook(_("Both parties signed an agreement."), *REQUIREMENT_FIELDS)
    .with_email("agreement_complete", Audience.BOTH_TEAMS, Category.AGREEMENTS),
    EventType("meeting.proposed", _("proposed times for “{title}”"), "calendar-plus", "accent")
    .with_webhook(_("Meeting times were proposed."), *REQUIREMENT_FIELDS)
    .with_email("meeting_proposed", Audience.BOTH_TEAMS, Category.MEETINGS),
    EventType("meeting.scheduled", _("agreed on a time for “{title}”"), "calendar-check", "good")
    .with_webhook(_("A meeting was scheduled."), *REQUIREMENT_FIELDS, "starts_at")
    .with_email("meeting_agreed", Audience.BOTH_TEAMS, Category.MEETINGS),
    EventType("meeting.canceled", _("canceled “{title}”"), "calendar-x", "warn")
    .with_webhook(_("A meeting was canceled."), *REQUIREMENT_FIELDS)
    .with_email("meeting_canceled", Audience.BOTH_TEAMS, Category.MEETINGS),
    EventType("meeting.completed", _("marked “{title}” as completed"), "calendar-check", "good"),
    EventType("credential.added", _("added a test account"), "key-round"),
    EventType("credential.accessed", _("viewed the test account"), "eye", "warn")
    .with_webhook(_("A reviewer viewed a test account."), *REQUIREMENT_FIELDS)
    .with_email("credential_revealed", Audience.PARTNER_TEAM, Category.CREDENTIALS),
    EventType("credential.used_in_sandbox", _("used the test account in a sandbox run"), "terminal"),
    EventType("credential.withdrawn", _("withdrew the test account"), "key-round"),
    EventType("credential.deleted", _("deleted the test account"), "key-round"),
    EventType(
        "credential.rotation_requested", _("requested rotation of the test account credentials"), "refresh-cw", "warn"
    )
    .with_webhook(_("The program requested new test account credentials."), *REQUIREMENT_FIELDS)
    .with_email("credential_to_rotate", Audience.PARTNER_TEAM, Category.CREDENTIALS),
    EventType("introduction.requested", _("requested an introduction"), "users", is_anonymous=True)
    .with_webhook(_("Another partner requested an introduction."))
    .with_email("introduction_requested", Audience.PARTNER_TEAM, Category.INTRODUCTIONS),
    EventType("introduction.accepted", _("accepted an introduction"), "handshake", "good")
    .with_webhook(_("Both partners accepted an introduction."))
    .with_email("introduction_agreed", Audience.PARTNER_TEAM, Category.INTRODUCTIONS),
    EventType("introduction.declined", _("declined an introduction"), "users", is_anonymous=True)
    .with_webhook(_("An introduction was declined."))
    .with_email("introduction_declined", Audience.PARTNER_TEAM, Category.INTRODUCTIONS, is_anonymous=True),
)
