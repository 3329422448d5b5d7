"""Where do machines knock? Addresses that are answered before any session is looked for."""

from django.urls import path

from integrations.sla.views.monitoring import hook
from verification.testruns.kinds.run_task.views import run_task_callback, run_task_configuration, run_task_plan

RESULT = "hooks/task-results/<uuid:uuid>"
urlpatterns = [
    path("hooks/github/<uuid:uuid>/", hook, name="hook"),
    path(f"{RESULT}/callback", run_task_callback, name="run_task_callback"),
    path(f"{RESULT}/plan", run_task_plan, name="run_task_plan"),
    path(f"{RESULT}/configuration", run_task_configuration, name="run_task_configuration"),
]
