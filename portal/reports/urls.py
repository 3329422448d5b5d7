"""URLs of the reports app."""

from django.urls import path

from portal.reports import recipient_views, sla_views, views

app_name = "reports"
urlpatterns = [
    path(
        "reports/confirm/<str:token>/",
        recipient_views.confirm_or_unsubscribe,
        {"is_unsubscribing": False},
        name="confirm_external",
    ),
    path(
        "reports/unsubscribe/<str:token>/",
        recipient_views.confirm_or_unsubscribe,
        {"is_unsubscribing": True},
        name="stop_external",
    ),
    # before the report of a period, whose path also matches
    path("reports/<str:scope>/recipients/", recipient_views.edit_recipients, name="recipients"),
    path("reports/<str:scope>/recipients/add/", recipient_views.add_external_recipient, name="add_recipient"),
    path(
        "reports/<str:scope>/recipients/<int:pk>/remove/",
        recipient_views.remove_external_recipient,
        name="remove_recipient",
    ),
    path("reports/", views.list_reports, name="list"),
    path("reports/subscriptions/", views.update_subscriptions, name="subscriptions"),
    *(
        path(f"reports/files/<str:token>.{form}", views.download_shared_report, {"form": form}, name=f"shared_{form}")
        for form in ("csv", "pdf")
    ),
    path("reports/stop/<str:token>/", views.stop_report, name="stop"),
    path("reports/<str:scope>/<str:period>/", views.show_report, name="detail"),
    *(
        path(f"reports/<str:scope>/<str:period>.{form}", views.download_report, {"form": form}, name=f"detail_{form}")
        for form in views.FILE_TYPES
    ),
    path("reports/<str:scope>/<str:period>/emails/", views.show_emails, name="emails"),
    path("reports/<str:scope>/<str:period>/emails/preview/", views.show_email_html, name="email_html"),
    path("reports/<str:scope>/<str:period>/emails/send/", views.send_emails, name="send_emails"),
    path("sla/", sla_views.show_dashboard, name="sla_dashboard"),
    path("sla/trends/", sla_views.show_trends, name="trends"),
    path("reports/overview/", sla_views.show_overview, name="overview"),
    path("reports/overview.csv", sla_views.download_overview, name="overview_csv"),
]
