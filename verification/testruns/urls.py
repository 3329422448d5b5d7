"""URLs of the testruns app."""

from verification.testruns.views import nomad_plugin, provider_lifecycle, run_task

app_name = "testruns"
urlpatterns = [
    *run_task.urlpatterns,
    *provider_lifecycle.urlpatterns,
    *nomad_plugin.urlpatterns,
]
