"""Where is something handed in? One page for each requirement, whatever its kind; one way through its buttons."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from integrations.programs.schema import Kind
from integrations.submissions.selectors import context as facts
from integrations.submissions.services.drafts import Conflict
from integrations.submissions.views.requirements.agreements import AGREEMENT
from integrations.submissions.views.requirements.answers import ATTESTATION, FORM, NOT_NEEDED, keep_draft
from integrations.submissions.views.requirements.credentials import CREDENTIALS
from integrations.submissions.views.requirements.documents import DOCUMENT, document
from integrations.submissions.views.requirements.meetings import MEETING, meeting_ics
from integrations.submissions.views.requirements.page import Act, KindPage, Page, context_of, open_page
from integrations.submissions.views.requirements.waivers import WAIVERS
from portal.core.errors import NotAllowed
from portal.ui.refusals import forbidden, refused

KINDS: dict[Kind, KindPage] = {
    Kind.FORM: FORM,
    Kind.ATTESTATION: ATTESTATION,
    Kind.DOCUMENT: DOCUMENT,
    Kind.AGREEMENT: AGREEMENT,
    Kind.MEETING: MEETING,
    Kind.CREDENTIALS: CREDENTIALS,
    Kind.CHECK: KindPage({}),
}
Bound = Mapping[str, forms.Form]


@never_cache
@sensitive_post_parameters("secret")
def requirement(request: HttpRequest, uuid: UUID, requirement_id: str) -> HttpResponse:
    """The page of one requirement, and every button on it."""
    page = open_page(request, uuid, requirement_id)
    if request.method == "POST":
        return take(page)
    return show(page, unsent_of(page))


def acts_of(page: Page) -> dict[str, Act]:
    """Every button that the page knows, offered to this person or not."""
    return {"not_needed": NOT_NEEDED, **KINDS[page.requirement.kind].acts, **WAIVERS}


def unsent_of(page: Page) -> Bound:
    """What was typed before a sign-in came between, in its form."""
    typed = page.request.unsent()  # type: ignore[attr-defined]
    name = typed.get("act", "") if typed else ""
    act = acts_of(page).get(name)
    return {name: act.form(page, data=typed, auto_id=f"{name}-%s")} if act else {}


@sensitive_variables()
def take(page: Page) -> HttpResponse:
    """Press a button: check its form, do it, and say so; a refusal is shown in place with everything typed."""
    request, name = page.request, page.request.POST.get("act", "")
    act = acts_of(page).get(name)
    if act is None or not facts.applies(page.requirement, page.integration):
        refused(request, NotAllowed(_("This is not offered here any more. Look at what is.")))
        return back(page)
    form = act.form(page, data=request.POST, files=request.FILES, auto_id=f"{name}-%s")
    if not form.is_valid():
        return show(page, {name: form}, status=422)
    try:
        done = act.do(page, form)
    except NotAllowed as refusal:
        forbidden(refusal)
        form.add_error(None, str(refusal))
        return show(open_page(request, page.integration.uuid, page.requirement.id), {name: form}, status=409)
    if isinstance(done, HttpResponse):
        return done
    messages.success(request, done)
    return back(page)


def show(page: Page, bound: Bound, status: int = 200) -> HttpResponse:
    """The page with the forms that are offered; those that were sent stand as they were typed."""
    offered = {name: act for name, act in acts_of(page).items() if act.offered(page) and name not in bound}
    fresh = {name: act.form(page, auto_id=f"{name}-%s") for name, act in offered.items()}
    kind = page.requirement.kind
    context: dict[str, Any] = {
        **context_of(page),
        **KINDS[kind].context(page),
        "forms": {**fresh, **bound},
        "bound": bound,
        "kind_template": f"submissions/kinds/{kind}.html",
    }
    return render(page.request, "submissions/requirement.html", context, status=status)


def back(page: Page) -> HttpResponse:
    return redirect("requirement", page.integration.uuid, page.requirement.id)


def requirement_draft(request: HttpRequest, uuid: UUID, requirement_id: str) -> HttpResponse:
    """What the script saves while somebody types: answers with the draft's new version, or 409 for another's."""
    page = open_page(request, uuid, requirement_id)
    if request.method != "POST":
        return back(page)
    try:
        draft = keep_draft(page)
    except Conflict as meanwhile:
        return HttpResponse(str(meanwhile), status=409, content_type="text/plain; charset=utf-8")
    except NotAllowed as refusal:
        return HttpResponse(str(refusal), status=403, content_type="text/plain; charset=utf-8")
    return HttpResponse(status=204, headers={"X-Draft-Version": str(draft.version)})


PLACE = "integrations/<uuid:uuid>/requirements/<str:requirement_id>/"
urlpatterns = [
    path(PLACE, requirement, name="requirement"),
    path(f"{PLACE}draft/", requirement_draft, name="requirement_draft"),
    path("documents/<uuid:uuid>/", document, name="document"),
    path("meetings/<uuid:uuid>.ics", meeting_ics, name="meeting_ics"),
]
