"""People who can see an integration: members of its company and program staff."""

from dataclasses import dataclass

from django.db.models import F, FilteredRelation, Q

from integrations.partners.models import Role
from integrations.submissions.models import Integration
from portal.accounts.models import User

ACTING_ROLES = (Role.OWNER, Role.EDITOR)


@dataclass(frozen=True, slots=True)
class Participant:
    """Active user who can see an integration. `role` is the role in its company, blank for program staff."""

    user: User
    role: str

    @property
    def role_label(self) -> str:
        return str(Role(self.role).label) if self.role else ""

    @property
    def is_acting_member(self) -> bool:
        """Whether the user acts for the company, and is notified of what happens."""
        return self.role in ACTING_ROLES


def list_participants(integration: Integration) -> list[Participant]:
    """Return who can see the integration, members in the order in which they joined, then program staff."""
    current_membership = Q(memberships__partner=integration.partner_id, memberships__ended_at=None)
    users = (
        User.objects.filter(is_active=True)
        .annotate(membership=FilteredRelation("memberships", condition=current_membership))
        .filter(Q(membership__isnull=False) | Q(is_reviewer=True) | Q(is_staff=True))
        .annotate(role=F("membership__role"))
        .order_by(F("membership__pk").asc(nulls_last=True), "pk")
    )
    return [Participant(user, user.role or "") for user in users]
