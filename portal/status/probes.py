"""Probes of the status page, which measure each source and queue at every request.

A failed measurement is shown as unknown, never as operational.
"""

import logging
import socket
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from operator import itemgetter

from django.conf import settings
from django.core.cache import caches
from django.db import DatabaseError
from django.db.models import Count, Max, Min, Q
from django.utils.translation import gettext as _, gettext_noop

from integrations.sla.formatting import format_duration
from integrations.sla.models import GitHubDelivery, MonitoredRepository
from portal.core.figures import read_figures
from portal.core.redis_timeouts import TIMEOUT_SECONDS
from portal.jobs.broker import can_reach_broker
from portal.jobs.dispatcher import RUN_JOBS
from portal.jobs.registry import JOBS, QUEUES
from portal.notifications.models import EmailMessage
from portal.notifications.tasks import send_email
from portal.status.background import EMAIL_LATE_AFTER, RUN_JOBS_LATE_AFTER, find_late_jobs
from portal.status.selectors import (
    RUN_LATE_AFTER,
    TEST_RUNS,
    JobSnapshot,
    StatusLine,
    build_queue_line,
    is_down,
    measure_backlog,
    measure_test_runs,
    measure_waiting_checks,
    read_job_snapshot,
    read_source_times,
)
from portal.ui.components.moments import format_exact, format_relative
from portal.webhooks.models import WebhookDelivery
from verification.checks.models import CheckResult
from verification.checks.services.runs import run_checks
from verification.sources.factory import get_credential
from verification.sources.models import GitHubRateLimit, HttpCacheEntry
from verification.sources.rate_limits import calculate_blocked_until

logger = logging.getLogger(__name__)
POLL_LATE_AFTER = timedelta(hours=1)
READ_LATE_AFTER = timedelta(minutes=10)
GITHUB_CHECKS = ("repository.public", "repository.license", "repository.release", "release.download")
BACKGROUND_DOWN_HINT = gettext_noop("Emails, checks, and clocks wait until background jobs run again. No data is lost.")
QUEUE_NAMES = {
    "email": gettext_noop("Email queue"),
    "network": gettext_noop("External data queue"),
    "checks": gettext_noop("Check queue"),
    "sandbox": gettext_noop("Sandbox queue"),
    "webhooks": gettext_noop("Webhook queue"),
}
QUEUE_PURPOSES = {
    "checks": gettext_noop("This queue runs checks and run task tests."),
    "sandbox": gettext_noop(
        "This queue reads provider schemas and runs provider acceptance tests and Nomad plugin tests."
    ),
}
Probe = tuple[str, Callable[[datetime], StatusLine]]


def measure_line(name: str, measure: Callable[[datetime], StatusLine], now: datetime) -> StatusLine:
    """Return the result of a probe, or an unknown status if the probe fails. Database errors propagate."""
    try:
        return replace(measure(now), name=name)
    # Without the database, the page says so in one sentence instead of calling each line unknown.
    except DatabaseError:
        raise
    except Exception:
        logger.exception("could not measure status of %s", name)
        return StatusLine("unknown", _("We couldn't measure the status. The log has the reason."), name=name)


def measure_all(now: datetime) -> list[tuple[str, list[StatusLine]]]:
    """Return all public status lines with their headings."""
    jobs = read_job_snapshot(now)
    # Names stay untranslated for the JSON output. The page translates them.
    sources: list[Probe] = [
        (gettext_noop("GitHub"), measure_github),
        (gettext_noop("Registry"), measure_registry),
        (gettext_noop("Issues"), measure_polling),
        (gettext_noop("Inbound webhooks"), measure_inbound_webhooks),
    ]
    queues: list[Probe] = [
        (gettext_noop("Emails"), partial(measure_emails, jobs)),
        (gettext_noop("Checks"), partial(build_queue_line, jobs.get_backlog(run_checks), RUN_LATE_AFTER)),
        *((name, partial(measure_test_runs, kind, jobs)) for name, kind in TEST_RUNS.items()),
        (gettext_noop("Outgoing webhooks"), measure_outgoing_webhooks),
    ]
    processes: list[Probe] = [
        (gettext_noop("Background jobs"), partial(measure_background, jobs)),
        *((label, partial(measure_queue, name, jobs)) for name, label in QUEUE_NAMES.items()),
        (gettext_noop("Redis"), measure_redis),
        (gettext_noop("Sandbox"), measure_sandbox),
    ]
    groups = ((_("Data sources"), sources), (_("Queues"), queues), (_("Background processes"), processes))
    return [(heading, [measure_line(name, probe, now) for name, probe in probes]) for heading, probes in groups]


def measure_for_staff(now: datetime) -> tuple[str, list[StatusLine]]:
    """Return the status lines for program staff with their heading.

    They don't count in the summary: a source that refuses one integration is no outage for the others.
    """
    return _("For program staff"), [measure_line(gettext_noop("Waiting checks"), measure_waiting_checks, now)]


