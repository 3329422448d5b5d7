"""How are an integration's labels read? The map in force, the partner's proposal, the program's answer."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone

from integrations import rules
from integrations.plain import Lines
from integrations.views.common import forbidden, load, only, refused
from integrations.workflow import NotAllowed
from verification.models import SupportPolicy
from verification.support import proposing
from verification.support.proposing import LabelMap

LOGIN = re.compile(r"^@?[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$")
MOST = 40
SMALL = {"rows": 5}


class LabelsForm(forms.Form):
    """Labels and people, one a line. `account` says which number a login has; it raises NotAllowed."""

    critical = Lines(
        label="Labels that make an issue critical", max_lines=MOST, widget=forms.Textarea(attrs=SMALL),
        help_text="One a line; capitals do not matter.",
    )  # fmt: skip
    pause = Lines(
        label="Labels that pause, together with a request to the reporter", required=False, max_lines=MOST,
        widget=forms.Textarea(attrs=SMALL),
    )  # fmt: skip
    team = Lines(
        label="GitHub logins of your team", required=False, max_lines=MOST, widget=forms.Textarea(attrs=SMALL),
        help_text="One a line. Owners, members and collaborators of the repository are known already.",
    )  # fmt: skip

    def __init__(self, *args: Any, account: Callable[[str], int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.account = account

    def clean_critical(self) -> tuple[str, ...]:
        return _labels(self.cleaned_data["critical"])

    def clean_pause(self) -> tuple[str, ...]:
        return _labels(self.cleaned_data["pause"])

    def clean_team(self) -> dict[int, str]:
        logins = [line.strip() for line in self.cleaned_data["team"].split("\n") if line.strip()]
        if odd := next((login for login in logins if not LOGIN.match(login)), ""):
            raise ValidationError(f"“{odd[:60]}” is no GitHub login: write the name alone, without an address.")
        try:
            return {self.account(name): name for name in (each.lstrip("@") for each in logins)}
        except NotAllowed as unknown:
            raise ValidationError(str(unknown)) from None

    @property
    def proposed(self) -> LabelMap:
        kept = self.cleaned_data
        return LabelMap(kept["critical"], kept["pause"], kept["team"])


class AnswerForm(forms.Form):
    """What the program says to a proposal."""

    note = Lines(label="Note", required=False, max_length=500, widget=forms.Textarea(attrs={"rows": 2}))


def _labels(text: str) -> tuple[str, ...]:
    found = proposing.in_order(text.split("\n"))
    if long := next((label for label in found if len(label) > 100), ""):
        raise ValidationError(f"“{long[:40]}…” is longer than a label on GitHub can be.")
    return found


def labels(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Show the map; a POST of the partner proposes another."""
    found, now = load(request, uuid), timezone.now()
    may = rules.may_edit(found, request.user)
    if request.method == "POST":
        only(rules.may_edit, found, request.user)
    policy = proposing.in_force(found, now)
    shown = proposing.map_of(policy)
    initial = {
        "critical": "\n".join(shown.critical), "pause": "\n".join(shown.pause), "team": "\n".join(shown.team.values())
    }  # fmt: skip
    form = LabelsForm(
        request.POST if request.method == "POST" else None, initial=initial, account=partial(proposing.account, found)
    )
    if form.is_valid():
        proposing.propose(found, form.proposed, by=request.user, now=now)
        messages.success(request, "The program has your proposal. Until it answers, the map in force stays.")
        return redirect("labels", uuid)
    waiting = found.support_policies.filter(state=SupportPolicy.State.PROPOSED).select_related("proposed_by").last()
    context = {
        "integration": found, "policy": policy, "shown": shown, "waiting": waiting, "form": form, "may": may,
        "proposed": proposing.map_of(waiting) if waiting else None, "now": now, "answer_form": AnswerForm(),
        "may_decide": rules.may_decide(found, request.user),
        "earlier": found.support_policies.exclude(state="proposed").select_related("proposed_by", "decided_by")[:50],
    }  # fmt: skip
    return render(request, "sla/labels.html", context, status=422 if form.is_bound else 200)


def labels_answer(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The program accepts or declines what waits."""
    found = load(request, uuid)
    if request.method != "POST":
        return redirect("labels", uuid)
    only(rules.may_decide, found, request.user)
    waiting = found.support_policies.filter(pk__in=_number(request.POST.get("policy", ""))).first()
    form = AnswerForm(request.POST)
    accept = request.POST.get("answer") == "accept"
    try:
        if waiting is None or request.POST.get("answer") not in ("accept", "decline") or not form.is_valid():
            raise NotAllowed("Nothing waits for an answer here.", "stale")
        note = form.cleaned_data["note"]
        if not accept and not note:
            raise NotAllowed("Say why: the company reads it.")
        proposing.decide(waiting, accept=accept, note=note, by=request.user, now=timezone.now())
        messages.success(request, "Accepted: it counts for issues opened from now on." if accept else "Declined.")
    except NotAllowed as refusal:
        forbidden(refusal)
        refused(request, refusal)
    return redirect("labels", uuid)


def _number(text: str) -> list[int]:
    return [int(text)] if text.isascii() and text.isdecimal() and len(text) < 19 else []


urlpatterns = [
    path("integrations/<uuid:uuid>/labels/", labels, name="labels"),
    path("integrations/<uuid:uuid>/labels/answer/", labels_answer, name="labels_answer"),
]
