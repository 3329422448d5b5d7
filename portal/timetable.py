"""Timetable of the periodic jobs: beat and the sweep are both built from it.

Beat asks the worker for each job at its interval. The sweep runs what is overdue, each queue in a thread of its own, so
that a slow mail server or repository delays no clock. Functions are named as text and imported when they first run.
"""

from dataclasses import dataclass
from datetime import timedelta

# Beat is not exact and a busy worker starts late: two starts closer than this share of the interval are one.
SHORTEST_GAP = 0.5
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
    Job("deliveries", "verification.support.reading.read_due", 10),
    Job("clocks", "verification.support.sweep.sweep_due", 10),
    Job("alerts", "portal.alerts.tell_due", 10),
    Job("foreseen", "portal.warnings.foresee_due", 900),
    Job("undelivered", "portal.undelivered.pass_on_due", 30),
    Job("chains", "portal.escalation.escalate_due", 60),
    Job("reports", "portal.reports.sending.send_due", 300, "mails"),
    Job("digests", "portal.notifications.digest.send_due", 300, "mails"),
    Job("kept mails", "portal.mail.queue_kept_mails", 300, "mails"),
    Job("mails", "portal.mail.deliver_due", 10, "mails"),
    Job("nights", "verification.nightly.plan", 300, "outside"),
    Job("polls", "verification.support.reconcile.poll_due", 30, "outside"),
    Job("checks", "verification.jobs.run_due", 10, "checks"),
    Job("rehearsals", "verification.rehearsal.jobs.run_due", 5, "checks"),
    Job("new releases", "verification.rehearsal.schema.nightly.plan", 900, "sandbox"),
    Job("schemas", "verification.rehearsal.schema.jobs.run_due", 10, "sandbox"),
    Job("lifecycles", "verification.rehearsal.lifecycle_jobs.run_due", 10, "sandbox"),
    Job("nomad plugins", "verification.rehearsal.nomad_jobs.run_due", 10, "sandbox"),
    Job("bodies", "verification.support.intake.forget_bodies", 3600, "outside"),
    Job("answers", "verification.kept.forget_unused", 3600, "outside"),
    Job("webhooks", "portal.hooks.sending.send_due", 5, "webhooks"),
    Job("messages", "portal.hooks.keeping.forget_due", 3600, "outside"),
    Job("standings", "portal.standing.sweep.look_due", 60),
    Job("listings", "portal.public.rows.refresh_due", 60),
    Job("passages", "portal.office.keeping.build_due", 3600, "outside"),
    Job("turns", "integrations.sweep.refresh_due", 60),
    Job("ci reports", "portal.api.reporting.compare_due", 60),
    Job("tokens", "portal.api.tokens.warn_due", 3600),
    Job("repeats", "portal.api.once.forget_due", 3600),
    Job("audit anchors", "integrations.audit_anchors.write_due", 3600, "outside"),
    Job("credentials", "integrations.sweep.tend_credentials", 60),
    Job("expired sessions", "portal.accounts.cleanup.delete_expired", 86400, "outside"),
)
QUEUES = tuple(dict.fromkeys(job.queue for job in JOBS))
