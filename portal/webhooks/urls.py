"""URLs of the webhooks app."""

from portal.webhooks import views as webhooks

app_name = "webhooks"
urlpatterns = [
    *webhooks.urlpatterns,
]
