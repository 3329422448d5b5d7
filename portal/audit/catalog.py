"""Catalog of event types: the one list from which history, webhooks, emails, and preferences are derived."""

from types import MappingProxyType

from django.utils.translation import gettext_noop as _

from portal.audit.event_types import Audience, Category, EventType

STAGE_FIELDS = ("from", "to")
REQUIREMENT_FIELDS = ("requirement", "title")
FINDING_FIELDS = ("finding", *REQUIREMENT_FIELDS)
ISSUE_LIST_FIELDS = ("count", "issues")
ISSUE_FIELDS = ("issue", "name", "title")
COMPLIANCE_FIELDS = ("listing_status", "compliance_deadline")

CATALOG = (
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
    EventType("issue.warning_sent", _("warned about issues due soon: {count}"), "alarm-clock", "warn")
    .with_webhook(_("Issues are due soon."), *ISSUE_LIST_FIELDS)
    .with_email("issues_warned", Audience.BOTH_TEAMS, Category.WARNINGS),
    EventType("issue.breached", _("reported overdue issues: {count}"), "alarm-clock-off", "bad")
    .with_webhook(_("Issues breached their SLA target."), *ISSUE_LIST_FIELDS)
    .with_email("issues_breached", Audience.BOTH_TEAMS, Category.BREACHES),
    EventType("issue.breach_retracted", _("retracted breaches: {count}"), "undo-2", "good")
    .with_webhook(_("Breaches were retracted because of new data."), *ISSUE_LIST_FIELDS)
    .with_email("breaches_retracted", Audience.BOTH_TEAMS, Category.BREACHES),
    EventType("issue.severity_reduction_requested", _("requested a lower severity for {name}"), "send")
    .with_webhook(_("The partner requested a lower severity."), *ISSUE_FIELDS)
    .with_email("severity_requested", Audience.PROGRAM_TEAM, Category.REVIEWS),
    EventType("issue.severity_reduced", _("lowered the severity of {name}"), "arrow-down", "warn")
    .with_webhook(_("The program lowered the severity."), *ISSUE_FIELDS)
    .with_email("severity_lowered", Audience.PARTNER_TEAM, Category.BREACHES),
    EventType("issue.disputed", _("disputed the breach of {name}"), "scale")
    .with_webhook(_("The partner disputed a breach."), *ISSUE_FIELDS)
    .with_email("breach_disputed", Audience.PROGRAM_TEAM, Category.BREACHES),
    EventType("issue.dispute_dismissed", _("dismissed the dispute about {name}"), "minus", "warn")
    .with_webhook(_("The program dismissed a dispute."), *ISSUE_FIELDS)
    .with_email("dispute_dismissed", Audience.PARTNER_TEAM, Category.BREACHES),
    EventType("issue.excluded", _("excluded {name} from the SLA"), "minus", "warn")
    .with_webhook(_("The program excluded an issue from the SLA."), *ISSUE_FIELDS)
    .with_email("issue_excluded", Audience.PARTNER_TEAM, Category.BREACHES),
    EventType("label_policy.proposed", _("proposed a label policy"), "tags", "accent")
    .with_webhook(_("The partner proposed a label policy."))
    .with_email("label_policy_proposed", Audience.PROGRAM_TEAM, Category.REVIEWS),
    EventType("label_policy.accepted", _("accepted the label policy"), "tags", "good")
    .with_webhook(_("The program accepted a label policy."))
    .with_email("label_policy_accepted", Audience.PARTNER_TEAM, Category.LABELS),
    EventType("label_policy.declined", _("declined the label policy"), "tags", "warn")
    .with_webhook(_("The program declined a label policy."))
    .with_email("label_policy_declined", Audience.PARTNER_TEAM, Category.LABELS),
    EventType("compliance.notice_issued", _("issued a notice"), "flag", "warn", "issue_notice")
    .with_webhook(_("The program issued a notice."), *COMPLIANCE_FIELDS)
    .with_email("compliance_changed", Audience.PARTNER_TEAM, Category.COMPLIANCE),
    EventType(
        "compliance.deadline_paused",
        _("paused the deadline because the partner responded"),
        "pause",
        "accent",
        "pause_deadline",
    )
    .with_webhook(_("The compliance deadline was paused because the partner acted."), *COMPLIANCE_FIELDS)
    .with_email("compliance_changed", Audience.BOTH_TEAMS, Category.COMPLIANCE),
    EventType("compliance.deadline_resumed", _("resumed the deadline"), "play", "warn", "resume_deadline")
    .with_webhook(_("The compliance deadline was resumed."), *COMPLIANCE_FIELDS)
    .with_email("compliance_changed", Audience.PARTNER_TEAM, Category.COMPLIANCE),
    EventType("compliance.deadline_expired", _("recorded the end of the notice period"), "timer")
    .with_webhook(_("The compliance deadline expired. The program decides."), "compliance_deadline")
    .with_email("compliance_changed", Audience.PROGRAM_TEAM, Category.COMPLIANCE),
    EventType("compliance.request_dismissed", _("dismissed the request"), "shield", transition="dismiss_request")
    .with_webhook(_("A suggested notice was dismissed."))
    .with_email("compliance_changed", Audience.PARTNER_TEAM, Category.COMPLIANCE),
    EventType(
        "compliance.suspended", _("suspended the integration"), "shield-off", "bad", "suspend", changes_listing=True
    )
    .with_webhook(_("The integration was suspended."), *COMPLIANCE_FIELDS)
    .with_email("compliance_changed", Audience.PARTNER_TEAM, Category.COMPLIANCE),
    EventType(
        "compliance.suspended_immediately",
        _("suspended the integration immediately"),
        "shield-off",
        "bad",
        "suspend_immediately",
        changes_listing=True,
    )
    .with_webhook(_("The integration was suspended without notice."), *COMPLIANCE_FIELDS)
    .with_email("compliance_changed", Audience.PARTNER_TEAM, Category.COMPLIANCE),
    EventType("compliance.delisted", _("delisted the integration"), "circle-x", "bad", "delist", changes_listing=True)
    .with_webhook(_("The integration was delisted."), *COMPLIANCE_FIELDS)
    .with_email("compliance_changed", Audience.PARTNER_TEAM, Category.COMPLIANCE),
    EventType("compliance.appealed", _("appealed"), "send", "accent", "appeal")
    .with_webhook(_("The partner appealed."), *COMPLIANCE_FIELDS)
    .with_email("compliance_changed", Audience.PROGRAM_TEAM, Category.COMPLIANCE),
    EventType(
        "compliance.appeal_upheld",
        _("upheld the appeal"),
        "circle-check",
        "good",
        "uphold_appeal",
        changes_listing=True,
    )
    .with_webhook(_("An appeal was upheld."), *COMPLIANCE_FIELDS)
    .with_email("compliance_changed", Audience.PARTNER_TEAM, Category.COMPLIANCE),
    EventType("compliance.appeal_dismissed", _("dismissed the appeal"), "circle-x", "bad", "dismiss_appeal")
    .with_webhook(_("An appeal was dismissed."), *COMPLIANCE_FIELDS)
    .with_email("compliance_changed", Audience.PARTNER_TEAM, Category.COMPLIANCE),
    EventType(
        "compliance.notice_withdrawn",
        _("withdrew the notice"),
        "undo-2",
        "good",
        "withdraw_notice",
        changes_listing=True,
    )
    .with_webhook(_("A notice was withdrawn."), *COMPLIANCE_FIELDS)
    .with_email("compliance_changed", Audience.PARTNER_TEAM, Category.COMPLIANCE),
    EventType(
        "compliance.reinstatement_requested", _("requested reinstatement"), "send", "accent", "request_reinstatement"
    )
    .with_webhook(_("The partner requested reinstatement."), *COMPLIANCE_FIELDS)
    .with_email("compliance_changed", Audience.PROGRAM_TEAM, Category.COMPLIANCE),
    EventType(
        "compliance.reinstated",
        _("reinstated the integration"),
        "badge-check",
        "good",
        "reinstate",
        changes_listing=True,
    )
    .with_webhook(_("The integration was reinstated."), *COMPLIANCE_FIELDS)
    .with_email("compliance_changed", Audience.PARTNER_TEAM, Category.COMPLIANCE),
    EventType(
        "compliance.downgraded",
        _("downgraded the integration to community"),
        "archive",
        transition="downgrade_to_community",
        changes_listing=True,
    )
    .with_webhook(_("The integration was downgraded to community."), *COMPLIANCE_FIELDS)
    .with_email("compliance_changed", Audience.BOTH_TEAMS, Category.COMPLIANCE),
    EventType(
        "program.notice_suggested", _("suggested a compliance review: {why}"), "search-check", "warn", "suggest_notice"
    )
    .with_webhook(_("The portal suggests a compliance notice."), "why", is_program_only=True)
    .with_email("compliance_changed", Audience.PROGRAM_TEAM, Category.COMPLIANCE),
    EventType(
        "program.action_warning_sent", _("reminded {whom} of the program's next action"), "timer", is_internal=True
    )
    .with_webhook(_("An action of the program is due soon."), "due", is_program_only=True)
    .with_email("escalated", Audience.NEXT_CONTACT),
    EventType(
        "program.action_overdue",
        _("notified {whom} that the program's next action is overdue"),
        "timer",
        "warn",
        is_internal=True,
    )
    .with_webhook(_("An action of the program is overdue."), "due", is_program_only=True)
    .with_email("escalated", Audience.NEXT_CONTACT),
    EventType(
        "program.breach_escalated", _("escalated to {whom} because no one responded"), "mail", "warn", is_internal=True
    ).with_email("escalated", Audience.NEXT_CONTACT),
    EventType(
        "program.email_delivery_failed", _("could not deliver an email to {whom}"), "mail-x", "warn", is_internal=True
    )
    .with_webhook(_("An email could not be delivered."), is_program_only=True)
    .with_email("email_undelivered", Audience.NEXT_CONTACT),
    EventType("partner.created", _("created the partner"), "building-2", "accent"),
    EventType("partner.profile_changed", _("changed the partner profile"), "pencil", changes_listing=True),
    EventType("partner.manager_assigned", _("assigned the Alliances manager"), "user-check"),
    EventType("partner.calendar_changed", _("changed the calendar"), "calendar-days").with_email(
        "calendar_changed", Audience.PARTNER_AND_MANAGER
    ),
    EventType("member.join_requested", _("requested to join"), "user-plus").with_email(
        "join_requested", Audience.OWNERS
    ),
    EventType("member.join_accepted", _("accepted the request of {name}"), "user-check", "good").with_email(
        "join_accepted", Audience.MEMBER
    ),
    EventType("member.join_declined", _("declined the request of {name}"), "user-x").with_email(
        "join_declined", Audience.MEMBER
    ),
    EventType("member.invited", _("invited {email}"), "mail"),
    EventType("member.invitation_revoked", _("revoked the invitation to {email}"), "mail-x"),
    EventType("member.invitation_accepted", _("accepted an invitation"), "user-check", "good"),
    EventType("member.role_changed", _("changed the role of {name} to {role}"), "user-cog").with_email(
        "role_changed", Audience.MEMBER
    ),
    EventType("member.removed", _("removed the member {name}"), "user-minus").with_email(
        "membership_ended", Audience.MEMBER_OR_OWNERS
    ),
    EventType("member.owner_appointed", _("appointed {name} as owner"), "user-cog", "warn").with_email(
        "role_changed", Audience.MEMBER
    ),
    EventType("token.created", _("created the token {token}"), "key-round"),
    EventType("token.revoked", _("revoked the token {token}"), "key-round"),
    EventType("webhook.created", _("added the webhook “{name}” to {display_url}"), "webhook"),
    EventType("webhook.changed", _("changed the webhook “{name}”"), "webhook"),
    EventType("webhook.secret_created", _("created a new secret for the webhook “{name}”"), "key", "warn"),
    EventType("webhook.paused", _("paused the webhook “{name}”"), "pause", "warn"),
    EventType("webhook.resumed", _("resumed the webhook “{name}”"), "play"),
    EventType("webhook.deleted", _("removed the webhook “{name}”"), "trash-2"),
    EventType("account.roles_changed", _("changed the roles of {name}: {roles}"), "user-cog", "warn", is_internal=True),
    EventType("account.deactivated", _("deactivated the account of {name}"), "user-x", "bad", is_internal=True),
    EventType("account.reactivated", _("reactivated the account of {name}"), "user-check", "good", is_internal=True),
    EventType("audit_log.anchored", _("stored an anchor of the audit log"), "lock", is_internal=True),
    EventType("responsibility.changed", _("passed the next action on"), "arrow-right", is_internal=True),
)
EVENT_TYPES = MappingProxyType({event_type.key: event_type for event_type in CATALOG})
EVENT_TYPES_BY_TRANSITION = MappingProxyType({each.transition: each for each in CATALOG if each.transition})
WEBHOOKS = MappingProxyType({each.key: each.webhook for each in CATALOG if each.webhook})
EMAILS = MappingProxyType({each.key: each.email for each in CATALOG if each.email})
