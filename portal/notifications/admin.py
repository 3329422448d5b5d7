"""Read-only admin pages for emails and their delivery."""

from django.contrib import admin

from portal.core.admin import ReadOnlyAdminMixin
from portal.notifications.models import EmailMessage


@admin.register(EmailMessage)
class EmailAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):
    """Emails, newest first."""

    exclude = ("text", "html", "calendar")  # emails can contain sign-in links
    list_display = ("created_at", "subject", "to", "state", "last_error")
    list_filter = ("state", "name")
    search_fields = ("subject", "to", "key")
