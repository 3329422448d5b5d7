"""What is done in the background, and how often? The one table that the sweep and beat are made of.

The sweep does all of it in this order, every few seconds; beat has the worker do each at its own pace, so that a
slow one holds up no other. Plain data: what is named here is imported when it is first run.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """One small job: its name, the function that takes the moment and says how many it handled, beat's pace.

    It may run twice, late, or at the same time as itself.
    """

    name: str
    does: str
    seconds: int


JOBS = (
    Job("deliveries", "verification.support.reading.read_due", 10),
    Job("clocks", "verification.support.sweep.sweep_due", 30),
    Job("alerts", "portal.alerts.tell_due", 60),
    Job("reports", "portal.reports.sending.send_due", 300),
    Job("mails", "portal.mail.deliver_due", 10),
    Job("nights", "verification.nightly.plan", 300),
    Job("polls", "verification.support.reconcile.poll_due", 30),
    Job("checks", "verification.jobs.run_due", 30),
    Job("answers", "verification.kept.forget_unused", 3600),
    Job("turns", "integrations.sweep.refresh_due", 300),
    Job("credentials", "integrations.sweep.tend_credentials", 300),
)
