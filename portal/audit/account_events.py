"""Event types of partners, members, accounts, tokens, and webhooks."""

from django.utils.translation import gettext_noop as _

from portal.audit.event_types import Audience, EventType

ACCOUNT_EVENTS = (
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
