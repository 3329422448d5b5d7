"""How are an integration's labels read? The map in force, the partner's proposal, the program's answer."""

import re
from collections.abc import Callable
from datetime import datetime
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
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.partners import permissions
from integrations.sla.models import SupportPolicy
from integrations.sla.services import label_proposals
from integrations.sla.services.label_proposals import LabelMap
from integrations.submissions.models import Integration
from integrations.submissions.views.mixins import load, only
from portal.core.errors import NotAllowed
from portal.core.text_fields import Lines
from portal.ui.refusals import forbidden, refused

LOGIN = re.compile(r"^@?[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$")
MOST, EARLIER = 40, 20
SMALL = {"rows": 5}


class LabelsForm(forms.Form):
    """Labels and people, one a line. `account` says which number a login has; it raises NotAllowed."""

    critical = Lines(
        label=gettext_lazy("Labels that make an issue critical"), max_lines=MOST, widget=forms.Textarea(attrs=SMALL),
        help_text=gettext_lazy("One a line; capitals do not matter."),
    )  # fmt: skip
    pause = Lines(
        label=gettext_lazy("Labels that pause, together with a request to the reporter"), required=False,
        max_lines=MOST,
        widget=forms.Textarea(attrs=SMALL),
    )  # fmt: skip
    team = Lines(
        label=gettext_lazy("GitHub logins of your team"), required=False, max_lines=MOST,
        widget=forms.Textarea(attrs=SMALL),
        help_text=gettext_lazy("One a line. Owners, members and collaborators of the repository are known already."),
    )  # fmt: skip

    bots = Lines(
        label=gettext_lazy("Machines that look like people"), required=False, max_lines=MOST,
        widget=forms.Textarea(attrs=SMALL),
        help_text=gettext_lazy(
            "GitHub logins, one a line. What they open has no clock, and their "
            "answers count for nobody."
        ),
    )  # fmt: skip
    second_accounts = Lines(
        label=gettext_lazy("Second accounts"), required=False, max_lines=MOST, widget=forms.Textarea(attrs=SMALL),
        help_text=gettext_lazy("One a line, the second account first: ada-at-work = ada. Both count as one person."),
    )  # fmt: skip

    def __init__(self, *args: Any, account: Callable[[str], int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.account = account

    def clean_critical(self) -> tuple[str, ...]:
        return _labels(self.cleaned_data["critical"])

    def clean_pause(self) -> tuple[str, ...]:
        return _labels(self.cleaned_data["pause"])

    def clean_team(self) -> dict[int, str]:
        return self._accounts(self.cleaned_data["team"].split("\n"))

    def clean_bots(self) -> dict[int, str]:
        found = self._accounts(self.cleaned_data["bots"].split("\n"))
        if both := next((login for number, login in found.items() if number in self.cleaned_data.get("team", {})), ""):
            raise ValidationError(
                _("“%(both)s” is of your team already: name it as a person or as a machine.") % {"both": both}
            )
        return found

    def clean_second_accounts(self) -> list[tuple[tuple[int, str], tuple[int, str]]]:
        lines = [line for line in self.cleaned_data["second_accounts"].split("\n") if line.strip()]
        return [self._pair(line) for line in lines]

    def _pair(self, line: str) -> tuple[tuple[int, str], tuple[int, str]]:
        names = line.replace("=", " ").split()
        if len(names) != 2:
            raise ValidationError(
                _("“%(strip)s” does not name two accounts, like: ada-at-work = ada") % {"strip": line.strip()[:60]}
            )
        found = list(self._accounts(names).items())
        if len(found) != 2:
            raise ValidationError(_("“%(strip)s” names one account twice.") % {"strip": line.strip()[:60]})
        return found[0], found[1]

    def _accounts(self, lines: list[str]) -> dict[int, str]:
        logins = [line.strip() for line in lines if line.strip()]
        if odd := next((login for login in logins if not LOGIN.match(login)), ""):
            raise ValidationError(
                _("“%(odd)s” is no GitHub login: write the name alone, without an address.") % {"odd": odd[:60]}
            )
        try:
            return {self.account(name): name for name in (each.lstrip("@") for each in logins)}
        except NotAllowed as unknown:
            raise ValidationError(str(unknown)) from None

    @property
    def proposed(self) -> LabelMap:
        kept = self.cleaned_data
        pairs = kept["second_accounts"]
        seconds = {second: first for (second, _), (first, _) in pairs}
        logins = dict(account for pair in pairs for account in pair)
        return LabelMap(kept["critical"], kept["pause"], kept["team"], kept["bots"], seconds, logins)


class AnswerForm(forms.Form):
    """What the program says to a proposal."""

    note = Lines(label=gettext_lazy("Note"), required=False, max_length=500, widget=forms.Textarea(attrs={"rows": 2}))


def _labels(text: str) -> tuple[str, ...]:
    found = label_proposals.in_order(text.split("\n"))
    if long := next((label for label in found if len(label) > 100), ""):
        raise ValidationError(_("“%(long)s…” is longer than a label on GitHub can be.") % {"long": long[:40]})
    return found


def initial_of(shown: LabelMap) -> dict[str, str]:
    """A map as the form shows it."""
    parts = {
        "critical": shown.critical, "pause": shown.pause, "team": shown.team.values(), "bots": shown.bots.values(),
        "second_accounts": shown.pairs,
    }  # fmt: skip
    return {name: "\n".join(held) for name, held in parts.items()}


def labels(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Show the map; a POST of the partner proposes another."""
    found, now = load(request, uuid), timezone.now()
    if request.method == "POST":
        only(permissions.may_edit, found, request.user)
    shown = label_proposals.map_of(label_proposals.in_force(found, now))
    typed = request.POST if request.method == "POST" else None
    form = LabelsForm(typed, initial=initial_of(shown), account=partial(label_proposals.account, found))
    if form.is_valid():
        label_proposals.propose(found, form.proposed, by=request.user, now=now)
        messages.success(request, _("The program has your proposal. Until it answers, the map in force stays."))
        return redirect("labels", uuid)
    context = _context(found, request.user, shown, now) | {"form": form}
    return render(request, "sla/labels.html", context, status=422 if form.is_bound else 200)


def _context(found: Integration, user: Any, shown: LabelMap, now: datetime) -> dict[str, Any]:
    """What waits beside what is in force, and what was decided before."""
    mine = found.support_policies.select_related("proposed_by", "decided_by")
    waiting = mine.filter(state=SupportPolicy.State.PROPOSED).last()
    earlier = mine.exclude(state=SupportPolicy.State.PROPOSED).order_by("-proposed_at", "-pk")[:EARLIER]
    return {
        "integration": found,
        "now": now,
        "policy": label_proposals.in_force(found, now),
        "shown": label_proposals.parts(shown),
        "waiting": waiting,
        "compared": label_proposals.compared(shown, label_proposals.map_of(waiting)) if waiting else [],
        "earlier": [(each, label_proposals.parts(label_proposals.map_of(each))) for each in earlier],
        "answer_form": AnswerForm(),
        "may": permissions.may_edit(found, user),
        "may_decide": permissions.may_decide(found, user),
    }


def labels_answer(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The program accepts or declines what waits."""
    found = load(request, uuid)
    if request.method != "POST":
        return redirect("labels", uuid)
    only(permissions.may_decide, found, request.user)
    waiting = found.support_policies.filter(pk__in=_number(request.POST.get("policy", ""))).first()
    form = AnswerForm(request.POST)
    accept = request.POST.get("answer") == "accept"
    try:
        if waiting is None or request.POST.get("answer") not in ("accept", "decline") or not form.is_valid():
            raise NotAllowed(_("Nothing waits for an answer here."), "stale")
        note = form.cleaned_data["note"]
        if not accept and not note:
            raise NotAllowed(_("Say why: the company reads it."))
        label_proposals.decide(waiting, accept=accept, note=note, by=request.user, now=timezone.now())
        messages.success(request, _("Accepted: it counts for issues opened from now on.") if accept else _("Declined."))
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
