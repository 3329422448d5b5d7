"""What can staff see and do in the admin pages? Look at integrations; state is read-only, steps use the one door."""

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html

from integrations.submissions.models import Integration, Introduction
from portal.core.admin import ReadOnlyAdminMixin


@admin.register(Integration)
class IntegrationAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):  # type: ignore[type-arg]
    """Every fact read-only; the link leads to the page where steps are taken through the one door."""

    list_display = ("name", "partner", "program_key", "stage", "step", "listing_status", "responsible_party", "steps")
    list_filter = ("program_key", "stage", "listing_status", "responsible_party")
    search_fields = ("name", "partner__name", "repository")
    list_select_related = ("partner",)

    @admin.display(description="steps")
    def steps(self, obj: Integration) -> str:
        return format_html('<a href="{}">Open its page</a>', reverse("review", args=[obj.uuid]))


@admin.register(Introduction)
class IntroductionAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):  # type: ignore[type-arg]
    """Who asked to be introduced to whom."""

    list_display = ("asking", "other", "state", "asked_at", "decided_at")
