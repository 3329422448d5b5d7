"""URLs of the webhooks app."""

from django.urls import path

from portal.webhooks import views

app_name = "webhooks"
urlpatterns = [
    path("webhooks/", views.list_webhooks, name="list"),
    path("webhooks/event-types/", views.list_event_types, name="event_types"),
    path("webhooks/new/<slug:slug>/", views.create_webhook, name="create"),
    path("webhooks/<uuid:uuid>/", views.show_webhook, name="detail"),
    path("webhooks/<uuid:uuid>/change/", views.change_webhook, name="edit"),
    path("webhooks/<uuid:uuid>/secret/", views.rotate_secret, name="rotate_secret"),
    path("webhooks/<uuid:uuid>/remove/", views.remove_webhook, name="remove"),
    path("webhooks/<uuid:uuid>/messages/<uuid:message>/", views.show_delivery, name="delivery"),
    path("webhooks/<uuid:uuid>/<slug:action>/", views.perform_action, name="action"),
]
