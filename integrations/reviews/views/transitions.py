"""Transition page: one view for all transitions with their inputs, blockers, and exact emails."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.vary import vary_on_headers
from django_fsm import Transition
from django_htmx.http import retarget

from integrations.partners import permissions
from integrations.reviews.forms.email_draft import NOTE_PLACEHOLDER, EmailDraftForm
from integrations.reviews.forms.transitions import TransitionForm
from integrations.reviews.presence import end_writing, list_present, list_writers
from integrations.reviews.selectors.queue import find_next_review
from integrations.submissions.access import load_visible_integration
from integrations.submissions.email_previews import EmailPreview, preview_emails
from integrations.submissions.models import Integration
from integrations.submissions.public_status import PUBLIC_STATUSES, get_public_listing_status
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import (
    list_all_transitions,
    list_available_transitions,
    perform_transition,
)
from integrations.submissions.views.workspace import render_workspace
from integrations.submissions.workflow import guards
from integrations.submissions.workflow.transition_options import TRANSITION_OPTIONS, TransitionOptions
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues
from portal.ui.refusals import show_refusal

STATUS_CODES = {"forbidden": 403, "requirements-not-met": 422, "validation-error": 422}  # otherwise 409


def get_transition(name: str) -> Transition:
    """Return the transition of that name from any state. Raises Http404 if people can't perform it."""
    transition = next((transition for _, transition in list_all_transitions() if transition.name == name), None)
    if transition is None or not TRANSITION_OPTIONS[name].label:
        raise Http404(_("Unknown action."))
    return transition


def build_email_form(transition_name: str, form_data: Mapping[str, object] | None) -> EmailDraftForm:
    """Return the form of the email, bound if the page sent it and the user doesn't restore the template's text."""
    data = form_data or {}
    is_sent = TRANSITION_OPTIONS[transition_name].has_editable_email and "email-subject" in data
    return EmailDraftForm(data=data if is_sent and data.get("preview") != "restore" else None)


