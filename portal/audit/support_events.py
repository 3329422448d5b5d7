"""Event types of support: SLA issues, compliance, and escalation."""

from django.utils.translation import gettext_noop as _

from portal.audit.event_types import Audience, Category, EventType

ISSUE_LIST_FIELDS = ("count", "issues")
ISSUE_FIELDS = ("issue", "name", "title")
COMPLIANCE_FIELDS = ("listing_status", "compliance_deadline")

SUPPORT_EVENTS = (
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
        "program.notice_suggested",
        _("suggested a compliance review: {reason}"),
        "search-check",
        "warn",
        "suggest_notice",
    )
    .with_webhook(_("The portal suggests a compliance notice."), "reason", is_program_only=True)
    .with_email("compliance_changed", Audience.PROGRAM_TEAM, Category.COMPLIANCE),
    EventType(
        "program.action_warning_sent", _("reminded {recipient} of the program's next action"), "timer", is_internal=True
    )
    .with_webhook(_("An action of the program is due soon."), "due", is_program_only=True)
    .with_email("escalated", Audience.NEXT_CONTACT),
    EventType(
        "program.action_overdue",
        _("notified {recipient} that the program's next action is overdue"),
        "timer",
        "warn",
        is_internal=True,
    )
    .with_webhook(_("An action of the program is overdue."), "due", is_program_only=True)
    .with_email("escalated", Audience.NEXT_CONTACT),
    EventType(
        "program.breach_escalated",
        _("escalated to {recipient} because no one responded"),
        "mail",
        "warn",
        is_internal=True,
    ).with_email("escalated", Audience.NEXT_CONTACT),
    EventType(
        "program.email_delivery_failed",
        _("could not deliver an email to {recipient}"),
        "mail-x",
        "warn",
        is_internal=True,
    )
    .with_webhook(_("An email could not be delivered."), is_program_only=True)
    .with_email("email_undelivered", Audience.NEXT_CONTACT),
)
