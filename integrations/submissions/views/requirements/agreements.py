"""Agreement signatures on the requirement page."""

from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.programs.registry import get_agreement_document
from integrations.submissions.agreement_texts import compare_texts, render_agreement
from integrations.submissions.forms.requirement_actions import (
    SignatureForm,
    SignedPdfForm,
    SignedPdfRejectionForm,
)
from integrations.submissions.models import Agreement
from integrations.submissions.services import agreement_uploads, agreements
from integrations.submissions.services.requirements import get_acting_party
from integrations.submissions.text_changes import TextChange
from integrations.submissions.views.requirements.page import (
    RequirementAction,
    RequirementKindPage,
    RequirementPage,
    load_page,
)
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.requests import AuthenticatedRequest
from portal.core.value_types import NamedValues, TemplateContext


def get_agreement(page: RequirementPage) -> Agreement:
    return agreements.get_current_agreement(page.integration.partner, page.requirement.agreement)


def build_page_statement(page: RequirementPage) -> str:
    """Return the statement that the user confirms."""
    return agreements.build_statement("" if is_for_program(page) else page.integration.partner.name)


def get_signature_arguments(page: RequirementPage) -> NamedValues:
    """Return the digest of the text and the recorded signature of the user's side."""
    agreement = get_agreement(page)
    signature = agreement.get_signature(get_acting_party(page.integration, page.user))
    initial = {"digest": agreement.digest}
    if signature is not None:
        initial |= {"signer": signature.signer, "title": signature.title}
    return {"initial": initial}


def sign_agreement(page: RequirementPage, data: NamedValues) -> str:
    statement = build_page_statement(page)
    signature = agreements.Signature(data["signer"], data["title"], statement)
    agreement = page.call(agreements.sign_agreement, signature, digest=data["digest"])
    if agreement.is_complete:
        return _("Both sides signed version %(version)s.") % {"version": agreement.version}
    return _("Signature of version %(version)s recorded. The other side signs next.") % {"version": agreement.version}


def upload_agreement(page: RequirementPage, data: NamedValues) -> str:
    signature = agreements.Signature(data["signer"], data["title"], "")
    page.call(agreement_uploads.upload_signed_agreement, data["file"], signature, digest=data["digest"])
    return _("Signed PDF uploaded. The program confirms it next.")


def confirm_agreement(page: RequirementPage, data: NamedValues) -> str:
    agreement = page.call(agreement_uploads.confirm_upload)
    return _("Both sides signed version %(version)s.") % {"version": agreement.version}


def reject_agreement(page: RequirementPage, data: NamedValues) -> str:
    page.call(agreement_uploads.reject_upload, reason=data["reason"])
    return _("Signed PDF rejected. We notified the company.")


def is_for_program(page: RequirementPage) -> bool:
    return get_acting_party(page.integration, page.user) == ResponsibleParty.PROGRAM


def can_sign(page: RequirementPage) -> bool:
    agreement = get_agreement(page)
    is_uploaded = agreement.awaits_confirmation and is_for_program(page)
    return page.can_answer and not agreement.is_complete and not is_uploaded


def can_upload(page: RequirementPage) -> bool:
    return can_sign(page) and not is_for_program(page)


def can_confirm(page: RequirementPage) -> bool:
    return page.can_decide and get_agreement(page).awaits_confirmation


def get_upload_arguments(page: RequirementPage) -> NamedValues:
    return {"request": page.request, "initial": {"digest": get_agreement(page).digest}}


def list_changes(agreement: Agreement, compared: Agreement | None) -> list[TextChange]:
    """Return the changes from another version; none if there is no other text."""
    return compare_texts(compared.text, agreement.text) if compared else []


def build_agreement_context(page: RequirementPage) -> TemplateContext:
    agreement, side = get_agreement(page), get_acting_party(page.integration, page.user)
    compared = agreements.get_compared_agreement(agreement)
    return {
        "agreement": agreement,
        "title": get_agreement_document(agreement.kind).title,
        "changes": list_changes(agreement, compared),
        "compared": compared,
        "text": render_agreement(agreement.text),
        "in_force": agreements.get_agreement_in_force(page.integration.partner, agreement.kind),
        "rejected": page.integration.partner.agreements.filter(
            kind=agreement.kind, version=agreement.version, rejected_at__isnull=False
        ).last(),
        "has_own_signature": agreement.get_signature(side) is not None,
        "side_name": _("the program") if is_for_program(page) else page.integration.partner.name,
        "statement": build_page_statement(page),
        "can_download": permissions.can_download(page.integration.partner, page.user, is_agreement=True),
    }


def download_agreement(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the PDF of an agreement that was signed in the portal. Raises Http404."""
    agreement = get_object_or_404(Agreement.objects.select_related("partner"), pk=pk)
    if not agreement.has_pdf or not permissions.can_download(agreement.partner, request.user, is_agreement=True):
        raise Http404(_("Agreement not found."))
    return build_pdf_response(agreement)


def download_unsigned_agreement(request: AuthenticatedRequest, uuid: UUID, requirement_id: str) -> HttpResponse:
    """Return the PDF of the current text with blanks for the signatures. Raises Http404."""
    page = load_page(request, uuid, requirement_id)
    agreement = get_agreement(page) if page.requirement.agreement else None
    if agreement is None or not agreement.text:
        raise Http404(_("Agreement not found."))
    # Without a signature, even if one side has signed: the blanks are for signing by hand.
    agreement.pk = None
    return build_pdf_response(agreement)


def build_pdf_response(agreement: Agreement) -> HttpResponse:
    # loads fpdf and fontTools, which no other page needs
    from integrations.submissions.agreement_pdf import render_agreement_pdf  # noqa: PLC0415

    name = f"{agreement.kind}-{agreement.version}-{agreement.partner.slug}.pdf"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-store"}
    return HttpResponse(render_agreement_pdf(agreement), "application/pdf", headers=headers)


AGREEMENT_PAGE = RequirementKindPage(
    {
        "sign": RequirementAction(can_sign, SignatureForm, sign_agreement, get_signature_arguments),
        "upload_agreement": RequirementAction(can_upload, SignedPdfForm, upload_agreement, get_upload_arguments),
        "confirm_agreement": RequirementAction(can_confirm, forms.Form, confirm_agreement),
        "reject_agreement": RequirementAction(can_confirm, SignedPdfRejectionForm, reject_agreement),
    },
    build_agreement_context,
)
