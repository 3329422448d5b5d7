"""GitHub grants: encrypted tokens that give the portal a person's read access."""

from datetime import datetime, timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models

from portal.core.crypto import Secret
from portal.core.encrypted_fields import EncryptedField, EncryptedRow

# A token must last for the requests that begin now.
REFRESH_BEFORE = timedelta(minutes=5)


class GitHubGrant(EncryptedRow):
    """Access that a person granted. `account_id` is GitHub's ID of the account, which stays the same if it is renamed.

    A revoked grant keeps no tokens. `expires_at` is blank for tokens that don't expire.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="github_grant")
    account_id = models.PositiveBigIntegerField()
    login = models.CharField(max_length=100)
    access_token = EncryptedField(default=b"", blank=True)
    refresh_token = EncryptedField(default=b"", blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    granted_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    TOKEN_FIELDS: ClassVar = ("access_token", "refresh_token", "expires_at")

    class Meta:
        verbose_name = "GitHub grant"

    def __str__(self) -> str:
        return f"{self.user} as {self.login}"

    @property
    def is_active(self) -> bool:
        return self.revoked_at is None

    @property
    def source_name(self) -> str:
        """Name under which requests are counted and responses cached: other grants never share them."""
        # A person can connect another account, which must not see what the first one read.
        return f"github-grant-{self.user_id}-{self.account_id}"

    def build_encryption_context(self, name: str) -> str:
        return f"GitHub grant of user {self.user_id}: {name}"

    def needs_refresh(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now + REFRESH_BEFORE

    def set_tokens(self, access_token: str, refresh_token: str, expires_at: datetime | None) -> None:
        """Set encrypted tokens. A blank refresh token means that the access token can't be refreshed."""
        self.encrypt("access_token", Secret(access_token))
        self.encrypt("refresh_token", Secret(refresh_token))
        self.expires_at = expires_at
