"""How are two companies introduced? Who else works on mine, the question, and the answer of the other side."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Membership, Partner, Role
from integrations.submissions.forms.introductions import AskForm
from integrations.submissions.models import Introduction
from integrations.submissions.selectors.similar import overlaps_of
from integrations.submissions.services import introductions
from integrations.submissions.views.draft_confirmation import MOST_ASKED, ask_for
from integrations.submissions.views.mixins import load
from portal.core.errors import NotAllowed
from portal.ui.refusals import refused

ANSWERS = {"agree": introductions.agree, "decline": introductions.decline}


@dataclass(frozen=True, slots=True)
class Contact:
    """Whom to write to on one side."""

    company: str
    title: str
    people: list[Any]


def neighbours(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Who else works on this integration's subject; editors may ask to be introduced."""
    found = load(request, uuid)
    form = AskForm(request.POST if request.method == "POST" else None, initial=request.unsent())  # type: ignore[attr-defined]
    if request.method == "POST" and form.is_valid():
        ask_for(request, found, request.POST.getlist("introduce")[:MOST_ASKED], form.cleaned_data["message"])
        return redirect("neighbours", uuid=uuid)
    context = {"integration": found, "overlaps": overlaps_of(found), "form": form, "can_edit": may_ask(found, request)}
    return render(request, "submissions/introduction_neighbours.html", context, status=422 if form.is_bound else 200)


def may_ask(found: Any, request: HttpRequest) -> bool:
    return found.is_open and permissions.may_edit(found, request.user)


def introduction(request: HttpRequest, pk: int) -> HttpResponse:
    """One introduction, for both sides and the program; before both agreed, neither side reads the other's name."""
    found = load_introduction(request, pk)
    if request.method == "POST":
        return answer(request, found)
    user: Any = request.user
    is_asker = bool(permissions.role_of(found.asking.partner, user))
    is_asked = bool(permissions.role_of(found.other.partner, user))
    agreed = found.state == Introduction.State.AGREED
    context = {
        "introduction": found,
        "mine": found.asking if is_asker else found.other,
        "is_asker": is_asker,
        "can_answer": is_asked and permissions.may_edit(found.other, user) and found.state == Introduction.State.ASKED,
        "contacts": contacts(found) if agreed else [],
        "for_program": not (is_asker or is_asked),
    }
    return render(request, "submissions/introduction.html", context)


def load_introduction(request: HttpRequest, pk: int) -> Introduction:
    """Raises Http404 for whoever belongs to neither side and not to the program."""
    rows = Introduction.objects.select_related("asking__partner", "other__partner", "asked_by", "decided_by")
    found = rows.filter(pk=pk).first()
    sides = (found.asking, found.other) if found else ()
    if not any(permissions.may_see(side, request.user) for side in sides):
        raise Http404(_("This introduction does not exist, or it is not visible to you."))
    return found  # type: ignore[return-value]


def answer(request: HttpRequest, found: Introduction) -> HttpResponse:
    """Agree or decline, once."""
    try:
        if request.POST.get("answer") not in ANSWERS:
            raise NotAllowed(_("Choose whether to agree."))
        ANSWERS[request.POST["answer"]](found, by=request.user, now=timezone.now())
    except NotAllowed as refusal:
        refused(request, refusal)
    return redirect("introduction", found.pk)


def contacts(found: Introduction) -> list[Contact]:
    """Both sides: who asked and who agreed, or the company's owners where that person has left."""
    return [
        Contact(found.asking.partner.name, found.asking.name, people(found.asking.partner, found.asked_by)),
        Contact(found.other.partner.name, found.other.name, people(found.other.partner, found.decided_by)),
    ]


def people(partner: Partner, first: Any) -> list[Any]:
    current = Membership.objects.filter(partner=partner, ended_at=None, user__is_active=True).select_related("user")
    here = [m.user for m in current if first is not None and m.user_id == first.pk]
    return here or [m.user for m in current if m.role == Role.OWNER]


urlpatterns = [
    path("integrations/<uuid:uuid>/neighbours/", neighbours, name="neighbours"),
    path("introductions/<int:pk>/", introduction, name="introduction"),
]
