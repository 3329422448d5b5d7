"""Partners, memberships, invitations, and join requests. Pages call the user's own partner "your company"."""

import secrets
from typing import TYPE_CHECKING, Unpack

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from integrations.partners.reserved_names import compute_lookalike_key
from portal.core.django_arguments import SaveArguments
from portal.core.name_matching import compute_name_key, compute_skeleton
from portal.core.value_types import NamedValues

if TYPE_CHECKING:
    from portal.accounts.models import User


def generate_verification_token() -> str:
    """Return an unguessable token, which a company publishes to prove that it owns a domain or an organization."""
    # One for each company: a record that another company published proves nothing for this one.
    return secrets.token_hex(16)


class VerificationState(models.TextChoices):
    """State of the check that a company is real. Only a verified company is public."""

    UNVERIFIED = "unverified", gettext_lazy("Unverified")
    VERIFIED = "verified", gettext_lazy("Verified")
    NEEDS_DECISION = "needs_decision", gettext_lazy("Needs a decision")
    REJECTED = "rejected", gettext_lazy("Rejected")
    CLOSED = "closed", gettext_lazy("Closed")


class Partner(models.Model):
    """Company that builds integrations. The unique `skeleton` refuses names that read the same.

    Attributes:
        lookalike_key: The folded name. It finds similar names, which need a decision of the program.
        verification_state: Set by `verification` and `name_decisions` in `integrations.partners.services`.
        merged_into: The company that took over everything of this one, which is closed.
        approved_name: The name that the program approved although it looks like another one.
    """

    name = models.CharField("name", max_length=120)
    skeleton = models.CharField(max_length=160, unique=True, editable=False)
    name_key = models.CharField(max_length=120, db_index=True, editable=False)
    # Not unique, unlike `skeleton`: a similar name needs a decision and can be approved.
    lookalike_key = models.CharField(max_length=120, db_index=True, editable=False, default="")
    slug = models.SlugField(max_length=80, unique=True)
    # RFC 1035, section 2.3.4: a name has at most 255 octets in a message, which are 253 characters as text.
    domain = models.CharField("email domain", max_length=253, blank=True, db_index=True)
    website = models.URLField("website", blank=True)
    alliances_manager = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="managed_partners",
        limit_choices_to={"is_reviewer": True},
        verbose_name=gettext_lazy("Alliances manager"),
    )
    created_at = models.DateTimeField()
    verification_state = models.CharField(
        max_length=20, choices=VerificationState.choices, default=VerificationState.UNVERIFIED, editable=False
    )
    # The pages of a merged company redirect to the other one, which therefore can't be deleted.
    merged_into = models.ForeignKey("self", models.PROTECT, null=True, related_name="merged_partners", editable=False)
    approved_name = models.CharField(max_length=120, blank=True, editable=False)
    verification_token = models.CharField(max_length=32, default=generate_verification_token, editable=False)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    def save(self, **kwargs: Unpack[SaveArguments]) -> None:
        # Derived here, so that no writer can change the name without its keys.
        self.skeleton = compute_skeleton(self.name)
        self.name_key = compute_name_key(self.name)
        self.lookalike_key = compute_lookalike_key(self.name)
        super().save(**kwargs)

    @property
    def is_awaiting_decision(self) -> bool:
        return self.verification_state == VerificationState.NEEDS_DECISION

    @property
    def is_rejected(self) -> bool:
        return self.verification_state == VerificationState.REJECTED

    @property
    def is_verified(self) -> bool:
        return self.verification_state == VerificationState.VERIFIED

    @property
    def audit_stream(self) -> str:
        return f"partner:{self.pk}"

    @property
    def audit_fields(self) -> NamedValues:
        return {"stream": self.audit_stream, "partner": self}

    def list_members(self, *roles: str) -> list["User"]:
        """Return the active users who are members, in the order in which they joined. Without roles, with any role."""
        memberships = self.memberships.filter(ended_at=None, user__is_active=True, role__in=roles or Role.values)
        return [membership.user for membership in memberships.select_related("user").order_by("pk")]


class Role(models.TextChoices):
    """Roles of members: viewers read, editors also change integrations, owners also manage members."""

    OWNER = "owner", gettext_lazy("Owner")
    EDITOR = "editor", gettext_lazy("Editor")
    VIEWER = "viewer", gettext_lazy("Viewer")


class Membership(models.Model):
    """Membership of a user in a partner. Memberships end and are never deleted."""

    partner = models.ForeignKey(Partner, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    joined_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["partner", "user"], condition=Q(ended_at=None), name="membership_unique_current"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.partner} · {self.role}"


class Invitation(models.Model):
    """Invitation for one email address. Only the hash of its token is stored."""

    partner = models.ForeignKey(Partner, models.CASCADE, related_name="invitations")
    email = models.EmailField("email address")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.EDITOR)
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.email} to {self.partner}"


class JoinRequest(models.Model):
    """Request of a user to join a partner. The partner's owners decide."""

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("Waiting")
        ACCEPTED = "accepted", gettext_lazy("Accepted")
        DECLINED = "declined", gettext_lazy("Declined")

    partner = models.ForeignKey(Partner, models.CASCADE, related_name="join_requests")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="join_requests")
    message = models.CharField(max_length=500, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    created_at = models.DateTimeField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["partner", "user"], condition=Q(state="waiting"), name="join_request_unique_waiting"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} to {self.partner}"
