"""URLs of the compliance app."""

from integrations.compliance import views

app_name = "compliance"
urlpatterns = [*views.urlpatterns]
