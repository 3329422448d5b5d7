"""The portal's state: one line for each source and queue, measured at each request.

Nothing is remembered between two requests, and a line that could not be measured says so: silence is never "works".
"""

import logging
import socket
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.core.cache import caches
from django.db import DatabaseError
from django.db.models import Max, Min, Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.sla.models import GitHubDelivery, MonitoredRepository
from portal.core.cache import TIMEOUT_SECONDS
from portal.jobs.broker import can_reach_broker
from portal.jobs.dispatcher import SWEEP
from portal.jobs.models import PeriodicRun
from portal.jobs.registry import JOBS, QUEUES
from portal.jobs.selectors import list_due_jobs
from portal.notifications.models import EmailMessage
from portal.notifications.tasks import send_email
from portal.status.selectors import RUN_LATE_AFTER, TEST_RUNS, StatusLine, build_queue_line, build_test_run_probe
from portal.status.views import MAIL_LATE_AFTER, SWEEP_LATE_AFTER, find_late_jobs
from portal.ui.components.moments import format_exact, format_relative
from portal.webhooks.models import WebhookDelivery
from verification.checks.models import CheckResult
from verification.checks.services.runs import run_checks
from verification.outcomes import Outcome
from verification.sources.factory import get_credential
from verification.sources.models import GitHubRateLimit, HttpCacheEntry
from verification.sources.rate_limits import calculate_blocked_until

logger = logging.getLogger(__name__)
POLL_LATE_AFTER = timedelta(hours=1)
READ_LATE_AFTER = timedelta(minutes=10)


def measure_line(name: str, measure: Callable[[datetime], StatusLine], now: datetime) -> StatusLine:
    """A line; where measuring broke, one that says so. An outage of the database is for the caller."""
    try:
        return measure(now)
    except DatabaseError:
        raise
    except Exception:
        logger.exception("The state of %s could not be measured.", name)
        return StatusLine(name, "unknown", _("We could not find out. Our staff see why in the log."))


def measure_all(now: datetime) -> list[tuple[str, list[StatusLine]]]:
    """All lines under their headings."""
    return [
        (_(heading), [measure_line(name, probe, now) for name, probe in probes]) for heading, probes in PROBE_GROUPS
    ]


def summarize(groups: list[tuple[str, list[StatusLine]]]) -> tuple[str, str]:
    """(tone, sentence) over all of them."""
    lines = [line for _heading, group in groups for line in group]
    failed_names = [_(line.name) for line in lines if line.state == "down"]
    delayed_names = [_(line.name) for line in lines if line.state in ("late", "unknown")]
    if failed_names:
        return "bad", _("Does not work: %(names)s.") % {"names": ", ".join(failed_names)}
    if delayed_names:
        return "warn", _("Works, with delays: %(names)s.") % {"names": ", ".join(delayed_names)}
    return "good", _("Everything works.")


# -- the background ------------------------------------------------------------------------------------------


def measure_background(now: datetime) -> StatusLine:
    run = PeriodicRun.objects.filter(name=SWEEP).first()
    if run is None or run.finished_at is None:
        message = _("No background work was ever done: start the sweep.")
        return StatusLine("Background", "down", message, hint=_(BACKGROUND_DOWN_HINT))
    late = now - run.finished_at > SWEEP_LATE_AFTER
    message = _("The last sweep ended %(when)s.") % {"when": format_relative(run.finished_at, now)}
    state, hint, late_jobs = (
        ("late", _(BACKGROUND_DOWN_HINT), []) if late else ("ok", "", find_late_jobs(now, QUEUES[0]))
    )
    if late_jobs:
        state, hint = "late", _("Late: %(names)s.") % {"names": ", ".join(late_jobs)}
    return StatusLine("Background", state, message, _list_jobs(QUEUES[0]), hint, run.finished_at)


def _list_jobs(queue: str) -> tuple[tuple[str, str], ...]:
    """Return the jobs of a queue and how often each runs."""
    return tuple((job.name, _("every %(count)s s") % {"count": job.seconds}) for job in JOBS if job.queue == queue)


BACKGROUND_DOWN_HINT = gettext_noop("Mails, checks and clocks wait until it runs again; nothing is lost.")
QUEUE_NAMES = {
    "email": gettext_noop("Mail queue"),
    "network": gettext_noop("Reading queue"),
    "checks": gettext_noop("Check queue"),
    "sandbox": gettext_noop("Sandbox queue"),
    "webhooks": gettext_noop("Webhook queue"),
}
QUEUE_PURPOSES = {
    "checks": gettext_noop("It runs checks and plays run task rehearsals."),
    "sandbox": gettext_noop("It reads the schemas of providers, and plays lifecycles and Nomad plugins."),
}


