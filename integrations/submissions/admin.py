"""Admin pages of submissions. All fields are read-only because transitions need their guards and records."""

from django.contrib import admin
from django.urls import reverse

from integrations.submissions.models import Integration, Introduction
from portal.core.admin import ReadOnlyAdminMixin
from portal.ui.components.inline import link


@admin.register(Integration)
class IntegrationAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):
    """Read-only admin page of integrations with a link to the review page."""

    list_display = (
        "name",
        "partner",
        "program_key",
        "stage",
        "step",
        "listing_status",
        "responsible_party",
        "review_link",
    )
    list_filter = ("program_key", "stage", "listing_status", "responsible_party")
    search_fields = ("name", "partner__name", "repository")
    list_select_related = ("partner",)

    @admin.display(description="actions")
    def review_link(self, obj: Integration) -> str:
        return link("Open review page", href=reverse("reviews:review", args=[obj.uuid]))


@admin.register(Introduction)
class IntroductionAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):
    """Read-only admin page of introductions."""

    list_display = ("requester", "recipient", "state", "asked_at", "decided_at")
