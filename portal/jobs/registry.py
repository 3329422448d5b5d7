"""Timetable of the periodic jobs: beat and the sweep are both built from it.

Beat asks the worker for each job at its interval. The sweep runs what is overdue, each queue in a thread of its own, so
that a slow mail server or repository delays no clock. Functions are named as text and imported when they first run.
"""

from dataclasses import dataclass
from datetime import timedelta

# Beat is not exact and a busy worker starts late: two starts closer than this share of the interval are one.
MIN_INTERVAL_SHARE = 0.5
# Short, because a killed process leaves its job unrunnable for this long; a run that takes longer renews it.
LEASE = timedelta(seconds=20)


@dataclass(frozen=True, slots=True)
class Job:
    """A periodic job: its name, the function that does it, its interval in seconds and its queue.

    The function takes the current time and returns how many items it handled. It must tolerate running twice, late, or
    beside itself after a process was killed. The sweep runs the jobs of a queue one after the other.
    """

    name: str
    does: str
    seconds: int
    queue: str = "clocks"  # needs the database alone and is quick


JOBS = (
    Job("deliveries", "integrations.sla.github.delivery_processing.process_due_deliveries", 10),
    Job("clocks", "integrations.sla.tasks.advance_due_clocks", 10),
    Job("alerts", "integrations.sla.notifications.send_due_notifications", 10),
    Job("foreseen", "integrations.sla.warnings.create_early_warnings", 900),
    Job("undelivered", "portal.notifications.delivery_failures.forward_due", 30),
    Job("chains", "portal.notifications.escalation.escalate_due", 60),
    Job("reports", "portal.reports.tasks.generate_due_reports", 300, "mails"),
    Job("digests", "portal.notifications.digests.send_due", 300, "mails"),
    Job("kept mails", "portal.notifications.email.queue_kept_mails", 300, "mails"),
    Job("mails", "portal.notifications.email.deliver_due", 10, "mails"),
    Job("nights", "verification.checks.nightly.plan_nightly_runs", 300, "outside"),
    Job("polls", "integrations.sla.github.reconciliation.reconcile_due_repositories", 30, "outside"),
    Job("checks", "verification.checks.services.runs.run_due", 10, "checks"),
    Job("rehearsals", "verification.testruns.services.run_task_tests.run_due", 5, "checks"),
    Job("new releases", "verification.testruns.tasks.request_new_inspections", 900, "sandbox"),
    Job("schemas", "verification.testruns.services.provider_schema_inspections.run_due", 10, "sandbox"),
    Job("lifecycles", "verification.testruns.services.provider_lifecycle_tests.run_due", 10, "sandbox"),
    Job("nomad plugins", "verification.testruns.services.nomad_plugin_tests.run_due", 10, "sandbox"),
    Job("bodies", "integrations.sla.github.webhook_intake.forget_bodies", 3600, "outside"),
    Job("answers", "verification.sources.http_cache.forget_unused", 3600, "outside"),
    Job("webhooks", "portal.webhooks.tasks.send_due_deliveries", 5, "webhooks"),
    Job("messages", "portal.webhooks.services.delete_expired_data", 3600, "outside"),
    Job("standings", "integrations.compliance.tasks.advance_cases", 60),
    Job("listings", "portal.directory.services.refresh_due_listings", 60),
    Job("passages", "portal.analytics.services.rebuild_after_update", 3600, "outside"),
    Job("turns", "integrations.submissions.tasks.refresh_due_integrations", 60),
    Job("ci reports", "portal.api.v1.ci_reports.compare_due_reports", 60),
    Job("tokens", "portal.api.services.tokens.warn_expiring_tokens", 3600),
    Job("repeats", "portal.api.idempotency.delete_expired_records", 3600),
    Job("audit anchors", "portal.audit.anchors.write_due_anchor", 3600, "outside"),
    Job("credentials", "integrations.submissions.tasks.maintain_credentials", 60),
    Job("expired sessions", "portal.accounts.cleanup.delete_expired", 86400, "outside"),
)
QUEUES = tuple(dict.fromkeys(job.queue for job in JOBS))