def queue(name: str) -> Callable[[datetime], StatusLine]:
    """Return what measures one queue of the background."""
    word = QUEUE_NAMES.get(name, f"Queue {name}")

    def measure(now: datetime) -> StatusLine:
        names = [job.name for job in JOBS if job.queue == name]
        last = PeriodicRun.objects.filter(name__in=names).aggregate(at=Max("finished_at"))["at"]
        jobs = _list_jobs(name)
        does = f"{_(QUEUE_PURPOSES[name])} " if name in QUEUE_PURPOSES else ""
        late_jobs = find_late_jobs(now, name)
        hint = _("Late: %(names)s.") % {"names": ", ".join(late_jobs)} if late_jobs else ""
        if last is None:
            state = "late" if late_jobs else "idle"
            return StatusLine(word, state, does + _("It has not ended a round yet."), jobs, hint)
        said = does + _("Its last round ended %(when)s.") % {"when": format_relative(last, now)}
        return StatusLine(word, "late" if late_jobs else "ok", said, jobs, hint, last)

    return measure


def measure_redis(_now: datetime) -> StatusLine:
    if not settings.REDIS_URL:
        message = _("This portal runs without Redis: the database and the sweep do everything.")
        return StatusLine("Redis", "absent", message, ((_("cache"), caches["default"].__class__.__name__),))
    if not can_reach_broker():
        return StatusLine("Redis", "down", _("Redis does not answer."), hint=_(REDIS_DOWN_HINT))
    return StatusLine("Redis", "ok", _("Redis answers."))


REDIS_DOWN_HINT = gettext_noop(
    "Pages answer as before; background work starts up to ten seconds later, and limits on how often something may be "
    "tried count nothing."
)


# -- what we read --------------------------------------------------------------------------------------------


def measure_github(now: datetime) -> StatusLine:
    name, *_rest = get_credential()
    row = GitHubRateLimit.objects.filter(name=name).first()
    last_confirmed_at = HttpCacheEntry.objects.aggregate(at=Max("confirmed_at"))["at"]
    if row is None:
        return StatusLine("GitHub", "idle", _("Nothing was asked of GitHub yet."), ((_("reads as"), name),))
    count = {"left": row.remaining, "limit": row.limit}
    remaining = _("unknown") if row.remaining is None else _("%(left)s of %(limit)s") % count
    details = [(_("reads as"), name), (_("asked this hour"), str(row.spent)), (_("GitHub says is left"), remaining)]
    details += [(_("last new answer"), format_relative(last_confirmed_at, now))] if last_confirmed_at else []
    if row.dead_at is not None:
        message = _("GitHub no longer accepts our credential. What somebody waits for is read without it.")
        return StatusLine("GitHub", "down", message, (*details, (_("why"), row.dead_why)), at=row.dead_at)
    paused_until = calculate_blocked_until(row, True, now)
    if paused_until is not None:
        message = _("GitHub asked us to read less: what nobody waits for goes on at %(when)s.")
        message %= {"when": format_exact(paused_until, now)}
        return StatusLine("GitHub", "late", message, tuple(details), at=paused_until)
    return StatusLine("GitHub", "ok", _("We may read GitHub."), tuple(details), at=last_confirmed_at)


def measure_registry(now: datetime) -> StatusLine:
    results = CheckResult.objects.filter(key="registry.listed")
    last_times = results.exclude(outcome=Outcome.ERROR).aggregate(at=Max("at"), again=Max("confirmed_at"))
    last_answered_at = max((at for at in last_times.values() if at), default=None)
    newest_result = results.order_by("-pk").values("outcome", "at", "confirmed_at", "summary").first()
    if newest_result is None:
        return StatusLine("Registry", "idle", _("Nothing was asked of the registry yet."))
    details = ((_("address"), settings.REGISTRY_URL), (_("last said"), newest_result["summary"]))
    when = {"when": format_relative(last_answered_at, now)} if last_answered_at else {}
    if newest_result["outcome"] == Outcome.ERROR and now - (
        newest_result["confirmed_at"] or newest_result["at"]
    ) < timedelta(days=1):
        message = _("The registry did not answer when we last asked.")
        message += " " + _("It last did %(when)s.") % when if last_answered_at else ""
        return StatusLine("Registry", "down", message, details, at=last_answered_at)
    message = _("The registry answered %(when)s.") % when if last_answered_at else _("The registry answered us.")
    return StatusLine("Registry", "ok", message, details, at=last_answered_at)


