"""What would another edition of its program change for an integration, and shall it move there?"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.reviews.presenters import why_not_decide
from integrations.reviews.views.queue import load_for_program
from integrations.submissions.models import Integration
from integrations.submissions.services import edition_migration as editions
from integrations.submissions.views.mixins import load
from portal.core.errors import NotAllowed
from portal.core.text_fields import Lines
from portal.notifications.models import Email


class MoveForm(forms.Form):
    """Where to, and what the partner should know about it."""

    to = forms.ChoiceField(
        label=gettext_lazy("Edition"),
        error_messages={"invalid_choice": gettext_lazy("The program has no such edition.")},
    )
    note = Lines(
        label=gettext_lazy("What the partner should know"),
        required=False,
        max_length=2000,
        rows=3,
    )

    def __init__(self, integration: Integration, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        others = [e for e in reversed(integration.program.editions) if e.date != integration.edition_date]
        self.fields["to"].choices = [(e.date, f"{e.date}: {e.title}") for e in others]  # type: ignore[attr-defined]


def move_edition(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Choose an edition, see the dry run with the exact mail, then move."""
    found = load_for_program(request, uuid)
    why_not, now = why_not_decide(found, request.user), timezone.now()
    form = MoveForm(found, (request.POST if request.method == "POST" else request.GET) or None)
    context: dict[str, Any] = {"integration": found, "program": found.program, "form": form, "why_not": why_not}
    if form.is_valid():
        to, note = form.cleaned_data["to"], form.cleaned_data["note"]
        try:
            if request.method == "POST" and "move" in request.POST:
                return _move(request, found, to, note)
            context["plan"] = editions.plan(found, to, now)
            context["mails"] = [] if why_not else preview(found, to, by=request.user, note=note, now=now)
        except NotAllowed as refusal:
            context |= {"refusal": str(refusal), "kind": refusal.kind, "integration": load(request, uuid)}
    return render(request, "reviews/transitions/move_edition.html", context, status=_status(request, context))


def _status(request: HttpRequest, context: dict[str, Any]) -> int:
    is_refused = request.method == "POST" and bool(context["form"].errors or context.get("refusal"))
    return (403 if context.get("kind") == "may" else 422) if is_refused else 200


def _move(request: HttpRequest, found: Integration, to: str, note: str) -> HttpResponse:
    editions.move(found, to, by=request.user, now=timezone.now(), note=note)
    messages.success(request, _("%(name)s is in the edition %(to)s from now on.") % {"name": found.name, "to": to})
    return redirect("review", uuid=found.uuid)


def preview(integration: Integration, to: str, *, by: Any, note: str, now: datetime) -> list[Email]:
    """The exact mails that moving would send: it is done for real and then rolled back. Raises NotAllowed."""
    with transaction.atomic():
        editions.move(integration, to, by=by, now=now, note=note)
        event = integration.events.filter(verb="edition_moved").latest("seq")
        mails = list(Email.objects.filter(event=event).order_by("pk"))
        transaction.set_rollback(True)
    return mails


urlpatterns = [path("integrations/<uuid:uuid>/edition/", move_edition, name="move_edition")]
