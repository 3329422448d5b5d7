"""Settings of Celery that are the same in every installation."""

CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {
    "visibility_timeout": 600,
    "socket_timeout": 5,
    "socket_connect_timeout": 0.5,
    # a page that publishes a task does not wait for an unreachable Redis: run_jobs finds the row
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0,
    "interval_max": 0,
}
# no schedule file that a killed beat could leave torn: the database knows when each job last ran
CELERY_BEAT_SCHEDULER = "portal.jobs.beat:Scheduler"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# the longest task: a round of due runs (20 s) whose last one begins its checks for 150 s, the last of them for 120 s
CELERY_TASK_SOFT_TIME_LIMIT = 300
CELERY_TASK_TIME_LIMIT = 330
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
