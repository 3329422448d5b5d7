"""Storage of conflicts of interest between reviewers and companies."""

from integrations.partners.models import ConflictKind
from integrations.partners.services.changes import PartnerChange
from portal.accounts.models import User


def store_conflict(change: PartnerChange, reviewer: User, kind: ConflictKind, reason: str) -> None:
    """Store a conflict of interest, also one that was removed before, and record it."""
    fields = {"kind": kind, "reason": reason, "recorded_at": change.now, "removed_at": None}
    change.partner.conflicts.update_or_create(user=reviewer, defaults=fields)
    change.record("partner.conflict_recorded", person=reviewer, note=reason, kind=str(kind))
