"""URLs of the analytics app."""

from django.urls import path

from portal.analytics.saved_views import views as saved_views
from portal.analytics.views import dashboard, exports

app_name = "analytics"
urlpatterns = [
    path("analytics/", dashboard.show_overview, name="overview"),
    path("analytics/flow/", dashboard.show_flow, name="flow"),
    path("analytics/people/", dashboard.show_workload, name="workload"),
    path("analytics/forecast/", dashboard.show_forecast, name="forecast"),
    *(
        path(f"exports/<slug:table>.{form}", exports.download_table, {"form": form}, name=f"table_{form}")
        for form in ("csv", "xlsx")
    ),
    path("saved-views/", saved_views.list_saved_views, name="saved_views"),
    path("saved-views/save/<slug:page>/", saved_views.save_view, name="save_view"),
    path("saved-views/<int:pk>/", saved_views.change_view, name="change_view"),
]
