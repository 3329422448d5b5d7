"""Admin pages of the audit log."""

from django.contrib import admin

from portal.audit.models import Event
from portal.core.admin import ReadOnlyAdminMixin


@admin.register(Event)
class EventAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):  # type: ignore[type-arg]
    """The history, for looking things up."""

    list_display = ("at", "stream", "seq", "verb", "actor", "internal")
    list_filter = ("verb", "internal")
    search_fields = ("stream", "actor", "note")
