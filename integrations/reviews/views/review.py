"""What does a reviewer see and write about one integration? Findings, answers to them, the thread, the last look."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.reviews.assignment import suggest
from integrations.reviews.presenters import (
    facts_for_reviewer,
    groups_of,
    may_find,
    turn_for_reviewer,
    undo_of,
    useful,
    why_not_decide,
)
from integrations.reviews.views.queue import claim_context, load_for_program
from integrations.submissions.forms.findings import AnswerForm, FindingForm, SayForm
from integrations.submissions.models import Finding, Integration
from integrations.submissions.presenters import is_told, path_steps
from integrations.submissions.selectors.recent_changes import changes_since, last_look
from integrations.submissions.services import findings as reviewing
from integrations.submissions.services.transitions import actions
from integrations.submissions.views.mixins import load, only, pressed
from portal.core.errors import NotAllowed
from portal.ui.refusals import refused


def review(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page on which a reviewer decides. One of the company itself sees what the company sees."""
    found = load_for_program(request, uuid)
    if permissions.role_of(found.partner, request.user):
        messages.info(request, why_not_decide(found, request.user))
        return redirect("integration", uuid)
    return render(request, "reviews/review.html", review_context(found, request.user))


def review_context(found: Integration, user: Any) -> dict[str, Any]:
    """Everything the page shows, internal notes too: for people of the program only."""
    now, look = timezone.now(), last_look(found, user)
    return {
        "integration": found,
        "edition": found.edition,
        "program": found.program,
        "path": path_steps(found),
        "groups": groups_of(found, now),
        "look": look,
        "changes": changes_since(found, look, with_notes=True) if look else [],
        "thread": list(found.messages.select_related("author")),
        "actions": useful(found, actions(found, user, now=now)),
        "findings": list(found.findings.all()),
        "suggestions": suggest(found, now) if permissions.may_assign(found, user) and found.is_open else [],
        "undo": undo_of(found, user, now),
        "why_not": why_not_decide(found, user),
        "may_find": may_find(found, user),
        "may_note": True,
        "now": now,
        **claim_context(found, user),
        **facts_for_reviewer(found),
        **turn_for_reviewer(found, now),
    }


@pressed("review")
def seen(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Everything up to now has been looked at."""
    found = load_for_program(request, uuid)
    reviewing.looked(found, by=request.user, now=timezone.now())
    return redirect("review", uuid=uuid)


def finding_new(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Write a finding on one requirement."""
    found = load_for_program(request, uuid)
    only(permissions.may_decide, found, request.user)
    form = FindingForm(_typed(request))
    wanted = str(form.data.get("requirement") or request.GET.get("requirement", ""))
    requirement = found.edition.requirement(wanted)
    if requirement is None:
        raise Http404(_("This edition of the program has no such requirement."))
    if request.method == "POST" and form.is_valid():
        try:
            text, now = form.cleaned_data["text"], timezone.now()
            finding = reviewing.raise_finding(found, requirement.id, text, by=request.user, now=now)
            return redirect(f"{reverse('review', args=[uuid])}#finding-{finding.number}")
        except NotAllowed as refusal:
            form.add_error(None, str(refusal))
    context = {"integration": found, "form": form, "requirement": requirement}
    return render(request, "submissions/finding_new.html", context, status=_status(request))


def load_finding(request: HttpRequest, pk: int) -> Finding:
    """A finding that this person may see. Raises Http404 for others, and for what the partner was not told yet."""
    visible = Integration.objects.visible_to(request.user)
    findings = Finding.objects.select_related("integration__partner", "raised_by")
    finding = get_object_or_404(findings, pk=pk, integration__in=visible)
    if not permissions.works_for_program(request.user) and not is_told(finding.integration, finding):
        raise Http404(_("There is no such finding."))
    return finding


def finding_fix(request: HttpRequest, pk: int) -> HttpResponse:
    """The partner says what was done about a finding."""
    finding = load_finding(request, pk)
    only(permissions.may_edit, finding.integration, request.user)
    found, form = finding.integration, AnswerForm(_typed(request))
    if request.method == "POST" and form.is_valid():
        try:
            reviewing.fix_finding(finding, form.cleaned_data["answer"], by=request.user, now=timezone.now())
            messages.success(request, _("Finding %(number)s is answered.") % {"number": finding.number})
            return redirect(f"{reverse('integration', args=[found.uuid])}#finding-{finding.number}")
        except NotAllowed as refusal:
            form.add_error(None, str(refusal))
    requirement = found.edition.requirement(finding.requirement_id)
    context = {"integration": found, "finding": finding, "form": form, "requirement": requirement}
    return render(request, "submissions/finding_fix.html", context, status=_status(request))


@pressed("queue")
def finding_verify(request: HttpRequest, pk: int) -> HttpResponse:
    """It is settled."""
    return _settle(request, pk, reviewing.verify_finding)


@pressed("queue")
def finding_reopen(request: HttpRequest, pk: int) -> HttpResponse:
    """It is not settled after all."""
    return _settle(request, pk, reviewing.reopen_finding)


def _settle(request: HttpRequest, pk: int, act: Any) -> HttpResponse:
    finding = load_finding(request, pk)
    if not permissions.works_for_program(request.user):
        raise Http404(_("There is nothing here for you."))
    try:
        act(finding, by=request.user, now=timezone.now())
    except NotAllowed as refusal:
        refused(request, refusal)
    return redirect(f"{reverse('review', args=[finding.integration.uuid])}#finding-{finding.number}")


def say(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Write to the other side, or keep a note of the program."""
    found = load(request, uuid)
    only(permissions.may_speak, found, request.user)
    for_program = permissions.works_for_program(request.user)
    form = SayForm(_typed(request), may_note=permissions.may_note(found, request.user))
    if request.method == "POST" and form.is_valid():
        internal = form.cleaned_data.get("internal", False)
        try:
            reviewing.say(found, form.cleaned_data["body"], by=request.user, now=timezone.now(), internal=internal)
            return redirect(f"{reverse('review' if for_program else 'integration', args=[uuid])}#thread")
        except NotAllowed as refusal:
            form.add_error(None, str(refusal))
    context = {"integration": found, "form": form, "for_program": for_program}
    return render(request, "reviews/review_message.html", context, status=_status(request))


def _typed(request: HttpRequest) -> Any:
    """What was typed: now, or before a sign-in came between."""
    return request.POST if request.method == "POST" else request.unsent()  # type: ignore[attr-defined]


def _status(request: HttpRequest) -> int:
    return 422 if request.method == "POST" else 200


urlpatterns = [
    path("integrations/<uuid:uuid>/review/", review, name="review"),
    path("integrations/<uuid:uuid>/seen/", seen, name="seen"),
    path("integrations/<uuid:uuid>/findings/", finding_new, name="finding_new"),
    path("integrations/<uuid:uuid>/say/", say, name="say"),
    path("findings/<int:pk>/fix/", finding_fix, name="finding_fix"),
    path("findings/<int:pk>/verify/", finding_verify, name="finding_verify"),
    path("findings/<int:pk>/reopen/", finding_reopen, name="finding_reopen"),
]
