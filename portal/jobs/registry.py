"""Schedule of the periodic jobs for beat and run_jobs.

Beat sends each job to a worker at its interval. `run_jobs` runs overdue jobs, with at least one thread per queue, so
that a slow mail server or repository doesn't delay clocks. Each job names the path of its function, which is
imported when the job first runs.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, get_args

# A second start within this share of the interval is skipped, because beat and busy workers are not exact.
MIN_INTERVAL_SHARE = 0.5
# Short, because the job of a killed process can't run again until its lease ends. A longer run renews it.
LEASE = timedelta(seconds=20)
Queue = Literal["clocks", "email", "network", "checks", "sandbox", "webhooks"]
# The first queue, which runs the clocks, decides whether /healthz reports delays.
QUEUES: tuple[Queue, ...] = get_args(Queue)


@dataclass(frozen=True, slots=True)
class PeriodicJob:
    """Periodic job with its interval in seconds.

    The function takes the current time and returns the number of items it handled. It must tolerate running late,
    twice, or concurrently with itself after a process was killed. `run_jobs` runs the jobs of a queue in sequence.
    """

    name: str
    function_path: str
    seconds: float
    queue: Queue = "clocks"  # for quick jobs that only need the database


# Threads of run_jobs; other queues have one. A webhook receiver can take ten seconds to respond.
THREADS_BY_QUEUE = {"webhooks": 4}
DISPATCH_SECONDS = 5
JOBS: tuple[PeriodicJob, ...] = (
    PeriodicJob("jobs.dispatch_due", "portal.jobs.tasks.dispatch_due", DISPATCH_SECONDS),
    PeriodicJob("jobs.prune", "portal.jobs.services.prune_finished", 3600, "network"),
    PeriodicJob("sla.process_deliveries", "integrations.sla.github.delivery_processing.process_due_deliveries", 10),
    PeriodicJob("sla.advance_clocks", "integrations.sla.tasks.advance_due_clocks", 10),
    PeriodicJob(
        "sla.enqueue_reconciliations", "integrations.sla.github.reconciliation.enqueue_due_repositories", 30, "network"
    ),
    PeriodicJob("sla.send_alerts", "integrations.sla.notifications.send_due_notifications", 10),
    PeriodicJob("sla.create_early_warnings", "integrations.sla.warnings.create_early_warnings", 900),
    PeriodicJob("escalations.forward_failed_emails", "integrations.escalations.tasks.forward_due", 30),
    PeriodicJob("escalations.escalate", "integrations.escalations.services.escalate_due", 60),
    PeriodicJob("reports.generate", "portal.reports.tasks.generate_due_reports", 300, "email"),
    PeriodicJob("reports.refresh_figures", "portal.reports.figures.refresh_program_figures", 300, "network"),
    PeriodicJob("submissions.send_digests", "integrations.submissions.digests.send_due", 300, "email"),
    PeriodicJob("checks.plan_nightly_runs", "verification.checks.nightly.plan_nightly_runs", 300, "network"),
    PeriodicJob("testruns.request_inspections", "verification.testruns.tasks.request_new_inspections", 900, "sandbox"),
    PeriodicJob("sla.delete_old_bodies", "integrations.sla.github.webhook_intake.delete_old_bodies", 3600, "network"),
    PeriodicJob("sources.delete_unused_responses", "verification.sources.http_cache.forget_unused", 3600, "network"),
    PeriodicJob("notifications.queue_stored_emails", "portal.notifications.tasks.queue_stored_emails", 300, "email"),
    PeriodicJob("search.index_documentation", "portal.search.tasks.index_documentation", 3600, "network"),
    PeriodicJob("search.rebuild", "portal.search.tasks.rebuild", 86400, "network"),
    PeriodicJob("discovery.delete_abandoned", "verification.discovery.tasks.delete_abandoned", 86400, "network"),
    PeriodicJob("webhooks.enqueue_due", "portal.webhooks.tasks.enqueue_due_endpoints", 60, "webhooks"),
    PeriodicJob("webhooks.delete_expired", "portal.webhooks.services.delete_expired_data", 3600, "network"),
    PeriodicJob("compliance.advance_cases", "integrations.compliance.tasks.advance_cases", 60),
    PeriodicJob("directory.refresh_listings", "portal.directory.services.refresh_due_listings", 60),
    PeriodicJob(
        "submissions.refresh_next_actions", "integrations.submissions.services.changes.refresh_due_integrations", 10
    ),
    PeriodicJob("checks.compare_ci_reports", "verification.checks.services.ci_reports.compare_due_reports", 60),
    PeriodicJob("api.warn_of_expiring_tokens", "portal.api.services.tokens.warn_expiring_tokens", 3600),
    PeriodicJob("api.delete_idempotency_records", "portal.api.idempotency.delete_expired_records", 3600),
    PeriodicJob("audit.write_anchor", "portal.audit.anchors.write_due_anchor", 3600, "network"),
    PeriodicJob("audit.report_faults", "portal.inbox.audit_alerts.report_faults", 86400, "network"),
    PeriodicJob(
        "submissions.request_agreements",
        "integrations.submissions.services.agreement_versions.request_new_versions",
        300,
    ),
    PeriodicJob(
        "submissions.remind_of_waivers",
        "integrations.submissions.services.waiver_reminders.remind_of_ending_waivers",
        3600,
    ),
    PeriodicJob(
        "partners.request_contact_confirmations", "integrations.partners.services.contacts.request_confirmations", 3600
    ),
    PeriodicJob("reviews.record_conflicts", "integrations.reviews.services.conflicts.record_known_conflicts", 3600),
    PeriodicJob(
        "submissions.maintain_credentials", "integrations.submissions.services.credentials.maintain_credentials", 60
    ),
    PeriodicJob("accounts.delete_expired_sessions", "portal.accounts.cleanup.delete_expired", 86400, "network"),
)
JOBS_BY_NAME = {job.name: job for job in JOBS}
