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

from integrations.sla.models import Delivery, Watch
from portal.core.cache import WAIT
from portal.jobs.broker import can_reach_broker
from portal.jobs.dispatcher import SWEEP
from portal.jobs.models import PeriodicRun
from portal.jobs.registry import JOBS, QUEUES
from portal.notifications.models import Email
from portal.status.selectors import PLAYED, RUN_LATE, Line, played, queue_line
from portal.status.views import MAIL_LATE, SWEEP_LATE, WAITING, find_late_jobs
from portal.ui.components.moments import exact, relative
from portal.webhooks.models import EndpointMessage
from verification.checks.models import CheckResult, CheckRun
from verification.outcomes import Outcome
from verification.sources.factory import credential
from verification.sources.models import Allowance, KeptAnswer
from verification.sources.rate_limits import closed_until

logger = logging.getLogger(__name__)
POLL_LATE = timedelta(hours=1)
READ_LATE = timedelta(minutes=10)


def measured(name: str, measure: Callable[[datetime], Line], now: datetime) -> Line:
    """A line; where measuring broke, one that says so. An outage of the database is for the caller."""
    try:
        return measure(now)
    except DatabaseError:
        raise
    except Exception:
        logger.exception("The state of %s could not be measured.", name)
        return Line(name, "unknown", _("We could not find out. Our staff see why in the log."))


def everything(now: datetime) -> list[tuple[str, list[Line]]]:
    """All lines under their headings."""
    return [(_(heading), [measured(name, of, now) for name, of in lines]) for heading, lines in PARTS]


def overall(groups: list[tuple[str, list[Line]]]) -> tuple[str, str]:
    """(tone, sentence) over all of them."""
    lines = [line for _heading, group in groups for line in group]
    down = [_(line.name) for line in lines if line.state == "down"]
    late = [_(line.name) for line in lines if line.state in ("late", "unknown")]
    if down:
        return "bad", _("Does not work: %(names)s.") % {"names": ", ".join(down)}
    if late:
        return "warn", _("Works, with delays: %(names)s.") % {"names": ", ".join(late)}
    return "good", _("Everything works.")


# -- the background ------------------------------------------------------------------------------------------


def sweep(now: datetime) -> Line:
    run = PeriodicRun.objects.filter(name=SWEEP).first()
    if run is None or run.finished_at is None:
        said = _("No background work was ever done: start the sweep.")
        return Line("Background", "down", said, hint=_(WITHOUT_SWEEP))
    late = now - run.finished_at > SWEEP_LATE
    said = _("The last sweep ended %(when)s.") % {"when": relative(run.finished_at, now)}
    state, hint, late_jobs = ("late", _(WITHOUT_SWEEP), []) if late else ("ok", "", find_late_jobs(now, QUEUES[0]))
    if late_jobs:
        state, hint = "late", _("Late: %(names)s.") % {"names": ", ".join(late_jobs)}
    return Line("Background", state, said, _jobs(QUEUES[0]), hint, run.finished_at)


def _jobs(queue: str) -> tuple[tuple[str, str], ...]:
    """Return the jobs of a queue and how often each runs."""
    return tuple((job.name, _("every %(count)s s") % {"count": job.seconds}) for job in JOBS if job.queue == queue)


WITHOUT_SWEEP = gettext_noop("Mails, checks and clocks wait until it runs again; nothing is lost.")
QUEUE_NAMES = {
    "mails": gettext_noop("Mail queue"),
    "outside": gettext_noop("Reading queue"),
    "checks": gettext_noop("Check queue"),
    "sandbox": gettext_noop("Sandbox queue"),
    "webhooks": gettext_noop("Webhook queue"),
}
QUEUE_PURPOSES = {
    "checks": gettext_noop("It runs checks and plays run task rehearsals."),
    "sandbox": gettext_noop("It reads the schemas of providers, and plays lifecycles and Nomad plugins."),
}


