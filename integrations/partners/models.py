"""Partners: companies with members, proofs, calendars, and conflicts. Pages call the user's own one "your company"."""

import secrets
from datetime import date, datetime
from typing import TYPE_CHECKING, Unpack
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from integrations.partners.reserved_names import compute_lookalike_key
from portal.core.business_time import Calendar
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
        verification_state: Set by `verification` and `profiles` in `integrations.partners.services`.
        merged_into: The company that took over everything of this one, which is closed.
        approved_name: The name that the program approved although it looks like another one.
        contacts_requested_at: When the owners were last asked to confirm the contacts.
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
    contacts_confirmed_at = models.DateTimeField(null=True, editable=False)
    contacts_requested_at = models.DateTimeField(null=True, editable=False)
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


class VerificationMethod(models.TextChoices):
    """What proves that a company is real."""

    DNS = "dns", gettext_lazy("DNS record")
    EMAIL = "email", gettext_lazy("Email address")
    GITHUB = "github", gettext_lazy("GitHub organization")
    DECISION = "decision", gettext_lazy("Decision of the program")


DOMAIN_METHODS = (VerificationMethod.DNS, VerificationMethod.EMAIL)


class PartnerVerification(models.Model):
    """Proof that a partner is real.

    Attributes:
        subject: The proven domain or GitHub organization. Blank for a decision.
        verified_by: The person who has the address, started the check, or decided.
    """

    partner = models.ForeignKey(Partner, models.CASCADE, related_name="verifications")
    method = models.CharField(max_length=10, choices=VerificationMethod.choices)
    subject = models.CharField(max_length=253, blank=True)
    verified_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    verified_at = models.DateTimeField()

    class Meta:
        ordering = ("verified_at", "pk")
        constraints = [
            models.UniqueConstraint(fields=["partner", "method", "subject"], name="partner_verification_unique")
        ]

    def __str__(self) -> str:
        return f"{self.partner} · {self.method} · {self.subject}"


class PartnerCalendarQuerySet(models.QuerySet["PartnerCalendar"]):
    def get_in_force(self, moment: datetime) -> "PartnerCalendar | None":
        """Return the edition that applies to a clock starting at this time, or None."""
        # A clock keeps the edition with which it started, so later changes don't move its due date.
        return self.filter(valid_from__lte=moment).order_by("valid_from", "pk").last()


class PartnerCalendar(models.Model):
    """Immutable edition of a partner's business days, valid until the next edition.

    `workdays` holds weekday numbers, Monday is 0. `holidays` and `extra_days` map ISO dates to names. The holidays are
    a snapshot, so that an update of the holidays library doesn't move due dates.
    """

    partner = models.ForeignKey(Partner, models.CASCADE, related_name="calendars")
    valid_from = models.DateTimeField()
    zone = models.CharField(max_length=60, default="UTC")
    workdays = models.JSONField(default=list)
    country = models.CharField(max_length=2, blank=True)
    subdivision = models.CharField(max_length=20, blank=True)
    holidays = models.JSONField(default=dict)
    extra_days = models.JSONField(default=dict)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()

    objects = PartnerCalendarQuerySet.as_manager()

    class Meta:
        ordering = ("valid_from", "pk")

    def __str__(self) -> str:
        return f"{self.partner}: {self.zone} from {self.valid_from:%Y-%m-%d}"

    @property
    def calendar(self) -> Calendar:
        """Return the edition in the form that the SLA clock uses."""
        # From the snapshot: an update of the holidays library must not move due dates.
        names = {date.fromisoformat(day): str(name) for day, name in (self.holidays | self.extra_days).items()}
        return Calendar(ZoneInfo(self.zone), frozenset(self.workdays), frozenset(names), names)


class ConflictKind(models.TextChoices):
    """Reason why a reviewer can't decide about a company. The portal derives all but the first."""

    MARKED = "marked", gettext_lazy("Worked for this company before")
    FORMER_MEMBER = "former_member", gettext_lazy("Former member of this company")
    EMAIL_DOMAIN = "email_domain", gettext_lazy("Email address at the company's domain")
    OWN_SUBMISSION = "own_submission", gettext_lazy("Own submission")


class ConflictOfInterest(models.Model):
    """Recorded conflict of a reviewer. A removed one also overrides a conflict that the portal derives."""

    partner = models.ForeignKey(Partner, models.CASCADE, related_name="conflicts")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="conflicts")
    kind = models.CharField(max_length=20, choices=ConflictKind.choices)
    reason = models.CharField(max_length=300)
    recorded_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("recorded_at", "pk")
        constraints = [models.UniqueConstraint(fields=["partner", "user"], name="conflict_unique")]

    def __str__(self) -> str:
        return f"{self.user} and {self.partner}"
