"""How is a step taken from a page? One view for all of them: what it needs, what is in the way, the exact mails."""

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.validators import MaxLengthValidator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.vary import vary_on_headers
from django_fsm import Transition

from integrations.compliance import public_status
from integrations.partners import permissions
from integrations.submissions import notices
from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import actions, perform
from integrations.submissions.views.mixins import load
from integrations.submissions.workflow import guards
from integrations.submissions.workflow.states import Holder
from portal.audit.event_types import words_of
from portal.core.errors import NotAllowed
from portal.core.text_fields import Lines
from portal.notifications.models import Email

WAITS_FOR = {
    Holder.THIRD_PARTY: gettext_lazy("Somebody else"),
    Holder.PARTNER: gettext_lazy("The partner"),
    Holder.PROGRAM: gettext_lazy("The program"),
}
ASKED = gettext_noop("(What you write stands here.)")
FOR_PROGRAM = (permissions.may_decide, permissions.may_undo, permissions.may_judge)
FOR_PARTNER, FOR_THE_PROGRAM = gettext_noop("Note for the partner"), gettext_noop("Note for the program")
STATUS = {"may": 403, "gone": 409, "stale": 409, "ready": 422}


def transition_of(name: str) -> Transition:
    """The step of that name, from wherever it leads. Raises Http404 for what no person can take."""
    for field in ("stage", "standing"):
        for found in Integration._meta.get_field(field).get_all_transitions(Integration):  # type: ignore[union-attr]
            if found.name == name and found.custom.get("label"):
                return found
    raise Http404(_("There is no such step."))


class StepForm(forms.Form):
    """What a step is asked with: a note, sometimes a tier or whom it waits for, and the version looked at."""

    tier = forms.ChoiceField(label=gettext_lazy("Tier"))
    waits_for = forms.ChoiceField(
        label=gettext_lazy("It waits for"), choices=list(WAITS_FOR.items()), initial=Holder.THIRD_PARTY
    )
    note = Lines(required=False, max_length=4000, rows=4)
    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    def __init__(self, integration: Integration, step: Transition, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        note = self.fields["note"]
        note.required = guards.note_given in step.conditions
        usual = FOR_PARTNER if step.permission in FOR_PROGRAM else FOR_THE_PROGRAM
        note.label = _(step.custom.get("note", usual))
        note.error_messages["required"] = _("Say why: the reason is part of the decision.")
        if step.name == "put_on_hold":
            note.validators.append(MaxLengthValidator(500))
        else:
            del self.fields["waits_for"]
        if step.name == "request_tier":
            tiers = [t for t in integration.edition.tiers if t.on_request and t.key != integration.tier]
            self.fields["tier"].choices = [(t.key, t.name) for t in tiers]  # type: ignore[attr-defined]
        else:
            del self.fields["tier"]

    def inputs(self) -> dict[str, str]:
        """What the step takes beside the note: what was chosen, else the first choice."""
        given = getattr(self, "cleaned_data", {})
        names = [name for name in ("tier", "waits_for") if name in self.fields]
        return {name: given.get(name) or str((self.fields[name].choices or [("", "")])[0][0]) for name in names}  # type: ignore[attr-defined]


@vary_on_headers("HX-Request")
def step(request: HttpRequest, uuid: UUID, step: str) -> HttpResponse:
    """Show what a step does before it is taken, and take it."""
    found, way = load(request, uuid), transition_of(step)
    typed = request.POST if request.method == "POST" else request.unsent() or None  # type: ignore[attr-defined]
    start = {"version": found.version, "tier": request.GET.get("tier")}
    form = StepForm(found, way, typed, initial=start)
    refusal = None
    if request.method == "POST" and "preview" not in request.POST and form.is_valid():
        try:
            return _take(request, found, step, form)
        except NotAllowed as said:
            refusal, found = said, load(request, uuid)
            form = StepForm(found, way, request.POST.dict() | {"version": found.version})
    return _show(request, found, way, form, refusal)


def _take(request: HttpRequest, found: Integration, step: str, form: StepForm) -> HttpResponse:
    given, now = form.cleaned_data, timezone.now()
    event = perform(
        found, step, by=request.user, note=given["note"], version=given["version"], now=now, **form.inputs()
    )
    for_program = permissions.works_for_program(request.user)
    if for_program:
        findings.looked(found, by=request.user, now=now)
    if "undo_until" not in event.data:  # a decision is told by its own banner, with the way back
        messages.success(request, _("You %(did)s.") % {"did": words_of(event)[0]})
    return redirect("review" if for_program else "integration", uuid=found.uuid)


def _show(
    request: HttpRequest, found: Integration, way: Transition, form: StepForm, refusal: NotAllowed | None
) -> HttpResponse:
    """The page of a step. `refusal`: why it was not taken just now."""
    now = timezone.now()
    mails, blocked = dry_run(found, way, form, request.user)
    offered = next((a for a in actions(found, request.user, now=now) if a.name == way.name), None)
    context = {
        "integration": found, "step": way, "label": _(way.custom["label"]), "action": offered, "form": form,
        "not_yet": _("Something is in the way: see above.") if offered and offered.blockers else "",
        "public": public_status.after(way.name, way.target), "of_process": way.name in public_status.OF_PROCESS,
        "mails": mails, "blocked": str(blocked or ""), "refusal": refusal,
        "for_program": permissions.works_for_program(request.user), "now": now,
        "undo_window": f"{settings.UNDO_MINUTES} minutes",
        "last": found.events.exclude(internal=True).last() if refusal else None,
    }  # fmt: skip
    status = STATUS[refusal.kind] if refusal else _status_of(request, form, offered, blocked)
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "reviews/transitions/mails.html", context)
    return render(request, "reviews/transitions/step.html", context, status=status)


def _status_of(request: HttpRequest, form: StepForm, offered: Any, blocked: NotAllowed | None) -> int:
    if offered is None:
        return STATUS[blocked.kind] if blocked and blocked.kind != "ready" else 409
    is_refused = request.method == "POST" and "preview" not in request.POST and bool(form.errors)
    return 422 if is_refused else 200


def dry_run(found: Integration, way: Transition, form: StepForm, user: Any) -> tuple[list[Email], NotAllowed | None]:
    """The mails that the step would send with what was typed so far, or why it would be refused."""
    if form.is_bound:
        form.is_valid()
    fit = getattr(form, "cleaned_data", {})  # what is not fit to be kept is in no mail either
    note = fit.get("note") or (ASKED if form.fields["note"].required else "")
    try:
        now = timezone.now()
        return notices.preview(found, way.name, by=user, note=note, now=now, **form.inputs()), None
    except NotAllowed as refusal:
        return [], refusal


urlpatterns = [path("integrations/<uuid:uuid>/steps/<slug:step>/", step, name="step")]
