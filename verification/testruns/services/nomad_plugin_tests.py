"""Which Nomad plugins are to be rehearsed? One open row an integration, claimed, and asked to its end."""

import logging
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.submissions.models import Integration
from portal.core.errors import NotAllowed
from portal.core.json_text import clean
from portal.jobs.publishing import nudge
from verification.checks.rules.nomad_plugin import KEY, KNOWN
from verification.checks.runner import subject_of
from verification.checks.services import observations
from verification.checks.services.runs import enqueue, may_ask
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.sources.errors import Unreadable
from verification.sources.factory import sources
from verification.testruns import artifacts
from verification.testruns.kinds.nomad_plugin import worker
from verification.testruns.kinds.nomad_plugin.config import config_of
from verification.testruns.kinds.nomad_plugin.driver import Given
from verification.testruns.kinds.nomad_plugin.records import Seen, from_dict
from verification.testruns.kinds.nomad_plugin.rules import catalog
from verification.testruns.kinds.provider_schema.artifacts import NotAuthentic
from verification.testruns.kinds.run_task.callback_store import patiently
from verification.testruns.models import NomadRehearsal

Program = Callable[[NomadRehearsal, Path], Path]
log = logging.getLogger(__name__)
CLAIM = timedelta(minutes=10)  # longer than any rehearsal may take
SECONDS = 180.0
TRIES = 2
READABLE: tuple[Path, ...] = ()  # further folders that a plugin may see: for tests, whose plugins are scripts
REFUSAL = gettext_noop("Only owners and editors of the company and people of the program may do this.")
CUT_OFF = "Our worker ended before the rehearsal did, twice."


def begin(integration: Integration, given: dict[str, Any], *, by: Any, now: datetime) -> NomadRehearsal:
    """Ask for a rehearsal. `given`: name, version, config (JSON as text). Raises NotAllowed."""
    if not may_ask(integration, by):
        raise NotAllowed(_(REFUSAL), "may")
    if not integration.is_open:
        raise NotAllowed(_("The integration has ended, so there is nothing to rehearse."), "gone")
    row = NomadRehearsal(
        integration=integration, type=integration.plugin, name=given["name"], version=given["version"],
        config=given["config"], requested_by=by, requested_at=now, due_at=now,
    )  # fmt: skip
    row.seen = Seen(_given(row, Path()).claims).as_dict()
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise NotAllowed(_("A rehearsal is under way; wait for its end."), "busy") from None
    transaction.on_commit(lambda: nudge("verification.testruns.tasks.rehearse_nomad", row.pk))
    return row


def run_due(now: datetime | None = None) -> int:
    """Play one of those that are due. Returns how many were taken."""
    due = NomadRehearsal.objects.due(now or timezone.now()).values_list("pk", flat=True)[:1]
    return sum(run_one(pk, now) for pk in list(due))


def run_one(pk: int, now: datetime | None = None, program: Program | None = None) -> bool:
    """Play one to its end, if it is due and in nobody's hands. Returns whether it was taken.

    `program` gives the executable, that of the release where it is left out. What was cut off is played once more:
    a plugin leaves nothing behind.
    """
    moment = now or timezone.now()
    free = NomadRehearsal.objects.due(moment).filter(pk=pk)
    if not free.update(claimed_until=moment + CLAIM):
        return False
    row = NomadRehearsal.objects.select_related("integration__partner").get(pk=pk)
    if row.attempts >= TRIES:
        _finish(row, replace(from_dict(row.seen), broken=CUT_OFF, over=True))
        return True
    NomadRehearsal.objects.filter(pk=pk).update(attempts=row.attempts + 1)
    _finish(row, _played(row, program or program_of))
    return True


def _played(row: NomadRehearsal, program: Program) -> Seen:
    """The whole of what was seen. Raises nothing: what goes wrong on our side is said as that."""
    try:
        with tempfile.TemporaryDirectory(prefix="release-") as folder:
            return _asked(row, _given(row, program(row, Path(folder))))
    except (SandboxUnavailable, NotAuthentic, ValueError) as why:
        return replace(from_dict(row.seen), unavailable=f"Not run: {why}", over=True)
    except (Unreadable, client.SandboxProtocolError) as why:
        return replace(from_dict(row.seen), broken=str(why), over=True)
    except Exception:
        log.exception("A rehearsal of a Nomad plugin broke")
        return replace(from_dict(row.seen), broken="Something of ours broke.", over=True)


def program_of(row: NomadRehearsal, folder: Path) -> Path:
    """The executable of the release. Raises NotAuthentic and Unreadable."""
    subject = replace(subject_of(row.integration, timezone.now()), version=row.version)
    return artifacts.fetched(subject, sources(), folder)


def _given(row: NomadRehearsal, executable: Path) -> Given:
    """Raises Unfit, which the form has ruled out."""
    return Given(executable, row.type, row.name, row.version, config_of(row.config), READABLE)


def _asked(row: NomadRehearsal, given: Given) -> Seen:
    """Have it played, and keep each answer as it comes. Raise what run_job raises."""
    said = client.run_job(
        "nomad", worker.order(given), {"plugin": given.executable}, service=settings.SANDBOX_SOCKET, seconds=SECONDS,
        report=lambda what: patiently(lambda: _keep(row, from_dict(what["seen"]))),
    )  # fmt: skip
    return from_dict(said)


def _keep(row: NomadRehearsal, seen: Seen) -> None:
    """What was seen so far, with its verdicts."""
    row.seen = clean(seen.as_dict())
    row.verdicts = clean([each.as_dict() for each in catalog.judge(seen)])
    NomadRehearsal.objects.open().filter(pk=row.pk).update(seen=row.seen, verdicts=row.verdicts)


def _finish(row: NomadRehearsal, seen: Seen) -> None:
    """End it: the last verdicts, and the check told."""
    outcome = str(catalog.outcome_of(catalog.judge(seen)))
    patiently(lambda: _keep(row, seen))
    patiently(lambda: _ended(row, outcome, timezone.now()))


@transaction.atomic
def _ended(row: NomadRehearsal, outcome: str, now: datetime) -> None:
    ended = {"finished_at": now, "claimed_until": None, "outcome": outcome}
    if not NomadRehearsal.objects.open().filter(pk=row.pk).update(**ended):
        return
    said = {"type": row.type, "version": row.version, "outcome": outcome, "verdicts": row.verdicts,
            "at": now.isoformat()}  # fmt: skip
    observations.remember(row.integration, KEY, {KNOWN: said}, now)
    enqueue(row.integration, row.requested_by, now, "A rehearsal has ended")
