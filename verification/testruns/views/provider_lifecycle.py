"""How does a partner have their provider's lifecycle rehearsed? One page that shows it live; the same as JSON."""

from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_safe

from integrations.submissions.models import Integration
from integrations.submissions.views.mixins import load
from portal.core.errors import NotAllowed
from portal.ui.refusals import refused
from verification.checks.services.runs import may_ask
from verification.releases.artifacts import file_names
from verification.schemas.models import StoredSchema
from verification.testruns import selectors
from verification.testruns.kinds.provider_lifecycle.forms import RehearseLifecycle
from verification.testruns.kinds.provider_lifecycle.records import Ran, Seen, seen_of
from verification.testruns.kinds.provider_lifecycle.report import as_plain
from verification.testruns.kinds.provider_lifecycle.rules.catalog import RULES
from verification.testruns.kinds.provider_lifecycle.scenario import script
from verification.testruns.models import LifecycleRehearsal
from verification.testruns.services import provider_lifecycle_tests
from verification.testruns.views.live_page import as_json, page

PAGE = "testruns/provider_lifecycle.html"
ACTS = {rule.key: rule.acts for rule in RULES} | {"partial": ("partial",), "left": ("cleanup",)}
TEXTS = ("version", "base", "changed", "refused", "partial")


def loaded(request: HttpRequest, uuid: UUID) -> Integration:
    found = load(request, uuid)
    if not file_names.REPOSITORY.fullmatch(found.repository.partition("/")[2]):
        raise Http404(_("Only a Terraform provider has a lifecycle."))
    return found


@sensitive_post_parameters("secret")
@sensitive_variables("form")
def lifecycle(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page; a POST begins a rehearsal; htmx asks for what is new of it."""
    found = loaded(request, uuid)
    accounts = accounts_of(found)
    if request.method != "POST":
        return _page(request, found, RehearseLifecycle(accounts, initial=_usual(found)))
    if not may_ask(found, request.user):
        raise PermissionDenied(_(provider_lifecycle_tests.REFUSAL))
    form = RehearseLifecycle(accounts, request.POST)
    if not form.is_valid():
        return _page(request, found, form, status=422)
    try:
        provider_lifecycle_tests.begin(found, form.cleaned_data, by=request.user, now=timezone.now())
    except NotAllowed as refusal:
        refused(request, refusal)
    return redirect("lifecycle", uuid=uuid)


@require_safe
def lifecycle_json(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The chosen rehearsal, the newest one if none is chosen, as the command line prints it."""
    found = loaded(request, uuid)
    return as_json(
        request, found, LifecycleRehearsal, lambda row: {"version": row.version, **as_plain(seen_of(row.seen))}
    )


def _page(request: HttpRequest, found: Integration, form: RehearseLifecycle, status: int = 200) -> HttpResponse:
    return page(request, found, LifecycleRehearsal, PAGE, shown, status=status, form=form)


def shown(row: LifecycleRehearsal) -> dict[str, Any]:
    """What the page shows of a rehearsal: how far it is, its verdicts, and every command with what it printed."""
    seen = seen_of(row.seen)
    steps = script(refused=seen.has_refused, partial=seen.has_partial)
    told = selectors.for_page(row)
    next_step = next((step.title for step in steps if seen.of(step.key) is None), "")
    return {
        "running": row.finished_at is None,
        "done": len(seen.ran),
        "of": len(steps),
        "doing": next_step,
        "not_run": seen.unavailable,
        "broken": seen.broken,
        "told": [(verdict, _commands(verdict, seen)) for verdict in told["verdicts"]],
        "held": told["held"],
        "ran": seen.ran,
    }


def _commands(verdict: dict[str, Any], seen: Seen) -> list[Ran]:
    """The commands that show why a rule does not hold plainly."""
    if verdict["outcome"] not in ("fail", "warn"):
        return []
    if verdict["rule"] == "secrets.output":
        return [ran for ran in seen.ran if ran.shown]
    return [ran for act in ACTS.get(verdict["rule"], ())[-1:] if (ran := seen.of(act)) is not None]


def accounts_of(found: Integration) -> list[tuple[str, str]]:
    kept = found.credentials.filter(ended_at=None).order_by("pk")
    return [(str(account.uuid), account.label) for account in kept]


def _usual(found: Integration) -> dict[str, Any]:
    """What the form begins with: what was used last time, else the newest version that we know."""
    last = LifecycleRehearsal.objects.filter(integration=found).first()
    if last is not None:
        return {name: getattr(last, name) for name in TEXTS} | {"hosts": " ".join(last.hosts)}
    newest = StoredSchema.objects.filter(integration=found).order_by("-given_at").first()
    return {"version": newest.version if newest else ""}


urlpatterns = [
    path("integrations/<uuid:uuid>/lifecycle/", lifecycle, name="lifecycle"),
    path("integrations/<uuid:uuid>/lifecycle.json", lifecycle_json, name="lifecycle_json"),
]
