"""Models of the checks app: results and runs, results that a partner's CI reports, and values that checks recorded."""

from datetime import datetime
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Max, Q
from django.utils.functional import cached_property

from portal.jobs.models import Job
from verification.outcomes import Outcome

CHECK_RUN_JOB = "checks.run"


class CheckResultQuerySet(models.QuerySet["CheckResult"]):
    """Queries of check results, which are append-only."""

    def newest(self) -> "CheckResultQuerySet":
        """Return the last result of each check of each integration."""
        # By primary key, because results of one run have the same time.
        latest_ids = self.order_by().values("integration_id", "key").annotate(last=Max("pk")).values("last")
        return self.model.objects.filter(pk__in=latest_ids).order_by("key")

    def conclusive(self) -> "CheckResultQuerySet":
        """Return the last result of each check that isn't an error on our side."""
        return self.exclude(outcome=Outcome.ERROR).newest()

    def update(self, **_: object) -> int:
        raise TypeError("Results are append-only.")

    def confirm(self, pk: int, now: datetime) -> None:
        """Record that the check returned the same result again. Only this field of a result ever changes."""
        # Bypasses our own update(), which refuses every change of a result.
        models.QuerySet.update(self.filter(pk=pk), confirmed_at=now)


class CheckResult(models.Model):
    """Result of a check: append-only, with the version of the check and the state that it inspected.

    `evidence`: list of {label, value, url}; `inspected_revisions`: list of [object, revision]. A repeated result isn't
    stored again: `at` holds when the result was first returned, `confirmed_at` when it was last returned.
    `is_deferred`: an error because the run had no time left to start the check. `needs_access`: see Result.
    """

    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="check_results")
    key = models.CharField(max_length=80)
    version = models.PositiveSmallIntegerField()
    outcome = models.CharField(max_length=10, choices=[(str(o), str(o)) for o in Outcome])
    is_deferred = models.BooleanField(default=False)
    needs_access = models.BooleanField(default=False)
    summary = models.CharField(max_length=500)
    evidence = models.JSONField(default=list)
    inspected_revisions = models.JSONField(default=list)
    advice = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True)

    objects = CheckResultQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        indexes = [models.Index(fields=["integration", "key", "-id"], name="latest_result")]

    def __str__(self) -> str:
        return f"{self.key} of {self.integration}: {self.outcome}"

    def save(self, *args: object, **kwargs: object) -> None:
        if self.pk is not None:
            raise TypeError("Results are append-only.")
        super().save(*args, **kwargs)

    def has_same_content(self, other: "CheckResult") -> bool:
        """Return whether both results have the same content, ignoring the times in the evidence."""
        return self._build_comparison_key() == other._build_comparison_key()

    def _build_comparison_key(self) -> tuple[object, ...]:
        # The time of a statement differs in each run. If it counted, no result would ever be confirmed.
        evidence_items = [{name: value for name, value in item.items() if name != "at"} for item in self.evidence]
        decision = (self.version, self.outcome, self.needs_access)
        return (*decision, self.summary, self.advice, evidence_items, self.inspected_revisions)

    @property
    def last_seen(self) -> datetime:
        """Return when the result was last confirmed."""
        return self.confirmed_at or self.at

    @property
    def inspected_summary(self) -> str:
        """Return the inspected objects in one line: "release v1.4.2, repository 4711"."""
        return ", ".join(f"{thing} {revision}" for thing, revision in self.inspected_revisions)


class CheckRunQuerySet(models.QuerySet["CheckRun"]):
    def open(self) -> "CheckRunQuerySet":
        return self.filter(finished_at=None)


class CheckRun(models.Model):
    """A run of the checks of one integration. At most one is open for each; a job executes it.

    `nightly`: no one waits for it. `reason`: why it runs, blank if the person who requested it says enough. The results
    page shows the reason and this person.
    """

    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="check_runs")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    requested_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    nightly = models.BooleanField(default=False)
    reason = models.CharField(max_length=120, blank=True)

    objects = CheckRunQuerySet.as_manager()

    class Meta:
        constraints = [
            # Decides which of two simultaneous requests opens the run: see services.runs._open_run().
            models.UniqueConstraint(fields=["integration"], condition=Q(finished_at=None), name="check_run_unique_open")
        ]

    def __str__(self) -> str:
        return f"checks of {self.integration}, requested {self.requested_at:%Y-%m-%d %H:%M}"

    @cached_property
    def job(self) -> Job | None:
        """Return the pending or running job of this run, or None."""
        # Jobs of check runs have the integration as their deduplication key.
        return Job.objects.find_unfinished(CHECK_RUN_JOB, str(self.integration_id))

    @property
    def finished_checks(self) -> list[str]:
        """The checks that the current attempt has finished."""
        if self.job is None or self.job.state != Job.State.RUNNING:
            return []
        return list(self.job.progress.get("finished_checks", []))

    @property
    def next_attempt_at(self) -> datetime | None:
        """Time at which the run starts, or starts again after an outage."""
        return self.job.run_after if self.job is not None else None

    @property
    def is_retried(self) -> bool:
        """Return whether the run had an attempt that an outage ended."""
        return self.finished_at is None and self.job is not None and self.job.attempts > 0

    def is_under_way(self, now: datetime) -> bool:
        """Return whether a page should wait for it: due or running, not waiting for an outage to end."""
        if self.finished_at is not None or self.job is None:
            return False
        return self.job.state == Job.State.RUNNING or self.job.run_after <= now


class CiCheckReport(models.Model):
    """Check result that a partner's CI reports. It is never the portal's own result.

    `sampled` holds why the portal verifies the report, blank if it doesn't; `disagreements` lists the differences that
    it found, as {id, reported_outcome, portal_outcome, summary}.
    """

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="ci_check_reports")
    reported_by = models.CharField(max_length=150)
    commit = models.CharField(max_length=64)
    version = models.CharField(max_length=60, blank=True)
    outcome = models.CharField(max_length=10)
    results = models.JSONField(default=list)
    at = models.DateTimeField()
    sampled = models.CharField(max_length=120, blank=True)
    compared_at = models.DateTimeField(null=True)
    disagreements = models.JSONField(default=list)

    class Meta:
        ordering = ("-pk",)
        indexes = [
            models.Index(
                fields=["id"], name="ci_check_report_to_compare", condition=Q(compared_at=None) & ~Q(sampled="")
            )
        ]

    def __str__(self) -> str:
        return f"reported by {self.reported_by} of {self.integration}: {self.outcome}"


class Observation(models.Model):
    """Plain value that a check recorded, with its source, when it began and when it was last confirmed.

    `missing_since`: the source has answered "not found" since then; the value is kept.
    """

    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="observations")
    key = models.CharField(max_length=120)
    value = models.JSONField(null=True)
    source = models.CharField(max_length=80)
    since = models.DateTimeField()
    confirmed_at = models.DateTimeField()
    missing_since = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["integration", "key"], name="observation_unique_integration_key")
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.integration}"
