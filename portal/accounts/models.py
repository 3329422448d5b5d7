"""User accounts, identified by email address, with their roles and their security log."""

from typing import ClassVar
from zoneinfo import available_timezones

from django.contrib.auth.models import AbstractUser, UserManager
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils.translation import gettext

DELETED_EMAIL_DOMAIN = "deleted.invalid"  # of accounts without personal data; can never receive email (RFC 2606)


class EmailUserManager(UserManager["User"]):
    """Manager that creates users by email address and finds reviewers."""

    def create_user(self, email: str, password: str | None = None, **fields: object) -> "User":  # type: ignore[override]
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def active_reviewers(self) -> "models.QuerySet[User]":
        """Return the people who can be assigned as reviewers, of all programs."""
        return self.filter(is_reviewer=True, is_active=True)


def validate_time_zone(value: str) -> None:
    """Raise ValidationError for an unknown time zone."""
    if value not in available_timezones():
        raise ValidationError(gettext("Unknown time zone."))


class User(AbstractUser):
    """User account. Roles change only through portal.accounts.roles.

    `is_reviewer` can decide on integrations, `is_staff` can open the admin site, and `is_auditor` reads everything and
    changes nothing. `program_roles` are roles in one program, such as "manager:nomad". With a "reviewer:" entry, a
    reviewer decides only in the listed programs.
    """

    username = None  # type: ignore[assignment]
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    email = models.EmailField("email address", unique=True)
    name = models.CharField("name", max_length=120, blank=True)
    zone = models.CharField("time zone", max_length=64, default="UTC", validators=[validate_time_zone])
    zone_chosen = models.BooleanField(
        "time zone selected by user",
        default=False,
        help_text="If not selected, the portal uses the browser's time zone.",
    )
    is_reviewer = models.BooleanField("reviewer", default=False, help_text="Decides on integrations for the programs.")
    is_auditor = models.BooleanField("auditor", default=False, help_text="Reads everything and changes nothing.")
    program_roles = models.JSONField("roles in programs", default=list, blank=True)
    roles_revoked_at = models.DateTimeField(null=True, editable=False)  # last time that a role was revoked

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects: ClassVar[EmailUserManager] = EmailUserManager()

    class Meta:
        # In practice, mail servers ignore letter case, so two such addresses would reach the same person.
        constraints = [models.UniqueConstraint(Lower("email"), name="user_unique_email")]
        # people who can be assigned, a small share of all accounts; see permission_conditions.WRITES_FOR_PROGRAMS
        indexes = [
            models.Index(
                fields=["name"],
                condition=(Q(is_reviewer=True) | Q(is_staff=True) | ~Q(program_roles=[])) & Q(is_active=True),
                name="user_writes_for_programs",
            )
        ]

    def __str__(self) -> str:
        return self.name or self.email

    def get_full_name(self) -> str:
        return str(self)

    def get_short_name(self) -> str:
        return (self.name or self.email).split("@")[0].split(" ")[0]


class RoleRequest(models.Model):
    """Grant of the administrator role that waits for the approval of a second administrator."""

    user = models.ForeignKey(User, models.CASCADE, related_name="role_requests")
    requested_by = models.ForeignKey(User, models.CASCADE, related_name="+")
    reason = models.CharField(max_length=200)
    requested_at = models.DateTimeField()

    class Meta:
        ordering = ("requested_at",)
        constraints = [models.UniqueConstraint(fields=["user"], name="role_request_unique_user")]

    def __str__(self) -> str:
        return f"administrator role of {self.user}"


class StaffInvitation(models.Model):
    """Invitation of one email address to roles. Only the hash of its token is stored."""

    email = models.EmailField("email address")
    roles = models.JSONField(default=list)
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, models.CASCADE, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at",)
        constraints = [
            # Two people can invite the same address at once.
            models.UniqueConstraint(
                fields=["email"],
                condition=Q(accepted_at=None, revoked_at=None),
                name="staff_invitation_unique_open_email",
            )
        ]

    def __str__(self) -> str:
        return f"{self.email}: {', '.join(self.roles)}"


class SecurityEvent(models.Model):
    """Entry of an account's security log. Sign-in attempts with an unknown address have no `user`."""

    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="security_events")
    kind = models.CharField(max_length=40)
    at = models.DateTimeField(db_index=True)
    address = models.EmailField(blank=True)  # address entered in a failed sign-in
    actor = models.CharField(max_length=150, blank=True)  # person other than the account's owner
    detail = models.CharField(max_length=200, blank=True)
    ip = models.GenericIPAddressField(null=True)
    user_agent = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ("-at", "-pk")
        indexes = (models.Index(fields=["user", "-at"], name="security_event_user_at"),)

    def __str__(self) -> str:
        return f"{self.kind} of {self.user or self.address}"