def queue(name: str) -> Callable[[datetime], Line]:
    """Return what measures one queue of the background."""
    word = QUEUE_NAMES.get(name, f"Queue {name}")

    def measure(now: datetime) -> Line:
        names = [job.name for job in JOBS if job.queue == name]
        last = PeriodicRun.objects.filter(name__in=names).aggregate(at=Max("finished_at"))["at"]
        jobs = _jobs(name)
        does = f"{_(QUEUE_PURPOSES[name])} " if name in QUEUE_PURPOSES else ""
        late_jobs = find_late_jobs(now, name)
        hint = _("Late: %(names)s.") % {"names": ", ".join(late_jobs)} if late_jobs else ""
        if last is None:
            state = "late" if late_jobs else "idle"
            return Line(word, state, does + _("It has not ended a round yet."), jobs, hint)
        said = does + _("Its last round ended %(when)s.") % {"when": relative(last, now)}
        return Line(word, "late" if late_jobs else "ok", said, jobs, hint, last)

    return measure


def redis(_now: datetime) -> Line:
    if not settings.REDIS_URL:
        said = _("This portal runs without Redis: the database and the sweep do everything.")
        return Line("Redis", "absent", said, ((_("cache"), caches["default"].__class__.__name__),))
    if not can_reach_broker():
        return Line("Redis", "down", _("Redis does not answer."), hint=_(WITHOUT_REDIS))
    return Line("Redis", "ok", _("Redis answers."))


WITHOUT_REDIS = gettext_noop(
    "Pages answer as before; background work starts up to ten seconds later, and limits on how often something may be "
    "tried count nothing."
)


# -- what we read --------------------------------------------------------------------------------------------


def github(now: datetime) -> Line:
    name, *_rest = credential()
    row = Allowance.objects.filter(name=name).first()
    last = KeptAnswer.objects.aggregate(at=Max("confirmed_at"))["at"]
    if row is None:
        return Line("GitHub", "idle", _("Nothing was asked of GitHub yet."), ((_("reads as"), name),))
    count = {"left": row.remaining, "limit": row.limit}
    left = _("unknown") if row.remaining is None else _("%(left)s of %(limit)s") % count
    details = [(_("reads as"), name), (_("asked this hour"), str(row.spent)), (_("GitHub says is left"), left)]
    details += [(_("last new answer"), relative(last, now))] if last else []
    if row.dead_at is not None:
        said = _("GitHub no longer accepts our credential. What somebody waits for is read without it.")
        return Line("GitHub", "down", said, (*details, (_("why"), row.dead_why)), at=row.dead_at)
    until = closed_until(row, True, now)
    if until is not None:
        said = _("GitHub asked us to read less: what nobody waits for goes on at %(when)s.")
        said %= {"when": exact(until, now)}
        return Line("GitHub", "late", said, tuple(details), at=until)
    return Line("GitHub", "ok", _("We may read GitHub."), tuple(details), at=last)


def registry(now: datetime) -> Line:
    asked = CheckResult.objects.filter(key="registry.listed")
    answered = asked.exclude(outcome=Outcome.ERROR).aggregate(at=Max("at"), again=Max("confirmed_at"))
    seen = max((at for at in answered.values() if at), default=None)
    newest = asked.order_by("-pk").values("outcome", "at", "confirmed_at", "summary").first()
    if newest is None:
        return Line("Registry", "idle", _("Nothing was asked of the registry yet."))
    details = ((_("address"), settings.REGISTRY_URL), (_("last said"), newest["summary"]))
    when = {"when": relative(seen, now)} if seen else {}
    if newest["outcome"] == Outcome.ERROR and now - (newest["confirmed_at"] or newest["at"]) < timedelta(days=1):
        said = _("The registry did not answer when we last asked.")
        said += " " + _("It last did %(when)s.") % when if seen else ""
        return Line("Registry", "down", said, details, at=seen)
    said = _("The registry answered %(when)s.") % when if seen else _("The registry answered us.")
    return Line("Registry", "ok", said, details, at=seen)


