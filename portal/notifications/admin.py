"""Read-only admin pages for emails and their delivery."""

from django.contrib import admin

from portal.core.admin import ReadOnlyAdminMixin
from portal.notifications.models import EmailMessage


@admin.register(EmailMessage)
class EmailAdmin(ReadOnlyAdminMixin, admin.ModelAdmin):
    """Emails, newest first."""

    # Their links sign in, unsubscribe, or download without a password.
    exclude = ("text", "html", "calendar", "unsubscribe")
    list_display = ("created_at", "subject", "to", "state", "last_error")
    list_filter = ("state", "name")
    search_fields = ("subject", "to", "key")
