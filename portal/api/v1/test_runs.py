"""How is a run task, a provider's lifecycle or a Nomad plugin rehearsed from a program? Begun, read while it runs."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from ninja import Path, Query, Schema
from pydantic import Field

from portal.api.conditional import located
from portal.api.problems import fit
from portal.api.routing import Done, Page, Paged, Room, Strict, listed, posted
from portal.core.errors import NotAllowed
from verification.checks.services.runs import may_ask
from verification.testruns.kinds.nomad_plugin import report as nomad_report
from verification.testruns.kinds.nomad_plugin.forms import RehearseNomad
from verification.testruns.kinds.nomad_plugin.records import from_dict as nomad_seen
from verification.testruns.kinds.provider_lifecycle import report as lifecycle_report
from verification.testruns.kinds.provider_lifecycle.forms import RehearseLifecycle
from verification.testruns.kinds.provider_lifecycle.records import seen_of as lifecycle_seen
from verification.testruns.kinds.run_task import report
from verification.testruns.kinds.run_task.callback_store import seen_of
from verification.testruns.kinds.run_task.forms import Rehearse
from verification.testruns.models import LifecycleRehearsal, NomadRehearsal, RunTaskRehearsal
from verification.testruns.services import nomad_plugin_tests, provider_lifecycle_tests, run_task_tests
from verification.testruns.views import nomad_plugin, provider_lifecycle
from verification.testruns.views import run_task as views_rehearsal

room = Room("Rehearsals")
READ, WRITE = "checks:read", "checks:write"
RUN_TASK, LIFECYCLE, NOMAD = (f"/integrations/{{uuid:uuid}}/{name}" for name in ("rehearsal", "lifecycle", "nomad"))
BIG = 2**63 - 1


class RehearsalOut(Schema):
    """A rehearsal. `about`: the address or version; `outcome` is blank until `finished_at`; `verdicts`: so far."""

    id: int
    about: str
    requested_by: str
    requested_at: datetime
    finished_at: datetime | None
    outcome: str
    verdicts: list[dict[str, Any]]


class RehearsalWhole(RehearsalOut):
    """`seen`: all that was exchanged, as the command line prints it, secrets struck out."""

    seen: dict[str, Any]


class RunTaskIn(Strict):
    """`key` signs the requests; it is encrypted at once and forgotten at the end. What is left out is ours."""

    url: str
    stages: list[str] = Field(max_length=10)
    key: str = ""
    passing_workspace: str = ""
    failing_workspace: str = ""
    passing_plan: str = Field("", description="JSON as text.")
    failing_plan: str = Field("", description="JSON as text.")


class LifecycleIn(Strict):
    """Configurations in HCL. `secret`: NAME=value, one a line; `account`: the uuid of a kept test account."""

    version: str
    base: str
    changed: str
    refused: str = ""
    partial: str = ""
    secret: str = ""
    account: str = ""
    hosts: str = Field("", description="Hosts that the provider reaches, with spaces between.")


class NomadIn(Strict):
    """`config`: what Nomad's agent would hand over, JSON as text."""

    version: str
    name: str = ""
    config: str = ""


def rehearsal_out(row: Any) -> dict[str, Any]:
    same = ("requested_at", "finished_at", "outcome", "verdicts")
    about = row.url if isinstance(row, RunTaskRehearsal) else row.version
    by = {"id": row.pk, "about": about, "requested_by": str(row.requested_by or "")}
    return {name: getattr(row, name) for name in same} | by


def _whole(row: Any, seen: Mapping[str, Any]) -> dict[str, Any]:
    return rehearsal_out(row) | {"seen": dict(seen)}


def _one(rows: Any, pk: int) -> Any:
    found = rows.select_related("requested_by").filter(pk=pk).first() if pk <= BIG else None
    if found is None:
        raise Http404("There is no such rehearsal.")
    return found


def _ask_first(found: Any, request: HttpRequest, refusal: str) -> None:
    """Whoever may not ask hears that before hearing what does not fit."""
    if not may_ask(found, request.user):
        raise NotAllowed(refusal, "may")


@room.get(RUN_TASK, READ, Page[RehearsalOut])
def list_rehearsals(request: HttpRequest, response: HttpResponse, uuid: UUID, paged: Query[Paged]) -> Any:
    """The rehearsals of a run task, newest first."""
    rows = RunTaskRehearsal.objects.filter(integration=views_rehearsal.loaded(request, uuid))
    return listed(request, response, rows.select_related("requested_by"), paged, rehearsal_out)


@room.get(f"{RUN_TASK}/{{int:pk}}", READ, RehearsalWhole)
def get_rehearsal(request: HttpRequest, uuid: UUID, pk: int = Path(le=BIG)) -> Any:
    """One rehearsal of a run task, with every exchange. Ask again while `finished_at` is null."""
    row = _one(RunTaskRehearsal.objects.filter(integration=views_rehearsal.loaded(request, uuid)), pk)
    return _whole(row, report.as_plain(seen_of(row, over=row.finished_at is not None), row.url))