def polls(now: datetime) -> Line:
    watched = Watch.objects.filter(ended_at=None)
    found = watched.aggregate(oldest=Min("data_up_to"))
    count = watched.count()
    if not count:
        return Line("Issues", "idle", _("No repository is watched: nothing is in support yet."))
    trouble = watched.filter(~Q(trouble_since=None) | ~Q(missing_since=None) | ~Q(refused_at=None)).count()
    details = ((_("repositories watched"), str(count)), (_("with trouble"), str(trouble)))
    oldest: datetime = found["oldest"]
    late = now - oldest > POLL_LATE
    said = _("Of every repository in support we know everything up to %(when)s.") % {"when": relative(oldest, now)}
    hint = _("No promise counts as broken over a time that we have not seen.") if late else ""
    return Line("Issues", "late" if late else "ok", said, details, hint, oldest)


def webhooks(now: datetime) -> Line:
    unread = Delivery.objects.filter(read_at=None)
    last = Delivery.objects.aggregate(at=Max("received_at"))["at"]
    if last is None:
        return Line("Webhooks to us", "idle", _("None has come yet. Without them we read every few minutes."))
    before = _("The last one came %(when)s.") % {"when": relative(last, now)}
    return queue_line("Webhooks to us", unread, "received_at", READ_LATE, now, before)


# -- what waits ----------------------------------------------------------------------------------------------


def mails(now: datetime) -> Line:
    if settings.MAIL_KEPT:
        said = _("No mail server is set up: mails are kept in the outbox, where a page shows them.")
        return Line("Mails", "absent", said)
    failed = Email.objects.filter(state=Email.State.FAILED, passed_on_at=None).count()
    due = Email.objects.filter(state__in=WAITING, due_at__lte=now)
    line = queue_line("Mails", due, "due_at", MAIL_LATE, now)
    details = (*line.details, (_("given up, not passed on"), str(failed)))
    return Line(line.name, line.state, line.sentence, details, at=line.at)


def checks(now: datetime) -> Line:
    return queue_line("Checks", CheckRun.objects.open().filter(due_at__lte=now), "due_at", RUN_LATE, now)


def messages(now: datetime) -> Line:
    waiting = EndpointMessage.objects.filter(state=EndpointMessage.State.WAITING, due_at__lte=now)
    waiting = waiting.filter(endpoint__ended_at=None, endpoint__paused_at=None)
    return queue_line("Webhooks to partners", waiting, "due_at", RUN_LATE, now)


def sandbox(_now: datetime) -> Line:
    """Return whether the sandbox service answers. No program is started."""
    path = settings.SANDBOX_SOCKET
    if not path:
        said = _(
            "No sandbox service is set up: each worker starts programs itself, in a sandbox if its machine allows one."
        )
        hint = _("Where no sandbox can be had, the result is Not run, with the reason.")
        return Line("Sandbox", "absent", said, hint=hint)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as there:
        there.settimeout(WAIT)
        try:
            there.connect(path)
        except OSError as problem:
            said = _("The sandbox does not answer. What needs it says “not run”, with the reason.")
            return Line("Sandbox", "down", said, ((_("why"), problem.strerror or _("it did not answer in time")),))
    return Line("Sandbox", "ok", _("The sandbox takes work."))


# What a line is called stays plain here: machines read it, the page translates it.
Measure = tuple[str, Callable[[datetime], Line]]
READ: tuple[Measure, ...] = (
    (gettext_noop("GitHub"), github),
    (gettext_noop("Registry"), registry),
    (gettext_noop("Issues"), polls),
    (gettext_noop("Webhooks to us"), webhooks),
)
WAITS: tuple[Measure, ...] = (
    (gettext_noop("Mails"), mails),
    (gettext_noop("Checks"), checks),
    *((name, played(name, model)) for name, model in PLAYED.items()),
    (gettext_noop("Webhooks to partners"), messages),
)
WORKS: tuple[Measure, ...] = (
    (gettext_noop("Background"), sweep),
    *((QUEUE_NAMES.get(name, f"Queue {name}"), queue(name)) for name in QUEUES[1:]),
    (gettext_noop("Redis"), redis),
    (gettext_noop("Sandbox"), sandbox),
)
PARTS: tuple[tuple[str, tuple[Measure, ...]], ...] = (
    (gettext_noop("What we read"), READ),
    (gettext_noop("What waits"), WAITS),
    (gettext_noop("What works in the background"), WORKS),
)