def measure_polling(now: datetime) -> StatusLine:
    repositories = MonitoredRepository.objects.filter(ended_at=None)
    data_range = repositories.aggregate(oldest=Min("data_up_to"))
    count = repositories.count()
    if not count:
        return StatusLine("Issues", "idle", _("No repository is watched: nothing is in support yet."))
    trouble_count = repositories.filter(~Q(trouble_since=None) | ~Q(missing_since=None) | ~Q(refused_at=None)).count()
    details = ((_("repositories watched"), str(count)), (_("with trouble"), str(trouble_count)))
    oldest_data_at: datetime = data_range["oldest"]
    is_delayed = now - oldest_data_at > POLL_LATE_AFTER
    message = _("Of every repository in support we know everything up to %(when)s.") % {
        "when": format_relative(oldest_data_at, now)
    }
    hint = _("No promise counts as broken over a time that we have not seen.") if is_delayed else ""
    return StatusLine("Issues", "late" if is_delayed else "ok", message, details, hint, oldest_data_at)


def measure_inbound_webhooks(now: datetime) -> StatusLine:
    unread_deliveries = GitHubDelivery.objects.filter(read_at=None)
    last_received_at = GitHubDelivery.objects.aggregate(at=Max("received_at"))["at"]
    if last_received_at is None:
        return StatusLine("Webhooks to us", "idle", _("None has come yet. Without them we read every few minutes."))
    last_delivery_message = _("The last one came %(when)s.") % {"when": format_relative(last_received_at, now)}
    return build_queue_line(
        "Webhooks to us", unread_deliveries, "received_at", READ_LATE_AFTER, now, last_delivery_message
    )


# -- what waits ----------------------------------------------------------------------------------------------


def measure_emails(now: datetime) -> StatusLine:
    if settings.EMAIL_STORED_ONLY:
        message = _("No mail server is set up: mails are kept in the outbox, where a page shows them.")
        return StatusLine("Mails", "absent", message)
    failed_count = EmailMessage.objects.filter(state=EmailMessage.State.FAILED, escalated_at=None).count()
    line = build_queue_line("Mails", list_due_jobs(send_email, now), "run_after", MAIL_LATE_AFTER, now)
    details = (*line.details, (_("given up, not passed on"), str(failed_count)))
    return StatusLine(line.name, line.state, line.sentence, details, at=line.at)


def measure_checks(now: datetime) -> StatusLine:
    return build_queue_line("Checks", list_due_jobs(run_checks, now), "run_after", RUN_LATE_AFTER, now)


def measure_outgoing_webhooks(now: datetime) -> StatusLine:
    waiting = WebhookDelivery.objects.filter(state=WebhookDelivery.State.WAITING, due_at__lte=now)
    waiting = waiting.filter(endpoint__ended_at=None, endpoint__paused_at=None)
    return build_queue_line("Webhooks to partners", waiting, "due_at", RUN_LATE_AFTER, now)


def measure_sandbox(_now: datetime) -> StatusLine:
    """Return whether the sandbox service answers. No program is started."""
    path = settings.SANDBOX_SOCKET
    if not path:
        message = _(
            "No sandbox service is set up: each worker starts programs itself, in a sandbox if its machine allows one."
        )
        hint = _("Where no sandbox can be had, the result is Not run, with the reason.")
        return StatusLine("Sandbox", "absent", message, hint=hint)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        try:
            connection.connect(path)
        except OSError as error:
            message = _("The sandbox does not answer. What needs it says “not run”, with the reason.")
            return StatusLine(
                "Sandbox", "down", message, ((_("why"), error.strerror or _("it did not answer in time")),)
            )
    return StatusLine("Sandbox", "ok", _("The sandbox takes work."))


# What a line is called stays plain here: machines read it, the page translates it.
Probe = tuple[str, Callable[[datetime], StatusLine]]
SOURCE_PROBES: tuple[Probe, ...] = (
    (gettext_noop("GitHub"), measure_github),
    (gettext_noop("Registry"), measure_registry),
    (gettext_noop("Issues"), measure_polling),
    (gettext_noop("Webhooks to us"), measure_inbound_webhooks),
)
QUEUE_PROBES: tuple[Probe, ...] = (
    (gettext_noop("Mails"), measure_emails),
    (gettext_noop("Checks"), measure_checks),
    *((name, build_test_run_probe(name, *test_run)) for name, test_run in TEST_RUNS.items()),
    (gettext_noop("Webhooks to partners"), measure_outgoing_webhooks),
)
WORKER_PROBES: tuple[Probe, ...] = (
    (gettext_noop("Background"), measure_background),
    *((QUEUE_NAMES.get(name, f"Queue {name}"), queue(name)) for name in QUEUES[1:]),
    (gettext_noop("Redis"), measure_redis),
    (gettext_noop("Sandbox"), measure_sandbox),
)
PROBE_GROUPS: tuple[tuple[str, tuple[Probe, ...]], ...] = (
    (gettext_noop("What we read"), SOURCE_PROBES),
    (gettext_noop("What waits"), QUEUE_PROBES),
    (gettext_noop("What works in the background"), WORKER_PROBES),
)
