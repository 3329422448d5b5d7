"""Jobs, runs of periodic jobs, and limits of the resources that jobs share."""

from datetime import datetime

from django.db import models
from django.db.models import Q


class JobQuerySet(models.QuerySet["Job"]):
    def unfinished(self) -> "JobQuerySet":
        return self.filter(state__in=(Job.State.PENDING, Job.State.RUNNING))

    def find_unfinished(self, kind: str, dedup_key: str) -> "Job | None":
        """Return the pending or running job of a kind with this key."""
        return self.unfinished().filter(kind=kind, dedup_key=dedup_key).first()

    def due(self, now: datetime) -> "JobQuerySet":
        """Return the jobs that can run now, including those of processes that died, most urgent first."""
        is_waiting = Q(state=Job.State.PENDING, run_after__lte=now)
        is_abandoned = Q(state=Job.State.RUNNING, lease_expires_at__lte=now)
        return self.filter(is_waiting | is_abandoned).order_by("-priority", "run_after", "pk")


class Job(models.Model):
    """Unit of work that runs once, or again until it succeeds.

    Attributes:
        dedup_key: At most one job of a kind with this key is pending or running; blank for no such limit.
        payload: Keyword arguments of the function. Only IDs, because the admin shows payloads and data can be outdated.
        priority: Higher runs first, as in `django.tasks`.
        run_after: Earliest start of a pending job, or of a running job's requested rerun.
        attempts: Starts since the job was enqueued, rescheduled, or rerun.
        lease_token: Identifies the process that runs the job. Only this process can record the outcome.
        started_at: Start of the first of these attempts, from which `Backoff.give_up_after` counts.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELED = "canceled"

    kind = models.CharField(max_length=80)
    dedup_key = models.CharField(max_length=120, blank=True)
    payload = models.JSONField(default=dict)
    queue = models.CharField(max_length=40)
    priority = models.SmallIntegerField(default=0)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    run_after = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    lease_token = models.UUIDField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    rerun_requested = models.BooleanField(default=False)
    cancel_requested = models.BooleanField(default=False)
    resource = models.CharField(max_length=120, blank=True)
    progress = models.JSONField(default=dict)
    error_code = models.CharField(max_length=60, blank=True)
    error_message = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()
    is_limited = False  # not a column: set when a job is claimed whose resource has a concurrency limit

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "dedup_key"],
                # Finished jobs are kept for days, so only unfinished ones can be unique.
                condition=Q(state__in=("pending", "running")) & ~Q(dedup_key=""),
                name="job_unique_kind_dedup_key",
            )
        ]
        indexes = [
            # Most rows are finished, so partial indexes stay small.
            models.Index(fields=["queue", "-priority", "run_after"], condition=Q(state="pending"), name="job_pending"),
            models.Index(fields=["lease_expires_at"], condition=Q(state="running"), name="job_running"),
            models.Index(fields=["finished_at"], condition=Q(finished_at__isnull=False), name="job_finished"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.dedup_key or self.pk}, {self.state}"


class PeriodicRun(models.Model):
    """Last run of a periodic job. `finished_at` is the end of the last run without an error."""

    name = models.CharField(max_length=40, primary_key=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.name}, started at {self.started_at:%Y-%m-%d %H:%M:%S}"

    def is_cut_off(self, now: datetime) -> bool:
        """Return whether the process of the last run died, so that its lease expired."""
        return self.lease_expires_at is not None and self.lease_expires_at <= now


class ResourceLimit(models.Model):
    """Limit of a resource that jobs share, such as a credential, an endpoint, or the sandbox.

    Attributes:
        key: Name of the resource in `Job.resource`, such as `github:app-12` or `sandbox`.
        max_concurrency: Maximum number of running jobs. Empty for the limit declared in code, if any.
        blocked_until: Earliest start of jobs that use the resource.
        failure_count: How many times in a row the resource was blocked.
    """

    key = models.CharField(max_length=120, primary_key=True)
    max_concurrency = models.PositiveSmallIntegerField(null=True, blank=True)
    blocked_until = models.DateTimeField(null=True, blank=True)
    failure_count = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return self.key
