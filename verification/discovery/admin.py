"""Admin page of discoveries, read-only: the page of the person who entered the address changes them."""

from django.contrib import admin

from portal.core.admin import ReadOnlyAdminMixin
from verification.discovery.models import Discovery


@admin.register(Discovery)
class DiscoveryAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):
    """Discoveries, newest first."""

    list_display = ("address", "kind", "program_key", "problem", "requested_by", "created_at", "integration")
    list_filter = ("kind", "problem", "program_key")
    list_select_related = ("requested_by", "integration")
    search_fields = ("address", "name")
    ordering = ("-created_at",)
