"""Why is this issue due when it is, and what can be done about it? One issue's page and its three buttons."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.partners import permissions
from integrations.sla.engine import inputs
from integrations.sla.filters import visible
from integrations.sla.issue_page import shown
from integrations.sla.models import Issue
from integrations.sla.services import disputes
from integrations.submissions.views.mixins import only, pressed
from portal.core.errors import NotAllowed
from portal.core.text_fields import Lines
from portal.ui.refusals import forbidden

Decide = Callable[..., Any]

FORMS = ("lower", "let_off", "ask", "dispute", "dismiss")


class ReasonForm(forms.Form):
    """Why: it is kept in the history, and both sides read it."""

    reason = Lines(label=gettext_lazy("Reason"), max_length=1000, widget=forms.Textarea(attrs={"rows": 3}))


def load_issue(request: HttpRequest, uuid: UUID) -> Issue:
    """The issue with all that its fold needs. Raises Http404 for what is not the person's to see."""
    mine = Issue.objects.filter(visible(request.user), uuid=uuid).prefetch_related(inputs.WITH_EVENTS)
    issue = mine.select_related("watch", "calendar", "policy", "integration__partner").first()
    if issue is None:
        raise Http404(_("This issue does not exist, or it is not visible to you."))
    return issue


def issue(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Both clocks, why, what happened, and what this person may do."""
    return _page(request, load_issue(request, uuid))


def _page(request: HttpRequest, found: Issue, bound: dict[str, ReasonForm] | None = None) -> HttpResponse:
    now, user = timezone.now(), request.user
    page = shown(found, user, now)
    forms_of = {name: ReasonForm(auto_id=f"{name}-%s") for name in FORMS} | (bound or {})
    is_critical, covered = page.state.severity == "critical", page.state.covered
    breaches = list(found.breaches.order_by("due_at", "pk"))
    context = {
        "page": page,
        "issue": found,
        "integration": found.integration,
        "now": now,
        "forms": forms_of,
        "breaches": breaches,
        "may_dismiss": permissions.may_decide(found.integration, user) and found.disputed,
        "may_dispute": permissions.may_edit(found.integration, user)
        and any(not each.retracted_at for each in breaches),
        "may_lower": permissions.may_decide(found.integration, user) and is_critical and covered,
        "may_let_off": permissions.may_decide(found.integration, user) and covered,
        "may_ask": permissions.may_edit(found.integration, user) and is_critical and covered,
        "for_program": permissions.works_for_program(user),
        "is_partner": permissions.may_edit(found.integration, user),
        "open_form": next(iter(bound), "") if bound else "",
    }
    return render(request, "sla/issue.html", context, status=422 if bound else 200)


def _decided(request: HttpRequest, uuid: UUID, name: str, rule: Any, act: Decide, said: str) -> HttpResponse:
    """One button: check the reason, do it, say so; what was typed stays where it is not taken."""
    found = load_issue(request, uuid)
    only(rule, found.integration, request.user)
    form = ReasonForm(request.POST, auto_id=f"{name}-%s")
    if not form.is_valid():
        return _page(request, found, {name: form})
    try:
        act(found, form.cleaned_data["reason"], by=request.user, now=timezone.now())
    except NotAllowed as refusal:
        forbidden(refusal)
        form.add_error("reason", str(refusal))
        return _page(request, found, {name: form})
    messages.success(request, said)
    return redirect("issue", uuid)


@pressed("issue")
def lower(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The program agrees that it is not critical."""
    said = _("The severity is lowered. Both sides read why.")
    return _decided(request, uuid, "lower", permissions.may_decide, disputes.lower, said)


@pressed("issue")
def let_off(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The program agrees that the promise does not cover it."""
    said = _("The promise does not cover this issue any more.")
    return _decided(request, uuid, "let_off", permissions.may_decide, disputes.let_off, said)


@pressed("issue")
def ask(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The partner asks the program to lower the severity."""
    said = _("The program has your reason. The clock runs on until it agrees.")
    return _decided(request, uuid, "ask", permissions.may_edit, disputes.ask_to_lower, said)


@pressed("issue")
def dispute(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The partner disputes a breach that stands."""
    said = _("The program has your reason. The breach stands until it has decided.")
    return _decided(request, uuid, "dispute", permissions.may_edit, disputes.dispute, said)


@pressed("issue")
def dismiss(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The program leaves what is disputed as it is."""
    said = _("It stays as it is. Both sides read why.")
    return _decided(request, uuid, "dismiss", permissions.may_decide, disputes.dismiss, said)


urlpatterns = [
    path("issues/<uuid:uuid>/", issue, name="issue"),
    path("issues/<uuid:uuid>/lower/", lower, name="issue_lower"),
    path("issues/<uuid:uuid>/let-off/", let_off, name="issue_let_off"),
    path("issues/<uuid:uuid>/ask/", ask, name="issue_ask"),
    path("issues/<uuid:uuid>/dispute/", dispute, name="issue_dispute"),
    path("issues/<uuid:uuid>/dismiss/", dismiss, name="issue_dismiss"),
]
