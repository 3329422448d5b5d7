"""Changes of a partner: lock, check permission, write, and record one event."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from integrations.partners import permissions, refusals
from integrations.partners.models import ConflictKind, Invitation, Partner
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.audit.services import record_event
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues


@dataclass
class PartnerChange:
    """Change of a locked partner by an actor, who is None for the portal itself."""

    partner: Partner
    actor: AnyUser | None
    now: datetime

    def require_manager(self) -> None:
        """Raise ActionRefused unless the actor is an owner."""
        refusals.require_permission(permissions.can_manage_partner, self.partner, self.actor)

    def require_decider(self, note: str, name: str | None) -> None:
        """Raise ActionRefused unless the actor can decide on the partner and gives a reason.

        `name`: the name that the actor read, which an owner can have changed since.
        """
        refusals.require_permission(permissions.can_decide_on_partner, self.partner, self.actor)
        if name not in (None, self.partner.name):
            message = _("The name is now “%(name)s”. Return to the page of the company and read it again.")
            raise ActionRefused(message % {"name": self.partner.name}, "conflict")
        if not note.strip():
            raise ActionRefused(_("Enter a reason. We record it with the decision."), "validation-error")

    def record(
        self,
        event_type: str,
        *,
        note: str = "",
        person: User | None = None,
        invitation: Invitation | None = None,
        **data: object,
    ) -> None:
        """Record the event, with the person or invitation that it is about."""
        event_data: NamedValues = data
        if person is not None:
            event_data |= {"person": person.pk, "name": str(person)}
        if invitation is not None:
            event_data |= {"invitation": invitation.pk, "email": invitation.email}
        record_event(self.partner, event_type, actor=self.actor, now=self.now, note=note, **event_data)

    def store_conflict(self, reviewer: User, kind: ConflictKind, reason: str) -> None:
        """Store a conflict of interest, also one that was removed before, and record it."""
        fields = {"kind": kind, "reason": reason, "recorded_at": self.now, "removed_at": None}
        self.partner.conflicts.update_or_create(user=reviewer, defaults=fields)
        self.record("partner.conflict_recorded", person=reviewer, note=reason, kind=str(kind))


@contextmanager
def change_partner(
    partner_id: int, *, actor: AnyUser | None, now: datetime, member: User | None = None
) -> Iterator[PartnerChange]:
    """Lock a partner, so that its changes are serialized. Cached roles of the actor and the member are cleared."""
    with transaction.atomic():
        # `no_key`: a change of an integration holds its row and can still insert events about the partner. Otherwise,
        # both would wait for each other.
        partner = Partner.objects.select_for_update(of=("self",), no_key=True).get(pk=partner_id)
        if partner.merged_into is not None:
            raise ActionRefused(_("This company was merged into %(name)s.") % {"name": partner.merged_into}, "conflict")
        for person in (actor, member):
            permissions.clear_cached_roles(person)
        # Before the change, because another request may have changed the roles, and after it, because this one may.
        yield PartnerChange(partner, actor, now)
        for person in (actor, member):
            permissions.clear_cached_roles(person)
