"""URLs of the inbox app."""

from django.urls import path

from portal.inbox.views import audit_log, email_log, preferences

app_name = "inbox"
urlpatterns = [
    path("notifications/preferences/", preferences.edit_preferences, name="preferences"),
    path("notifications/calendar/", preferences.create_calendar_feed, name="create_calendar_feed"),
    path("notifications/stop/<str:token>/", preferences.stop_notifications, name="stop"),
    path("calendar/<str:token>.ics", preferences.show_calendar, name="calendar_feed"),
    path("audit-log/", audit_log.show_audit_log, name="audit_log"),
    path("emails/", email_log.show_email_log, name="email_log"),
    path("emails/<uuid:uuid>/", email_log.show_email, name="email"),
    path("notifications/", email_log.show_notifications, name="list"),
    path("notifications/read/", email_log.mark_all_as_read, name="mark_all_as_read"),
]
