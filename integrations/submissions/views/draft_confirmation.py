"""Is this what should be sent, and who else works on it? The last look before a draft becomes an integration."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.forms.drafts import StartForm, bind, naming_hint
from integrations.submissions.forms.introductions import AskForm
from integrations.submissions.models import Draft, Integration
from integrations.submissions.selectors.similar import behind, work_of
from integrations.submissions.services import drafts, introductions
from integrations.submissions.views.draft_conflicts import shown
from integrations.submissions.views.drafts import sent_already
from integrations.submissions.views.drafts_shared import load_draft, neighbours, program_of, version_of
from portal.core.errors import NotAllowed
from portal.ui.refusals import refused

MOST_ASKED = 12


def confirm_start(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Show everything once more; POST sends it. A draft that is not fit goes back to its form."""
    found = load_draft(request, uuid)
    if found.integration is not None or found.sent_at is not None:
        return sent_already(request, found)
    form = bind(*program_of(found), found.data)
    if not form.is_valid():
        return redirect(f"{reverse('draft', args=[uuid])}?check=1")
    unsent = request.unsent()  # type: ignore[attr-defined]
    ask = AskForm(request.POST if request.method == "POST" else None, initial=unsent)
    if request.method == "POST" and ask.is_valid():
        return send(request, found, form, ask.cleaned_data["message"])
    context = confirm_context(request, found, form) | {"ask": ask}
    return render(request, "submissions/start_confirm.html", context, status=422 if ask.is_bound else 200)


def confirm_context(request: HttpRequest, found: Draft, form: StartForm) -> dict[str, Any]:
    program, edition = program_of(found)
    licence = str(found.data.get("licence", ""))
    rule = edition.licences
    return {
        "draft": found,
        "program": program,
        "edition": edition,
        "facts": form.cleaned_data,
        "category": shown(edition, "category", found.data),
        "hint": naming_hint(program, str(found.data.get("repository_address", ""))),
        "licence_hint": rule.summary if rule.lines and licence and licence not in rule.allow | rule.ask else "",
        "overlaps": neighbours(found.partner, found.data) or (),
        "can_edit": permissions.edits(found.partner, request.user),
    }


def send(request: HttpRequest, found: Draft, form: StartForm, message: str) -> HttpResponse:
    """Make the integration, once, and ask for the introductions that were ticked."""
    now, user = timezone.now(), request.user
    try:
        row = drafts.send(found, form.facts(found.data), version=version_of(request.POST), by=user, now=now)
    except NotAllowed as refusal:
        refused(request, refusal)
        return redirect("confirm_start" if refusal.kind == "stale" else "draft", uuid=found.uuid)
    ask_for(request, row, request.POST.getlist("introduce")[:MOST_ASKED], message)
    return redirect("integration", row.uuid)


def ask_for(request: HttpRequest, row: Integration, handles: list[str], message: str) -> None:
    """Ask for each introduction; what cannot be asked for is said and stops nothing."""
    for handle in handles:
        other = behind(handle, work_of(row))
        try:
            if other is None:
                raise NotAllowed(_("That work does not overlap with yours any more: there is nobody to ask."), "gone")
            introductions.ask(row, other, message, by=request.user, now=timezone.now())
            messages.success(request, _("You asked for an introduction. You hear from us when they decide."))
        except NotAllowed as refusal:
            refused(request, refusal)


urlpatterns = [path("drafts/<uuid:uuid>/confirm/", confirm_start, name="confirm_start")]