@dataclass(slots=True)
class TransitionPage:
    """Transition of an integration with its forms. `refusal`: why it was just refused."""

    request: AuthenticatedRequest
    integration: Integration
    transition: Transition
    form: TransitionForm
    email_form: EmailDraftForm
    refusal: ActionRefused | None = None

    @property
    def options(self) -> TransitionOptions:
        return TRANSITION_OPTIONS[self.transition.name]

    @property
    def is_sent(self) -> bool:
        """Return whether the form was sent to be performed, not to be previewed."""
        return self.request.method == "POST" and "preview" not in self.request.POST

    @property
    def is_inline(self) -> bool:
        """Return whether the button of the integration page was pressed, which htmx sends."""
        return bool(self.request.htmx and self.request.htmx.target == "workspace")

    def perform(self) -> HttpResponse:
        """Perform the transition, and redirect to the page that comes next. Raises ActionRefused."""
        request = self.request
        integration = self.integration
        name = self.transition.name
        data = self.form.cleaned_data
        now = timezone.now()
        note = data["note"]
        version = data["version"]
        inputs = self.form.get_inputs() | self.email_form.get_inputs(note)
        event = perform_transition(integration, name, actor=request.user, note=note, version=version, now=now, **inputs)
        for_program = permissions.can_view_notes(integration, request.user)
        if for_program:
            # What someone decided on is not new for them at the next visit.
            findings.update_read_marker(integration, actor=request.user, now=now)
            end_writing(integration, request.user)
        # After these, the reviewer is done with the integration for now, so the next one opens.
        is_decision = self.options.is_decision or name in ("approve_first", "put_on_hold")
        opens_next = for_program and is_decision and not self.is_inline
        next_uuid = find_next_review(integration, request.user, now) if opens_next else None
        has_undo_banner = "undo_until" in event.data or name == "approve_first"
        if not (for_program and has_undo_banner):  # the banner names the decision
            # The page that opens next is about another integration.
            message = _("%(result)s: %(name)s. The next review is open.") if next_uuid else _("You %(action)s.")
            words = {"result": _(self.options.result), "name": integration.name, "action": event.action}
            messages.success(request, message % words)
        if self.is_inline:
            return render_workspace(request, load_visible_integration(request, integration.uuid))
        if not for_program:
            return redirect("submissions:detail", uuid=integration.uuid)
        if next_uuid:
            return redirect(f"{reverse('reviews:review', args=[next_uuid])}?decided={integration.uuid}")
        return redirect("reviews:review", uuid=integration.uuid)

    def render(self) -> HttpResponse:
        """Render the page with the emails that the transition would send, or only the emails for htmx."""
        request = self.request
        integration = self.integration
        minutes = settings.UNDO_MINUTES
        now = timezone.now()
        for_program = permissions.can_view_notes(integration, request.user)
        preview, preview_refusal = self._preview_emails()
        if preview.draft and not self.email_form.is_edited():
            self.email_form = EmailDraftForm(initial=asdict(preview.draft))
        available = list_available_transitions(integration, request.user, now=now)
        action = next((each for each in available if each.name == self.transition.name), None)
        context = {
            "integration": integration,
            "transition": self.transition,
            "label": _(TRANSITION_OPTIONS[self.transition.name].label),
            "action": action,
            "form": self.form,
            "disabled_reason": _("Resolve the items above first.") if action and action.blockers else "",
            "current_public": get_public_listing_status(integration),
            "public": PUBLIC_STATUSES.get(self.transition.target),  # None if the listing status doesn't change
            "is_compliance": self.options.is_compliance,
            "emails": preview.emails,
            "email_form": self.email_form if preview.draft else None,
            "preview_refusal": str(preview_refusal or ""),
            "refusal": self.refusal,
            "for_program": for_program,
            "present": list_present(integration, request.user) if for_program else [],
            "undo_window": ngettext("%(count)s minute", "%(count)s minutes", minutes) % {"count": minutes},
            "undo_minutes": minutes if self.options.is_decision else 0,
        }
        if request.htmx:
            return self._render_emails(context)
        status = self._get_status_code(action, preview_refusal)
        return render(request, "reviews/transitions/transition.html", context, status=status)

    def _preview_emails(self) -> tuple[EmailPreview, ActionRefused | None]:
        """Return the emails that the transition would send with the current input, or why it would be refused."""
        if self.form.is_bound:
            self.form.is_valid()
        data = getattr(self.form, "cleaned_data", {})  # invalid input appears in no email
        # Without the required note, the transition would be refused before its emails exist.
        note = data.get("note") or (NOTE_PLACEHOLDER if self.form.fields["note"].required else "")
        inputs = self.form.get_inputs() | self.email_form.get_inputs(note)
        user = self.request.user
        name = self.transition.name
        decide = partial(perform_transition, self.integration, name, actor=user, note=note, **inputs)
        try:
            return preview_emails(decide, user), None
        except ActionRefused as refusal:
            return EmailPreview([], None), refusal

    def _render_emails(self, context: NamedValues) -> HttpResponse:
        """Render the emails for htmx. The form of an edited email stays as it is."""
        # A new form would lose what the user is typing.
        if not self.email_form.is_edited():
            return render(self.request, "reviews/transitions/emails.html", context)
        return retarget(render(self.request, "reviews/transitions/email_previews.html", context), "#email-preview")

    def _get_status_code(self, action: object, preview_refusal: ActionRefused | None) -> int:
        if self.refusal:
            return STATUS_CODES.get(self.refusal.kind, 409)
        if action is None:
            kind = preview_refusal.kind if preview_refusal else "invalid-transition"
            return 409 if kind == "requirements-not-met" else STATUS_CODES.get(kind, 409)
        return 422 if self.is_sent and (self.form.errors or self.email_form.errors) else 200


@vary_on_headers("HX-Request")
def show_transition(request: AuthenticatedRequest, uuid: UUID, transition_name: str) -> HttpResponse:
    """Preview a transition, or perform it."""
    integration = load_visible_integration(request, uuid)
    transition = get_transition(transition_name)
    # The shortcut of the queue has one address for both approvals.
    if transition_name == "approve" and request.method == "GET" and guards.needs_first_approval(integration):
        return redirect("reviews:transition", uuid=uuid, transition_name="approve_first")
    form_data = request.POST if request.method == "POST" else request.unsent() or None
    initial = {"version": integration.version, "tier": request.GET.get("tier")}
    for_program = permissions.can_view_notes(integration, request.user)
    build_form = partial(TransitionForm, for_program=for_program, writers=list_writers(integration, request.user))
    form = build_form(integration, transition, data=form_data, initial=initial)
    page = TransitionPage(request, integration, transition, form, build_email_form(transition.name, form_data))
    if page.is_sent and form.is_valid() and (page.email_form.is_valid() or not page.email_form.is_bound):
        try:
            return page.perform()
        except ActionRefused as error:
            current = load_visible_integration(request, uuid)
            if page.is_inline:
                show_refusal(request, error)
                return render_workspace(request, current)
            page.refusal = error
            page.integration = current
            # The page shows the integration as it is after the refusal, and another attempt is about that state.
            data = request.POST.dict() | {"version": current.version}
            page.form = build_form(current, transition, data=data)
    return page.render()
