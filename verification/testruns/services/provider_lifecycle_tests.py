"""Which lifecycles are to be rehearsed? One open row an integration, claimed, and played to its end in the sandbox.

A rehearsal that was cut off is not begun again: what it had made would be made twice. It ends as an error of ours.
"""

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
from django.views.decorators.debug import sensitive_variables

from integrations.submissions.models import Credential, Integration
from integrations.submissions.services import credentials
from portal.core import crypto
from portal.core.errors import NotAllowed
from portal.core.repository_urls import product_of
from portal.jobs.publishing import nudge
from verification.checks.runner import subject_of
from verification.checks.services.runs import may_ask
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.sources.errors import Unreadable
from verification.sources.factory import sources
from verification.testruns.kinds.provider_lifecycle import worker
from verification.testruns.kinds.provider_lifecycle.config import Given, environment_of
from verification.testruns.kinds.provider_lifecycle.driver import beginning
from verification.testruns.kinds.provider_lifecycle.records import Seen, ran_of, seen_of
from verification.testruns.kinds.provider_lifecycle.rules import catalog
from verification.testruns.kinds.provider_schema import artifacts
from verification.testruns.kinds.provider_schema.artifacts import NotAuthentic
from verification.testruns.kinds.run_task.callback_store import patiently
from verification.testruns.models import LifecycleRehearsal

Program = Callable[[LifecycleRehearsal, Path], Path]
log = logging.getLogger(__name__)
CLAIM = timedelta(minutes=40)  # longer than any rehearsal may take
SECONDS = 1800.0
READABLE: tuple[Path, ...] = ()  # further folders that a provider may see: for tests, whose providers are scripts
REFUSAL = gettext_noop("Only owners and editors of the company and people of the program may do this.")
CUT_OFF = "Our worker ended before the rehearsal did."
REASON = "Rehearsal of the provider's lifecycle"


@sensitive_variables("given")
def begin(integration: Integration, given: dict[str, Any], *, by: Any, now: datetime) -> LifecycleRehearsal:
    """Ask for a rehearsal. `given`: version, base, changed, refused, partial, hosts, secret (lines), account (uuid).

    Raises NotAllowed.
    """
    if not may_ask(integration, by):
        raise NotAllowed(_(REFUSAL), "may")
    if not integration.is_open:
        raise NotAllowed(_("The integration has ended, so there is nothing to rehearse."), "gone")
    texts = {name: given[name] for name in ("version", "base", "changed", "refused", "partial")}
    row = LifecycleRehearsal(
        integration=integration, hosts=list(given["hosts"]), account=given["account"] or None, requested_by=by,
        requested_at=now, due_at=now, **texts,
    )  # fmt: skip
    if given["secret"]:
        row.names = list(environment_of(given["secret"]))
        row.sealed = crypto.seal(crypto.Secret(given["secret"]), row.context())
    begun = beginning(_given(row, Path(), {}))
    row.seen = replace(begun, has_secrets=bool(row.sealed or row.account)).as_dict()
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise NotAllowed(_("A rehearsal is under way; wait for its end."), "busy") from None
    transaction.on_commit(lambda: nudge("verification.testruns.tasks.rehearse_lifecycle", row.pk))
    return row


def run_due(now: datetime | None = None) -> int:
    """Play one of those that are due. Returns how many were taken."""
    due = LifecycleRehearsal.objects.due(now or timezone.now()).values_list("pk", flat=True)[:1]
    return sum(run_one(pk, now) for pk in list(due))


def run_one(pk: int, now: datetime | None = None, program: Program | None = None) -> bool:
    """Play one to its end, if it is due and in nobody's hands. Returns whether it was taken.

    `program` gives the executable, that of the release where it is left out.
    """
    moment = now or timezone.now()
    free = LifecycleRehearsal.objects.due(moment).filter(pk=pk)
    if not free.update(claimed_until=moment + CLAIM):
        return False
    row = LifecycleRehearsal.objects.select_related("integration__partner").get(pk=pk)
    if row.attempts:
        _finish(row, replace(seen_of(row.seen), broken=CUT_OFF, over=True))
        return True
    LifecycleRehearsal.objects.filter(pk=pk).update(attempts=1)
    _finish(row, _played(row, program or program_of))
    return True


