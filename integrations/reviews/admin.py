"""Admin pages of reviews."""

from django.contrib import admin

from integrations.reviews.models import ReviewerProfile
from portal.core.admin import ReadOnly


@admin.register(ReviewerProfile)
class ReviewerProfileAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """What each reviewer takes on."""

    list_display = ("user", "programs", "most_open", "away_from", "away_until")
