"""Admin pages of the audit log."""

from django.contrib import admin

from portal.audit.models import AuditEvent
from portal.core.admin import ReadOnlyAdminMixin


@admin.register(AuditEvent)
class EventAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):
    """Read-only list of audit events."""

    list_display = ("at", "stream", "seq", "event_type", "actor", "internal")
    list_filter = ("event_type", "internal")
    search_fields = ("stream", "actor", "note")
