"""Celery settings that are the same in every installation."""

CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {
    "visibility_timeout": 600,
    "socket_timeout": 5,
    "socket_connect_timeout": 0.5,
    # A page that publishes a task must not wait for an unreachable Redis. run_jobs finds the job in the database.
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0,
    "interval_max": 0,
}
# It reads the last runs from the database, because a killed process could leave a damaged schedule file.
CELERY_BEAT_SCHEDULER = "portal.jobs.beat:Scheduler"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# The longest task runs due jobs for 20 s. Its last check run can start checks for 150 s, the last of them for 120 s.
CELERY_TASK_SOFT_TIME_LIMIT = 300
CELERY_TASK_TIME_LIMIT = 330
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
