"""Where do machines knock? Addresses that are answered before any session is looked for."""

from django.urls import path

from verification.views_hooks import hook

urlpatterns = [path("hooks/github/<uuid:uuid>/", hook, name="hook")]