def summarize(groups: list[tuple[str, list[StatusLine]]]) -> tuple[str, str]:
    """Return the tone and a summary of the public lines."""
    lines = [line for _heading, group in groups for line in group]
    failed_names = [_(line.name) for line in lines if line.state == "down"]
    # Unknown counts as delayed: what couldn't be measured must not look operational.
    delayed_names = [_(line.name) for line in lines if line.state in ("late", "unknown")]
    if failed_names:
        return "bad", _("Down: %(names)s.") % {"names": ", ".join(failed_names)}
    if delayed_names:
        return "warn", _describe_delay(delayed_names)
    return "good", _("All systems operational.")


def measure_background(jobs: JobSnapshot, now: datetime) -> StatusLine:
    run = jobs.runs.get(RUN_JOBS)
    if run is None or run.finished_at is None:
        message = _("Background jobs have never run. Start the worker.")
        return StatusLine("down", message, hint=_(BACKGROUND_DOWN_HINT))
    message = _("Background jobs last ran %(when)s.") % {"when": format_relative(run.finished_at, now)}
    # If nothing runs, each job is late, and the hint names the reason instead.
    if now - run.finished_at > RUN_JOBS_LATE_AFTER:
        hint = _(BACKGROUND_DOWN_HINT)
    else:
        hint = _describe_delay(find_late_jobs(now, jobs.runs, QUEUES[0]))
    state = "late" if hint else "ok"
    return StatusLine(state, message, _list_jobs(QUEUES[0]), hint, run.finished_at)


def _describe_delay(names: list[str]) -> str:
    return _("Delayed: %(names)s.") % {"names": ", ".join(names)} if names else ""


def _list_jobs(queue: str) -> tuple[tuple[str, str], ...]:
    """Return the jobs of a queue and how often each runs."""
    jobs = [(job.name, format_duration(timedelta(seconds=job.seconds))) for job in JOBS if job.queue == queue]
    return tuple((name, _("every %(duration)s") % {"duration": duration}) for name, duration in jobs)


def measure_queue(name: str, jobs: JobSnapshot, now: datetime) -> StatusLine:
    """Return when the last job of a queue finished and which are late."""
    runs = [jobs.runs[job.name] for job in JOBS if job.queue == name and job.name in jobs.runs]
    last = max((run.finished_at for run in runs if run.finished_at), default=None)
    purpose = f"{_(QUEUE_PURPOSES[name])} " if name in QUEUE_PURPOSES else ""
    hint = _describe_delay(find_late_jobs(now, jobs.runs, name))
    state = "idle"
    message = _("No jobs have run yet.")
    if last is not None:
        state = "ok"
        message = _("The last job finished %(when)s.") % {"when": format_relative(last, now)}
    return StatusLine("late" if hint else state, purpose + message, _list_jobs(name), hint, last)


def measure_redis(_now: datetime) -> StatusLine:
    if not settings.REDIS_URL:
        message = _("This portal runs without Redis. Jobs use the database.")
        return StatusLine("absent", message, ((_("cache"), caches["default"].__class__.__name__),))
    if not can_reach_broker():
        hint = _("Pages work as usual. Background jobs start up to ten seconds later, and rate limits don't apply.")
        return StatusLine("down", _("Redis is down."), hint=hint)
    return StatusLine("ok", _("Redis is operational."))


def measure_github(now: datetime) -> StatusLine:
    name, *_rest = get_credential()
    row = GitHubRateLimit.objects.filter(name=name).first()
    last_confirmed_at = HttpCacheEntry.objects.aggregate(at=Max("confirmed_at"))["at"]
    if row is None:
        return StatusLine("idle", _("No requests to GitHub yet."), ((_("credential"), name),))
    count = {"left": row.remaining, "limit": row.limit}
    requests = str(row.request_count)
    remaining = _("unknown") if row.remaining is None else _("%(left)s of %(limit)s") % count
    details = [(_("credential"), name), (_("requests this hour"), requests), (_("remaining requests"), remaining)]
    if last_confirmed_at:
        details.append((_("last new response"), format_relative(last_confirmed_at, now)))
    if row.disabled_at is not None:
        message = _("GitHub rejects our credential. Urgent requests continue without it.")
        return StatusLine("down", message, (*details, (_("reason"), row.disabled_reason)), at=row.disabled_at)
    paused_until = calculate_blocked_until(row, True, now)
    if paused_until is not None:
        message = _("We reached GitHub's rate limit. Background requests continue at %(when)s.")
        message %= {"when": format_exact(paused_until, now)}
        return StatusLine("late", message, tuple(details), at=paused_until)
    results = CheckResult.objects.filter(key__in=GITHUB_CHECKS, is_deferred=False)
    times = read_source_times(results, now)
    last_answered_at = max((at for at in (times["answered"], last_confirmed_at) if at), default=None)
    if is_down(times["failed"], last_answered_at):
        message = _("GitHub didn't respond to our last request.")
        return StatusLine("down", message, tuple(details), at=last_answered_at)
    return StatusLine("ok", _("GitHub is reachable."), tuple(details), at=last_confirmed_at)


