"""Models of the sources app: rate limits and cached responses."""

from django.db import models


class GitHubRateLimit(models.Model):
    """What one way to identify ourselves to GitHub may still ask. `name` never holds a secret.

    `limit`, `remaining` and `reset_at` are GitHub's own words. `spent` counts our requests since `hour_from`.
    `blocked_until` and `strikes` are about its secondary limits; `dead_at` is set when it must not be used again.
    """

    name = models.CharField(max_length=80, unique=True)
    limit = models.PositiveIntegerField()
    remaining = models.PositiveIntegerField(null=True, blank=True)
    reset_at = models.DateTimeField(null=True, blank=True)
    hour_from = models.DateTimeField()
    spent = models.PositiveIntegerField(default=0)
    blocked_until = models.DateTimeField(null=True, blank=True)
    strikes = models.PositiveSmallIntegerField(default=0)
    dead_at = models.DateTimeField(null=True, blank=True)
    dead_why = models.CharField(max_length=300, blank=True)

    def __str__(self) -> str:
        return f"{self.name}: {self.spent} of {self.limit} since {self.hour_from:%H:%M}"


class HttpCacheEntry(models.Model):
    """Last answer of an address, for conditional requests. `body`: compressed JSON text.

    `final`: the content cannot change (the address contains a commit), so it is not requested again.
    """

    address = models.CharField(max_length=500, unique=True)
    etag = models.CharField(max_length=200, blank=True)
    body = models.BinaryField()
    final = models.BooleanField(default=False)
    at = models.DateTimeField()
    confirmed_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.address
