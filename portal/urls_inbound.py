"""URLs for inbound machine requests, which skip the session middleware."""

from django.urls import path

from integrations.sla.views.inbound_github import receive_webhook
from verification.testruns.kinds.run_task.views import download_run_task_file, receive_run_task_callback

RESULT_PATH = "inbound/task-results/<uuid:uuid>"
app_name = "inbound"
urlpatterns = [
    path("inbound/github/<uuid:uuid>/", receive_webhook, name="github_webhook"),
    path(f"{RESULT_PATH}/callback", receive_run_task_callback, name="run_task_callback"),
    path(f"{RESULT_PATH}/plan", download_run_task_file, {"resource": "plan"}, name="run_task_plan"),
    path(
        f"{RESULT_PATH}/configuration",
        download_run_task_file,
        {"resource": "configuration"},
        name="run_task_configuration",
    ),
]
