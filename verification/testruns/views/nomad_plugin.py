"""How does a partner have their Nomad plugin rehearsed? One page that shows it live; the same as JSON."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from integrations.submissions.models import Integration
from integrations.submissions.views.mixins import load
from portal.core.errors import NotAllowed
from portal.core.repository_urls import product_of
from portal.ui.refusals import refused
from verification.checks.services.runs import may_ask
from verification.testruns import selectors
from verification.testruns.kinds.nomad_plugin.config import WHAT
from verification.testruns.kinds.nomad_plugin.driver import TITLES
from verification.testruns.kinds.nomad_plugin.forms import RehearseNomad
from verification.testruns.kinds.nomad_plugin.records import Asked, from_dict
from verification.testruns.kinds.nomad_plugin.report import as_plain
from verification.testruns.kinds.nomad_plugin.rules.catalog import RULES
from verification.testruns.models import NomadRehearsal
from verification.testruns.services import nomad_plugin_tests
from verification.testruns.views.live_page import as_json, page

PAGE = "testruns/nomad_plugin.html"
ACTS = {rule.key: rule.acts for rule in RULES}
OF_ONE_TYPE = {"task_schema": "driver", "capabilities": "driver", "reserve": "device", "stats": "device"}
MOST = 20_000  # characters of an answer that the page shows


@dataclass(frozen=True, slots=True)
class Shown:
    """A question as the page shows it: its words, how it ended, and the answer."""

    title: str
    line: str
    text: str


def loaded(request: HttpRequest, uuid: UUID) -> Integration:
    found = load(request, uuid)
    if not found.plugin:
        raise Http404(_("Only task drivers and device plugins for Nomad are rehearsed."))
    return found


def nomad_rehearsal(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page; a POST begins a rehearsal; htmx asks for what is new of it."""
    found = loaded(request, uuid)
    if request.method != "POST":
        return _page(request, found, RehearseNomad(initial=_usual(found)))
    if not may_ask(found, request.user):
        raise PermissionDenied(_(nomad_plugin_tests.REFUSAL))
    form = RehearseNomad(request.POST)
    if not form.is_valid():
        return _page(request, found, form, status=422)
    try:
        nomad_plugin_tests.begin(found, form.cleaned_data, by=request.user, now=timezone.now())
    except NotAllowed as refusal:
        refused(request, refusal)
    return redirect("nomad_rehearsal", uuid=uuid)


@require_safe
def nomad_rehearsal_json(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The chosen rehearsal, the newest one if none is chosen, as the command line prints it."""
    found = loaded(request, uuid)
    return as_json(
        request, found, NomadRehearsal, lambda row: {"version": row.version, **as_plain(from_dict(row.seen))}
    )


def _page(request: HttpRequest, found: Integration, form: RehearseNomad, status: int = 200) -> HttpResponse:
    return page(request, found, NomadRehearsal, PAGE, shown, status=status, form=form, what=_(WHAT[found.plugin]))


def shown(row: NomadRehearsal) -> dict[str, Any]:
    """What the page shows of a rehearsal: how far it is, its verdicts, and every question with its answer."""
    seen = from_dict(row.seen)
    acts = [act for act in TITLES if OF_ONE_TYPE.get(act, row.type) == row.type]
    asked = {one.act: _shown(one) for one in seen.asked}
    judged = selectors.for_page(row)
    told = [
        (each, [asked[act] for act in ACTS.get(each["rule"], ())[:1] if act in asked])
        if each["outcome"] in ("fail", "warn") else (each, [])
        for each in judged["verdicts"]
    ]  # fmt: skip
    return {
        "running": row.finished_at is None,
        "done": len(asked),
        "of": len(acts),
        "doing": next((TITLES[act] for act in acts if act not in asked), ""),
        "not_run": seen.unavailable,
        "broken": seen.broken,
        "told": told,
        "held": judged["held"],
        "asked": list(asked.values()),
    }


def _shown(asked: Asked) -> Shown:
    said = asked.data.get("said")
    text = said if said is not None else json.dumps(asked.data, indent=2, ensure_ascii=False) if asked.data else ""
    end = _("answered") if asked.is_answered else asked.sentence or asked.came
    line = _("%(end)s, after %(seconds)s s") % {"end": end.rstrip("."), "seconds": f"{asked.seconds:.1f}"}
    return Shown(asked.title, line, str(text)[:MOST] or _("Nothing."))


def _usual(found: Integration) -> dict[str, Any]:
    """What the form begins with: what was used last time, else the name that the repository gives."""
    last = NomadRehearsal.objects.filter(integration=found).first()
    if last is not None:
        return {name: getattr(last, name) for name in ("version", "name", "config")}
    return {"name": product_of(found.repository)}


urlpatterns = [
    path("integrations/<uuid:uuid>/nomad/", nomad_rehearsal, name="nomad_rehearsal"),
    path("integrations/<uuid:uuid>/nomad.json", nomad_rehearsal_json, name="nomad_rehearsal_json"),
]
