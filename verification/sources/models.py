"""Models of the sources app: rate limits and cached responses."""

from django.db import models


class GitHubRateLimit(models.Model):
    """Remaining requests of a GitHub credential. `name` never contains a secret.

    `limit`, `remaining`, and `reset_at` come from GitHub. `request_count`: our requests since `window_started_at`.
    `blocked_until` and `strikes` track secondary limits. `disabled_at` is set when GitHub rejects the credential.
    """

    name = models.CharField(max_length=80, unique=True)
    limit = models.PositiveIntegerField()
    remaining = models.PositiveIntegerField(null=True, blank=True)
    reset_at = models.DateTimeField(null=True, blank=True)
    window_started_at = models.DateTimeField()
    request_count = models.PositiveIntegerField(default=0)
    blocked_until = models.DateTimeField(null=True, blank=True)
    strikes = models.PositiveSmallIntegerField(default=0)
    disabled_at = models.DateTimeField(null=True, blank=True)
    disabled_reason = models.CharField(max_length=300, blank=True)

    def __str__(self) -> str:
        return f"{self.name}: {self.request_count} of {self.limit} since {self.window_started_at:%H:%M}"


class HttpCacheEntry(models.Model):
    """Last response of a URL, for conditional requests. `body` is compressed JSON.

    `final`: the content can't change, because the URL contains a commit, so it isn't requested again.
    """

    address = models.CharField(max_length=500, unique=True)
    etag = models.CharField(max_length=200, blank=True)
    body = models.BinaryField()
    final = models.BooleanField(default=False)
    at = models.DateTimeField()
    confirmed_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.address
