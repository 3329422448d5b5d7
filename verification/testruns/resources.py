"""Resources that test runs share."""

from portal.jobs import limits

SANDBOX = "sandbox"
MAX_CONCURRENT_SANDBOX_JOBS = 2  # an acceptance test may take half an hour; others do not wait for it
limits.declare_concurrency(SANDBOX, MAX_CONCURRENT_SANDBOX_JOBS)