@room.post(RUN_TASK, WRITE, RehearsalOut, status=202)
@sensitive_variables()
def begin_rehearsal(request: HttpRequest, response: HttpResponse, uuid: UUID, body: RunTaskIn) -> Any:
    """Have a run task rehearsed: the portal asks it as the platform would. One at a time."""
    found = views_rehearsal.loaded(request, uuid)
    _ask_first(found, request, run_task_tests.REFUSAL)
    given = fit(Rehearse(posted(**body.model_dump()))).cleaned_data
    row = run_task_tests.begin(found, given, by=request.user, now=timezone.now())
    located(request, response, "integrations", uuid, "rehearsal", row.pk)
    return rehearsal_out(row)


@room.post(f"{RUN_TASK}/stop", WRITE)
def stop_rehearsal(request: HttpRequest, uuid: UUID) -> Any:
    """End the one under way with what was seen so far."""
    run_task_tests.stop(views_rehearsal.loaded(request, uuid), by=request.user, now=timezone.now())
    return Done(said="No rehearsal is under way.")


@room.get(LIFECYCLE, READ, Page[RehearsalOut])
def list_lifecycles(request: HttpRequest, response: HttpResponse, uuid: UUID, paged: Query[Paged]) -> Any:
    """The rehearsals of a provider's lifecycle, newest first."""
    rows = LifecycleRehearsal.objects.filter(integration=provider_lifecycle.loaded(request, uuid)).defer("seen")
    return listed(request, response, rows.select_related("requested_by"), paged, rehearsal_out)


@room.get(f"{LIFECYCLE}/{{int:pk}}", READ, RehearsalWhole)
def get_lifecycle(request: HttpRequest, uuid: UUID, pk: int = Path(le=BIG)) -> Any:
    """One rehearsal of a lifecycle, with every command. Ask again while `finished_at` is null."""
    row = _one(LifecycleRehearsal.objects.filter(integration=provider_lifecycle.loaded(request, uuid)), pk)
    return _whole(row, lifecycle_report.as_plain(lifecycle_seen(row.seen)))


@room.post(LIFECYCLE, WRITE, RehearsalOut, status=202)
@sensitive_variables()
def begin_lifecycle(request: HttpRequest, response: HttpResponse, uuid: UUID, body: LifecycleIn) -> Any:
    """Have a provider's lifecycle rehearsed in the sandbox: made, changed, destroyed. One at a time."""
    found = provider_lifecycle.loaded(request, uuid)
    _ask_first(found, request, provider_lifecycle_tests.REFUSAL)
    form = fit(RehearseLifecycle(provider_lifecycle.accounts_of(found), posted(**body.model_dump())))
    row = provider_lifecycle_tests.begin(found, form.cleaned_data, by=request.user, now=timezone.now())
    located(request, response, "integrations", uuid, "lifecycle", row.pk)
    return rehearsal_out(row)


@room.get(NOMAD, READ, Page[RehearsalOut])
def list_nomad_rehearsals(request: HttpRequest, response: HttpResponse, uuid: UUID, paged: Query[Paged]) -> Any:
    """The rehearsals of a task driver or device plugin for Nomad, newest first."""
    rows = NomadRehearsal.objects.filter(integration=nomad_plugin.loaded(request, uuid)).defer("seen")
    return listed(request, response, rows.select_related("requested_by"), paged, rehearsal_out)


@room.get(f"{NOMAD}/{{int:pk}}", READ, RehearsalWhole)
def get_nomad_rehearsal(request: HttpRequest, uuid: UUID, pk: int = Path(le=BIG)) -> Any:
    """One rehearsal of a Nomad plugin, with every question. Ask again while `finished_at` is null."""
    row = _one(NomadRehearsal.objects.filter(integration=nomad_plugin.loaded(request, uuid)), pk)
    return _whole(row, nomad_report.as_plain(nomad_seen(row.seen)))


@room.post(NOMAD, WRITE, RehearsalOut, status=202)
def begin_nomad_rehearsal(request: HttpRequest, response: HttpResponse, uuid: UUID, body: NomadIn) -> Any:
    """Have a Nomad plugin rehearsed in the sandbox. One at a time."""
    found = nomad_plugin.loaded(request, uuid)
    _ask_first(found, request, nomad_plugin_tests.REFUSAL)
    given = fit(RehearseNomad(posted(**body.model_dump()))).cleaned_data
    row = nomad_plugin_tests.begin(found, given, by=request.user, now=timezone.now())
    located(request, response, "integrations", uuid, "nomad", row.pk)
    return rehearsal_out(row)
