"""What do lists, feeds and the API read of the directory? One row a listing, kept when something happens to it.

Nothing here is the truth: `portal.directory.services` derives every row from the integration, and a drift check
compares.
"""

from uuid import uuid4

from django.db import models


class Listing(models.Model):
    """What everyone may know of one integration that is or was listed, in the shape that lists need.

    `summary` is the first line of what its company says of it, `blurb` all of that text.
    `listing_status`: listed, suspended, community, removed or ended. `tier` is blank where none may be shown. `words`:
    what a search looks at, in plain letters. `versions`: [{version, platforms or null, since}], highest first;
    `platforms`: those of the newest, each between spaces (" darwin_arm64 linux_amd64 "). `share` in per cent,
    `median_hours` in hours, both of the last 90 days; `rank` sorts by the support record.
    """

    integration = models.OneToOneField(
        "submissions.Integration", models.CASCADE, primary_key=True, related_name="listing"
    )
    uuid = models.UUIDField(unique=True)
    partner = models.ForeignKey("partners.Partner", models.CASCADE, related_name="listings")
    publisher = models.CharField(max_length=120)
    publisher_slug = models.CharField(max_length=80)
    name = models.CharField(max_length=80)
    name_plain = models.CharField(max_length=200)
    program = models.CharField(max_length=40)
    product = models.CharField(max_length=40)
    track = models.CharField(max_length=20, blank=True)
    category = models.CharField(max_length=60, blank=True)
    category_name = models.CharField(max_length=80, blank=True)
    tier = models.CharField(max_length=40, blank=True)
    tier_name = models.CharField(max_length=80, blank=True)
    listing_status = models.CharField(max_length=12)
    listing_status_since = models.DateTimeField(null=True)
    summary = models.CharField(max_length=300, blank=True)
    blurb = models.CharField(max_length=1000, blank=True)
    has_logo = models.BooleanField(default=False)
    words = models.TextField()
    listed_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    version = models.CharField(max_length=60, blank=True)
    versions = models.JSONField(default=list)
    platforms = models.CharField(max_length=500, blank=True)
    share = models.FloatField(null=True)
    settled = models.PositiveIntegerField(default=0)
    median_hours = models.FloatField(null=True)
    answers = models.PositiveIntegerField(default=0)
    rank = models.IntegerField(default=-1)
    figures_at = models.DateTimeField(db_index=True)

    class Meta:
        indexes = [
            models.Index(fields=["-listed_at", "-integration"], name="listing_listed_at"),
            models.Index(fields=["name_plain", "integration"], name="listing_name"),
            models.Index(fields=["-rank", "-settled", "-integration"], name="listing_support_rank"),
            models.Index(fields=["partner", "program"], name="listing_partner_program"),
            # every figure beside a filter, without a look at the rows themselves
            models.Index(fields=["program", "track", "category", "tier", "listing_status"], name="listing_facets"),
        ]

    def __str__(self) -> str:
        return f"{self.name} by {self.publisher}: {self.listing_status}"


class ListingChange(models.Model):
    """Something that everyone may know happened to a listing. Written once, in the order in which it happened."""

    class Kind(models.TextChoices):
        NEW = "new", "New"
        CHANGED = "changed", "Changed"
        SUSPENDED = "suspended", "Suspended"
        DELISTED = "delisted", "Removed"

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    listing = models.ForeignKey(Listing, models.CASCADE, related_name="changes")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    said = models.CharField(max_length=300)
    at = models.DateTimeField()

    class Meta:
        ordering = ("-at", "-pk")
        indexes = [models.Index(fields=["-at", "-id"], name="listing_change_at")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.said}"
