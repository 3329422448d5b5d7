"""Models of the directory: listings and their changes, for lists, feeds, and the API.

`portal.directory.services` derives the rows from the integrations. `manage.py rebuild_directory --check` compares them.
"""

from uuid import uuid4

from django.db import models
from django.db.models import Q

from integrations.submissions.public_status import PUBLIC_STATUSES_BY_KEY, PublicListingStatus

UNLISTED_STATUSES = {"community", "delisted", "ended"}


class PublicListingManager(models.Manager["Listing"]):
    """Listings of verified companies, the only ones that the public may see."""

    def get_queryset(self) -> models.QuerySet["Listing"]:
        return super().get_queryset().filter(is_public=True)


class Listing(models.Model):
    """Public data of an integration that is or was listed. `objects` holds only what the public may see.

    Attributes:
        is_public: Whether the company is verified.
        summary: The first line of the description.
        blurb: The complete description.
        listing_status: listed, suspended, community, delisted, or ended.
        search_text: The normalized text for the search.
        versions: [{version, platforms or null, since}], highest version first.
        platforms: The platforms of the latest version between spaces (" darwin_arm64 linux_amd64 ").
        on_time_share: The percentage of SLA targets met in the last 90 days.
        settled_count: The number of SLA targets met or missed in that period.
        measured_target: The SLA targets of the program as text, empty while the issue tracker is not measurable.
        rank: The sort key of the support record.
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
    search_text = models.TextField()
    is_public = models.BooleanField(default=False)
    listed_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    # A Git tag can have 255 characters.
    version = models.CharField(max_length=255, blank=True)
    versions = models.JSONField(default=list)
    platforms = models.CharField(max_length=500, blank=True)
    on_time_share = models.FloatField(null=True)
    settled_count = models.PositiveIntegerField(default=0)
    median_hours = models.FloatField(null=True)
    response_count = models.PositiveIntegerField(default=0)
    median_resolution_hours = models.FloatField(null=True)
    resolution_count = models.PositiveIntegerField(default=0, db_default=0)
    data_incomplete = models.PositiveIntegerField(default=0, db_default=0)
    rank = models.IntegerField(default=-1)
    measured_target = models.CharField(max_length=300, blank=True)
    figures_at = models.DateTimeField(db_index=True)

    # The default manager hides unverified companies, so that no page can show them by mistake.
    objects = PublicListingManager()
    all_objects = models.Manager["Listing"]()

    class Meta:
        indexes = [
            models.Index(fields=["-listed_at", "-integration"], name="listing_listed_at"),
            models.Index(fields=["name_plain", "integration"], name="listing_name"),
            models.Index(fields=["-rank", "-settled_count", "-integration"], name="listing_support_rank"),
            models.Index(fields=["partner", "program"], name="listing_partner_program"),
            # the partner's page: its order, and its counts without reading the table
            models.Index(
                fields=["partner", "name_plain", "integration", "listing_status", "is_public"],
                name="listing_partner_name",
            ),
            models.Index(fields=["partner", "name_plain"], condition=Q(has_logo=True), name="listing_partner_logo"),
            # covers the counts of all filters
            models.Index(
                fields=[
                    "is_public",
                    "listing_status",
                    "program",
                    "product",
                    "track",
                    "category",
                    "category_name",
                    "tier",
                    "tier_name",
                    "platforms",
                ],
                name="listing_facets",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} by {self.publisher}: {self.listing_status}"

    @property
    def public_status(self) -> PublicListingStatus:
        return PUBLIC_STATUSES_BY_KEY[self.listing_status]

    @property
    def is_unlisted(self) -> bool:
        return self.listing_status in UNLISTED_STATUSES

    @property
    def sla_target(self) -> str:
        """Return the SLA targets to show, empty without a measurable issue tracker."""
        return "" if self.is_unlisted else self.measured_target


class PublicChangeManager(models.Manager["ListingChange"]):
    """Changes of listings that the public may see."""

    def get_queryset(self) -> models.QuerySet["ListingChange"]:
        return super().get_queryset().filter(listing__is_public=True)


class ListingChange(models.Model):
    """Public change of a listing. Rows never change."""

    class Kind(models.TextChoices):
        NEW = "new", "New"
        CHANGED = "changed", "Changed"
        SUSPENDED = "suspended", "Suspended"
        DELISTED = "delisted", "Delisted"
        ENDED = "ended", "Support ended"

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    listing = models.ForeignKey(Listing, models.CASCADE, related_name="changes")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    summary = models.CharField(max_length=300)
    at = models.DateTimeField()

    objects = PublicChangeManager()

    class Meta:
        ordering = ("-at", "-pk")
        indexes = [models.Index(fields=["-at", "-id"], name="listing_change_at")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.summary}"
