"""API tokens and idempotency records."""

from datetime import datetime
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q

from integrations.partners.models import Partner
from portal.accounts.models import User


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def owned_by(self, owner: User | Partner) -> "ApiTokenQuerySet":
        """Return the tokens of a company, or of a person."""
        return self.filter(partner=owner) if isinstance(owner, Partner) else self.filter(user=owner)

    def live(self, now: datetime) -> "ApiTokenQuerySet":
        return self.filter(revoked_at=None, expires_at__gt=now)


class ApiToken(models.Model):
    """API token, stored as its SHA-256 digest. `partner` is set for partner tokens.

    `user` is the person who owns the token, or the partner token's technical user, who can't sign in.
    """

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    name = models.CharField(max_length=60)
    prefix = models.CharField(max_length=12)
    # Not a password hash: 190 random bits can't be guessed, and each request computes the digest.
    digest = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    partner = models.ForeignKey("partners.Partner", models.CASCADE, null=True, related_name="api_tokens")
    role = models.CharField(max_length=10, blank=True)
    scopes = models.JSONField(default=list)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    warned_at = models.DateTimeField(null=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at", "-pk")
        indexes = [
            models.Index(
                fields=["expires_at"], name="api_token_expiry_warning", condition=Q(revoked_at=None, warned_at=None)
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class IdempotencyRecord(models.Model):
    """Stored response to a request with an Idempotency-Key. `status` is 0 while the request runs."""

    token = models.ForeignKey(ApiToken, models.CASCADE, related_name="idempotency_records")
    key = models.CharField(max_length=128)
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    headers = models.JSONField(default=dict)
    body = models.BinaryField(default=bytes)
    at = models.DateTimeField(db_index=True)

    class Meta:
        # Of two parallel requests with the same key, only one can create the record and run.
        constraints = [models.UniqueConstraint(fields=["token", "key"], name="idempotency_record_unique_token_key")]

    def __str__(self) -> str:
        return f"{self.key} of {self.token}: {self.status or 'in progress'}"
