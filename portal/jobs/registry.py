"""Schedule of the periodic jobs for beat and run_jobs.

Beat sends each job to a worker at its interval. `run_jobs` runs overdue jobs, with at least one thread per queue, so
that a slow mail server or repository doesn't delay clocks. periodic_jobs.yaml names the path of each job's function,
which is imported when the job first runs.
"""

from dataclasses import dataclass
from datetime import timedelta

from portal.core.content_files import Content, load_content

# A second start within this share of the interval is skipped, because beat and busy workers are not exact.
MIN_INTERVAL_SHARE = 0.5
# Short, because the job of a killed process can't run again until its lease ends. A longer run renews it.
LEASE = timedelta(seconds=20)


@dataclass(frozen=True, slots=True)
class PeriodicJob(Content):
    """Periodic job with its interval in seconds.

    The function takes the current time and returns the number of items it handled. It must tolerate running late,
    twice, or concurrently with itself after a process was killed. `run_jobs` runs the jobs of a queue in sequence.
    """

    name: str
    function_path: str
    seconds: float
    queue: str = "clocks"  # for quick jobs that only need the database


# The first queue, which runs the clocks, decides whether /healthz reports delays.
QUEUES = ("clocks", "email", "network", "checks", "sandbox", "webhooks")
# Threads of run_jobs; other queues have one. A webhook receiver can take ten seconds to respond.
THREADS_BY_QUEUE = {"webhooks": 4}
JOBS = load_content("portal/jobs/content/periodic_jobs.yaml", dict[str, tuple[PeriodicJob, ...]])["jobs"]
JOBS_BY_NAME = {job.name: job for job in JOBS}
