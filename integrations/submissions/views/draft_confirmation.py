"""Last page before a draft becomes an integration."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.forms.drafts import IntegrationForm, bind_form, get_naming_hint
from integrations.submissions.forms.findings import IntroductionRequestForm
from integrations.submissions.models import Integration, IntegrationDraft, Introduction
from integrations.submissions.selectors.similar import describe_work, resolve_handle
from integrations.submissions.services import drafts, introductions
from integrations.submissions.views.drafts import redirect_sent_draft
from integrations.submissions.views.drafts_shared import (
    find_draft_overlaps,
    format_value,
    get_program,
    load_draft,
    parse_version,
)
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused, StaleVersionError
from portal.ui.refusals import report_refusals, show_refusal

MAX_INTRODUCTION_REQUESTS = 12


def confirm_draft(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show a summary of the draft; a POST submits it. An invalid draft returns to its form."""
    draft = load_draft(request, uuid)
    if draft.integration is not None or draft.sent_at is not None:
        return redirect_sent_draft(request, draft)
    form = bind_form(*get_program(draft), draft.data)
    if not form.is_valid():
        return redirect(f"{reverse('submissions:draft', args=[uuid])}?check=1")
    unsent = request.unsent()
    introduction_form = IntroductionRequestForm(request.POST if request.method == "POST" else None, initial=unsent)
    if request.method == "POST" and introduction_form.is_valid():
        return submit_draft(request, draft, form, introduction_form.cleaned_data["message"])
    context = build_confirmation_context(request, draft, form) | {"introduction_form": introduction_form}
    return render(request, "submissions/draft_confirm.html", context, status=422 if introduction_form.is_bound else 200)


def build_confirmation_context(
    request: HttpRequest, draft: IntegrationDraft, form: IntegrationForm
) -> dict[str, object]:
    program, edition = get_program(draft)
    license_id = str(draft.data.get("license", ""))
    policy = edition.licenses
    is_unlisted = bool(license_id) and license_id not in policy.allow | policy.manual_review
    return {
        "draft": draft,
        "program": program,
        "edition": edition,
        "values": form.cleaned_data,
        "category": format_value(edition, "category", draft.data),
        "hint": get_naming_hint(program, str(draft.data.get("repository_address", ""))),
        "license_hint": policy.summary if policy.rules and is_unlisted else "",
        "overlaps": find_draft_overlaps(draft.partner, draft.data) or (),
        "can_edit": permissions.can_edit_partner(draft.partner, request.user),
    }


def submit_draft(
    request: AuthenticatedRequest, draft: IntegrationDraft, form: IntegrationForm, message: str
) -> HttpResponse:
    """Create the integration once, and send the selected introduction requests."""
    # The version that the summary showed: a colleague's later change must be read before it is submitted.
    values = form.get_values(draft.data)
    version = parse_version(request.POST)
    try:
        integration = drafts.submit_draft(draft, values, version=version, actor=request.user, now=timezone.now())
    except ActionRefused as refusal:
        show_refusal(request, refusal)
        page = "submissions:confirm_draft" if isinstance(refusal, StaleVersionError) else "submissions:draft"
        return redirect(page, uuid=draft.uuid)
    request_introductions(request, integration, message)
    return redirect("submissions:detail", integration.uuid)


def request_introductions(request: AuthenticatedRequest, integration: Integration, message: str) -> None:
    """Send the selected introduction requests; a refused one doesn't stop the others."""
    for handle in request.POST.getlist("introduce")[:MAX_INTRODUCTION_REQUESTS]:
        other = resolve_handle(handle, describe_work(integration))
        with report_refusals(request):
            if other is None:
                raise ActionRefused(_("The other integration no longer overlaps with yours."), "invalid-transition")
            introduction = introductions.request_introduction(
                integration, other, message, actor=request.user, now=timezone.now()
            )
            confirmation = _("You requested an introduction. We notify you after the other partner decides.")
            if introduction.state == Introduction.State.AGREED:
                confirmation = _("You accepted the introduction that the other partner requested.")
            messages.success(request, confirmation)
