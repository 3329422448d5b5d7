"""Catalog of event types: what the history, webhooks, emails, and preferences say about each kind of event."""

from enum import StrEnum
from types import MappingProxyType

from portal.core.content_files import Content, load_section


class Audience(StrEnum):
    """Who receives an email. The app whose event it is finds the people."""

    PARTNER_TEAM = "owners and editors of the partner"
    PROGRAM_TEAM = "reviewer, or else the Alliances manager or the mailbox of the program"
    INVOLVED_PROGRAM_TEAM = "reviewer, Alliances manager, or mailbox, once there was something to review or decide"
    BOTH_TEAMS = "both sides"
    NEXT_CONTACT = "next contact of the escalation"
    OWNERS = "owners of the partner"
    MEMBER = "the member"
    MEMBER_OR_OWNERS = "the member, or the owners if the member left"
    REVIEWERS = "reviewers"
    DECIDING_REVIEWERS = "reviewers who can decide"
    MENTIONED_PEOPLE = "people whom a text mentions"
    PARTNER_AND_MANAGER = "owners, editors, and Alliances manager of the partner"


class Category(StrEnum):
    """Group of notifications with one preference. Emails without a category can't be turned off."""

    DECISIONS = "decisions"
    COMPLIANCE = "compliance"
    BREACHES = "breaches"
    CREDENTIALS = "credentials"
    REVIEWS = "reviews"
    MESSAGES = "messages"
    CHECKS = "checks"
    WARNINGS = "warnings"
    PROGRESS = "progress"
    AGREEMENTS = "agreements"
    MEETINGS = "meetings"
    LABELS = "labels"
    INTRODUCTIONS = "introductions"


# Names of event data in payloads, where they differ. They are those of the API.
PAYLOAD_NAMES = {"due": "due_at", "until": "waiver_expires_at", "compliance_deadline": "compliance_deadline_at"}


class Webhook(Content):
    """Webhook message: its description, and the event data that its payload includes."""

    description: str
    fields: tuple[str, ...] = ()
    is_program_only: bool = False

    @property
    def payload_names(self) -> dict[str, str]:
        """Return the names in the payload by the names of the event data."""
        return {field: PAYLOAD_NAMES.get(field, field) for field in self.fields}


class Email(Content):
    """Email: its template in portal/notifications/templates/notifications/email/ and its audience.

    The actor gets no email, unless the email has a calendar entry. With `is_anonymous`, it is sent only if the event
    names no actor, so that the recipient doesn't learn who acted. `description` says what happened if no webhook does.
    If the email of an earlier event tells the same, the event names it as `included_in` in its data. Who got that email
    gets no other one.
    """

    template: str
    audience: Audience
    category: Category | None = None
    is_anonymous: bool = False
    description: str = ""


class EventType(Content):
    """Type of an audit event. Webhooks use the same key.

    Attributes:
        key: Dotted name: the object and what happened to it.
        action: What the actor did, as in "created the company". Placeholders are filled from the event's data.
        transition: The workflow transition that records it.
        plural_action: The action of `count` such events, if it differs from the action and the count.
        is_internal: Whether it is hidden from the partner.
        is_anonymous: Whether the history hides the name of an unknown actor from the other partner.
        changes_listing: Whether it changes public pages.
        is_in_reports: Whether SLA reports list it among the changes of listing statuses.
    """

    key: str
    action: str
    icon: str
    tone: str = "neutral"
    transition: str = ""
    plural_action: str = ""
    is_internal: bool = False
    is_anonymous: bool = False
    changes_listing: bool = False
    is_in_reports: bool = False
    webhook: Webhook | None = None
    email: Email | None = None


def _load_events(name: str) -> tuple[EventType, ...]:
    return load_section(f"portal/audit/content/{name}.yaml", "events", tuple[EventType, ...])


CATALOG = (*_load_events("integration_events"), *_load_events("support_events"), *_load_events("account_events"))
# Decision 0012: an event of an unknown type can't be recorded, so nothing may add one at run time.
EVENT_TYPES = MappingProxyType({event_type.key: event_type for event_type in CATALOG})
EVENT_TYPES_BY_TRANSITION = MappingProxyType({each.transition: each for each in CATALOG if each.transition})
WEBHOOKS = MappingProxyType({each.key: each.webhook for each in CATALOG if each.webhook})
EMAILS = MappingProxyType({each.key: each.email for each in CATALOG if each.email})
# What happened, by the type of each event that can be an email.
DESCRIPTIONS = MappingProxyType(
    {key: email.description or WEBHOOKS[key].description for key, email in EMAILS.items() if email.category}
)