def _played(row: LifecycleRehearsal, program: Program) -> Seen:
    """The whole of what was seen. Raises nothing: what goes wrong on our side is said as that."""
    begun = seen_of(row.seen)
    try:
        with tempfile.TemporaryDirectory(prefix="release-") as folder:
            executable = program(row, Path(folder))
            return _asked(row, _given(row, executable, _environment(row)))
    except (SandboxUnavailable, NotAuthentic, NotAllowed, ValueError) as why:
        return replace(begun, unavailable=f"Not run: {why}", over=True)
    except (Unreadable, crypto.CannotOpen) as why:
        return replace(begun, broken=str(why), over=True)
    except Exception as fault:
        log.error("A lifecycle rehearsal broke: %s", type(fault).__name__)  # its text could hold what was typed
        return replace(seen_of(row.seen), broken="Something of ours broke.", over=True)


def program_of(row: LifecycleRehearsal, folder: Path) -> Path:
    """The executable of the release, which is authentic. Raises NotAuthentic and Unreadable."""
    clients = sources()
    subject = replace(subject_of(row.integration, timezone.now()), version=row.version)
    return artifacts.fetched(artifacts.authentic(subject, clients)[1], clients, folder)


@sensitive_variables()
def _environment(row: LifecycleRehearsal) -> dict[str, str]:
    """The credentials, for the sandbox alone. Raises CannotOpen, NotAllowed and Unfit."""
    text = ""
    if row.account is not None:
        account = Credential.objects.filter(integration=row.integration, uuid=row.account).first()
        if account is None:
            raise NotAllowed(_("This account was replaced or withdrawn meanwhile."), "gone")
        text = credentials.use_in_sandbox(account, by=None, reason=REASON, now=timezone.now()) + "\n"
    if row.sealed:
        text += crypto.unseal(bytes(row.sealed), row.context()).value
    return environment_of(text)


def _given(row: LifecycleRehearsal, executable: Path, environment: dict[str, str]) -> Given:
    namespace, _, name = row.integration.repository.partition("/")
    return Given(
        executable, Path(), f"{namespace.lower()}/{product_of(name)}", row.version, row.base, row.changed, row.refused,
        row.partial, tuple(row.hosts), environment,
    )  # fmt: skip


@sensitive_variables("given")
def _asked(row: LifecycleRehearsal, given: Given) -> Seen:
    """Have it played, and keep each step as it comes. Raise what run_job raises."""

    def heard(what: dict[str, Any]) -> None:
        seen = seen_of(row.seen).with_ran(ran_of(what["ran"]))
        patiently(lambda: _keep(row, seen))

    order = worker.order(given, READABLE, loopback=settings.LOOPBACK_SOURCES)
    files = {"provider": given.executable}
    said = client.run_job("lifecycle", order, files, service=settings.SANDBOX_SOCKET, seconds=SECONDS, report=heard)
    return seen_of(said)


def _keep(row: LifecycleRehearsal, seen: Seen) -> None:
    """What was seen so far, with its verdicts."""
    row.seen = seen.as_dict()
    row.verdicts = [each.as_dict() for each in catalog.judge(seen)]
    LifecycleRehearsal.objects.open().filter(pk=row.pk).update(seen=row.seen, verdicts=row.verdicts)


def _finish(row: LifecycleRehearsal, seen: Seen) -> None:
    """End it: the last verdicts, the credentials forgotten."""
    outcome = str(catalog.outcome_of(catalog.judge(seen)))
    patiently(lambda: _keep(row, seen))
    ended = {"finished_at": timezone.now(), "claimed_until": None, "sealed": b"", "outcome": outcome}
    patiently(lambda: LifecycleRehearsal.objects.open().filter(pk=row.pk).update(**ended))
