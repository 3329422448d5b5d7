"""Admin pages of reviews."""

from django.contrib import admin

from integrations.reviews.models import ReviewerProfile
from portal.core.admin import ReadOnlyAdminMixin


@admin.register(ReviewerProfile)
class ReviewerProfileAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):
    """Read-only admin page of reviewer profiles."""

    list_display = ("user", "programs", "max_open_reviews", "away_from", "away_until")
