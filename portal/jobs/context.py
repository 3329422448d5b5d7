"""Context of a running job."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from portal.jobs.definitions import LeaseLost
from portal.jobs.models import Job

ProgressValue = int | str | list[str]


@dataclass(frozen=True, slots=True)
class JobContext:
    """First argument of a job's function.

    The lease is renewed while the function runs. A function that may hang for longer than an hour, or that should end
    when its job is canceled, calls `renew_lease` before it writes anything.
    """

    job_id: int
    attempt: int
    lease_token: UUID
    lease: timedelta

    def renew_lease(self) -> None:
        """Keep the job for another lease. Raise LeaseLost if it was canceled or belongs to another process."""
        self._update()

    def report_progress(self, **progress: ProgressValue) -> None:
        """Replace what pages show of the progress, and renew the lease. Raise LeaseLost as `renew_lease` does."""
        self._update(progress=progress)

    def _update(self, **fields: dict[str, ProgressValue]) -> None:
        own = Job.objects.filter(pk=self.job_id, lease_token=self.lease_token, cancel_requested=False)
        if not own.update(lease_expires_at=timezone.now() + self.lease, **fields):
            raise LeaseLost(f"Job {self.job_id} was canceled, or another process runs it.")