def measure_registry(now: datetime) -> StatusLine:
    results = CheckResult.objects.filter(key="registry.listed")
    times = read_source_times(results, now)
    last_answered_at = times["answered"]
    newest_result = results.order_by("-pk").values("summary").first()
    if newest_result is None:
        return StatusLine("idle", _("No requests to the registry yet."))
    details = ((_("URL"), settings.REGISTRY_URL), (_("last result"), newest_result["summary"]))
    when = {"when": format_relative(last_answered_at, now)} if last_answered_at else {}
    if is_down(times["failed"], last_answered_at):
        message = _("The registry didn't respond to our last request.")
        if last_answered_at:
            message += " " + _("The last response came %(when)s.") % when
        return StatusLine("down", message, details, at=last_answered_at)
    message = _("The registry responded %(when)s.") % when if last_answered_at else _("The registry is reachable.")
    return StatusLine("ok", message, details, at=last_answered_at)


def measure_polling(now: datetime) -> StatusLine:
    repositories = MonitoredRepository.objects.filter(ended_at=None)
    oldest_data_at = repositories.aggregate(at=Min("data_up_to"))["at"]
    if oldest_data_at is None:
        return StatusLine("idle", _("No monitored repositories. No integration is in support yet."))
    has_trouble = ~Q(trouble_since=None) | ~Q(missing_since=None) | ~Q(refused_at=None)
    figures = {"all": Count("pk"), "trouble": Count("pk", filter=has_trouble)}
    # Everyone can request this page, and the count reads all repositories.
    counts = read_figures(
        "monitored repositories", lambda: repositories.aggregate(**figures), itemgetter("all"), seconds=60
    )
    details = ((_("monitored repositories"), str(counts["all"])), (_("with problems"), str(counts["trouble"])))
    is_delayed = now - oldest_data_at > POLL_LATE_AFTER
    message = _("Data of all monitored repositories is complete up to %(when)s.")
    message %= {"when": format_relative(oldest_data_at, now)}
    hint = _("We don't record breaches without complete data.") if is_delayed else ""
    return StatusLine("late" if is_delayed else "ok", message, details, hint, oldest_data_at)


def measure_inbound_webhooks(now: datetime) -> StatusLine:
    unread_deliveries = GitHubDelivery.objects.filter(read_at=None)
    # By ID: the table keeps every delivery, and an index of all times would slow down each insert.
    last_received_at = GitHubDelivery.objects.order_by("-pk").values_list("received_at", flat=True).first()
    if last_received_at is None:
        return StatusLine("idle", _("No webhooks yet. Without webhooks, we poll every few minutes."))
    last_delivery_message = _("The last webhook came %(when)s.") % {"when": format_relative(last_received_at, now)}
    backlog = measure_backlog(unread_deliveries, "received_at")
    return build_queue_line(backlog, READ_LATE_AFTER, now, last_delivery_message)


def measure_emails(jobs: JobSnapshot, now: datetime) -> StatusLine:
    if settings.EMAIL_STORED_ONLY:
        message = _("No mail server is configured. The email log shows all emails.")
        return StatusLine("absent", message)
    failed_count = EmailMessage.objects.filter(state=EmailMessage.State.FAILED, failure_handled_at=None).count()
    line = build_queue_line(jobs.get_backlog(send_email), EMAIL_LATE_AFTER, now)
    details = (*line.details, (_("failed, not handled"), str(failed_count)))
    return replace(line, details=details)


def measure_outgoing_webhooks(now: datetime) -> StatusLine:
    waiting = WebhookDelivery.objects.filter(state=WebhookDelivery.State.PENDING, due_at__lte=now)
    # Deliveries of a paused endpoint wait on purpose.
    waiting = waiting.filter(endpoint__ended_at=None, endpoint__paused_at=None)
    return build_queue_line(measure_backlog(waiting, "due_at"), RUN_LATE_AFTER, now)


def measure_sandbox(_now: datetime) -> StatusLine:
    """Return whether the sandbox service accepts connections, without starting a program."""
    path = settings.SANDBOX_SOCKET
    if not path:
        message = _("No sandbox service is configured. Each worker starts programs itself, sandboxed if possible.")
        hint = _("Without a sandbox, the result is Not run with the reason.")
        return StatusLine("absent", message, hint=hint)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        # The page must not wait for a service that accepts connections but hangs.
        connection.settimeout(TIMEOUT_SECONDS)
        try:
            connection.connect(path)
        except OSError as error:
            message = _("The sandbox is down. Affected checks show Not run with the reason.")
            return StatusLine("down", message, ((_("reason"), error.strerror or _("timeout")),))
    return StatusLine("ok", _("The sandbox is operational."))
