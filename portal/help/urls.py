"""URLs of the help app."""

from django.urls import path

from portal.help import views

app_name = "help"
urlpatterns = [
    path("help/", views.show_help, name="index"),
    path("help/glossary/", views.show_glossary, name="glossary"),
    path("help/getting-started/", views.show_getting_started, name="getting_started"),
    path("help/clock/", views.show_sla_rule, name="clock_help"),
    path("help/compliance/", views.show_compliance_rule, name="compliance_help"),
]
