"""Audit log: append-only events, each sealed with a key that is not in the database and linked to the previous one.

Events copy names and store user IDs without a foreign key. The history therefore never blocks a deletion and never
changes with one. A database trigger rejects updates and, on PostgreSQL, deletions.
"""

from datetime import UTC

from django.db import models
from django.utils.translation import gettext as _, gettext_noop

from portal.audit.event_types import EVENT_TYPES, EventType
from portal.audit.seals import compute_seal, get_newest_key_id

# Only an event that someone wrote to the database has an unknown type.
UNKNOWN_ACTION = gettext_noop("recorded an event of an unknown type")
MAX_ISSUES_LISTED = 3  # in a sentence
OUTCOME_LABELS = {
    "pass": gettext_noop("passed"),
    "warn": gettext_noop("passed with a warning"),
    "fail": gettext_noop("failed"),
    "not_run": gettext_noop("not run"),
    "error": gettext_noop("couldn't be completed"),
}


# The texts of the catalog change, and old events lack the data of newer ones.
class _LenientValues(dict[str, object]):
    """Event data in which a missing value renders as an ellipsis."""

    def __missing__(self, key: str) -> str:
        return "…"


def _list_issues(issues: object) -> str:
    """Return the first names, and how many more there are."""
    issues = issues if isinstance(issues, list) else []
    names = list(dict.fromkeys(str(issue.get("name")) for issue in issues if isinstance(issue, dict)))
    listed = ", ".join(names[:MAX_ISSUES_LISTED])
    count = len(names) - MAX_ISSUES_LISTED
    return _("%(names)s, and %(count)s more") % {"names": listed, "count": count} if count > 0 else listed


def _describe_outcome(code: str) -> str:
    return _(OUTCOME_LABELS[code]) if code in OUTCOME_LABELS else code


class AuditEventQuerySet(models.QuerySet["AuditEvent"]):
    """Queries of the append-only log."""

    def visible_to_partner(self) -> "AuditEventQuerySet":
        return self.filter(internal=False)

    def update(self, **values: object) -> int:
        raise TypeError("Events are append-only.")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise TypeError("Events are append-only.")


class AuditEvent(models.Model):
    """Event in a stream such as "integration:7" or "partner:3", linked to the previous event by its hash."""

    stream = models.CharField(max_length=100)
    seq = models.PositiveIntegerField()
    # Decision 0007: the log is never pruned, and a deletion in the middle of a chain would look like a manipulation.
    integration = models.ForeignKey("submissions.Integration", models.PROTECT, null=True, related_name="events")
    partner = models.ForeignKey("partners.Partner", models.PROTECT, null=True, related_name="events", db_index=False)
    event_type = models.CharField(max_length=40)
    actor_id = models.BigIntegerField(null=True)
    actor = models.CharField(max_length=254, blank=True)  # the email address of a person without a name
    note = models.TextField(blank=True)
    data = models.JSONField(default=dict)
    internal = models.BooleanField(default=False)
    at = models.DateTimeField(db_index=True)
    before = models.CharField(max_length=64, blank=True)
    key_id = models.CharField(max_length=16, default="")
    hash = models.CharField(max_length=64)

    objects = AuditEventQuerySet.as_manager()

    class Meta:
        ordering = ("seq",)
        constraints = [models.UniqueConstraint(fields=["stream", "seq"], name="audit_event_unique_stream_seq")]
        indexes = (
            models.Index(fields=["actor_id", "-at"], name="audit_event_actor_at"),
            # Finds a reviewer's earlier reviews for a company without scanning the company's history.
            models.Index(fields=["partner", "event_type", "actor_id"], name="audit_event_partner_type_actor"),
        )

    def __str__(self) -> str:
        return f"{self.stream} {self.seq} {self.event_type}"

    def save(self, *args: object, **kwargs: object) -> None:
        if self.pk is not None:
            raise TypeError("Events are append-only.")
        self.seal()
        super().save(*args, **kwargs)

    def delete(self, *args: object, **kwargs: object) -> tuple[int, dict[str, int]]:
        raise TypeError("Events are append-only.")

    @property
    def anchor(self) -> str:
        return f"event-{self.seq}"

    @property
    def summary(self) -> str:
        """Return the actor's name and the action."""
        return f"{self.actor_name} {self.action}"

    @property
    def type(self) -> EventType:
        """Return the entry of the catalog."""
        return EVENT_TYPES.get(self.event_type) or EventType(self.event_type, UNKNOWN_ACTION, "triangle-alert", "bad")

    @property
    def actor_name(self) -> str:
        """Return the actor's name, “The portal” for automatic events, or “Someone” if the name is private."""
        return self.actor or (_("Someone") if self.type.is_anonymous else _("The portal"))

    @property
    def action(self) -> str:
        """Return what the actor did, as in "created the company"."""
        data = self.data if isinstance(self.data, dict) else {}  # the log also shows events that were tampered with
        values = {
            "until_day": str(data.get("until", ""))[:10],
            "outcome_label": _describe_outcome(str(data.get("outcome", ""))),
            "new_or_none": str(data.get("new", "")) or _("none"),
            "issue_names": _list_issues(data.get("issues")),
            **{key: value for key, value in data.items() if isinstance(value, str | int)},
        }
        return _(self.type.action).format_map(_LenientValues(values))

    def seal(self) -> None:
        """Seal the finished row with the newest key."""
        # The ID of the key is part of what is sealed, so it comes first.
        self.key_id = get_newest_key_id()
        self.hash = self.compute_hash()

    def compute_hash(self) -> str:
        """Return the seal of the row's content, including its key ID and the hash of the previous event.

        Raises UnknownKeyError.
        """
        content = [
            self.stream,
            self.seq,
            self.integration_id,
            self.partner_id,
            self.event_type,
            self.actor_id,
            self.actor,
            self.note,
            self.data,
            self.internal,
            self.at.astimezone(UTC).isoformat(),
            self.before,
            self.key_id,
        ]
        return compute_seal("event", content, self.key_id)
