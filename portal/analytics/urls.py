"""URLs of the analytics app."""

from portal.analytics.saved_views import views as saved_views
from portal.analytics.views import dashboard, exports

app_name = "analytics"
urlpatterns = [*dashboard.urlpatterns, *exports.urlpatterns, *saved_views.urlpatterns]
