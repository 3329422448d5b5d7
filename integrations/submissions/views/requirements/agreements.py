"""Agreement signatures on the requirement page."""

from typing import Unpack
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import permissions
from integrations.programs.registry import get_agreement_document
from integrations.submissions.agreement_texts import compare_texts, render_agreement
from integrations.submissions.models import Agreement
from integrations.submissions.services import agreements
from integrations.submissions.services.requirements import get_acting_party
from integrations.submissions.text_changes import TextChange
from integrations.submissions.views.requirements.page import (
    ActionForm,
    FileActionForm,
    RequirementKindPage,
    RequirementPage,
    build_reason_field,
    load_page,
)
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.requests import AuthenticatedRequest
from portal.core.form_fields import BoundFormArguments, SingleLineField
from portal.core.value_types import TemplateContext


def get_agreement(page: RequirementPage) -> Agreement:
    return agreements.get_current_agreement(page.integration.partner, page.requirement.agreement)


def build_page_statement(page: RequirementPage) -> str:
    """Return the statement that the user confirms."""
    return agreements.build_statement("" if is_for_program(page) else page.integration.partner.name)


def is_for_program(page: RequirementPage) -> bool:
    return get_acting_party(page.integration, page.user) == ResponsibleParty.PROGRAM


def get_read_digest(form: ActionForm) -> str:
    """Return the digest of the text that the user read."""
    # No field of the form: after a change of the text, the page must send the digest of the new one.
    return str(form.data.get("digest", ""))


class SignatureForm(ActionForm):
    """Signature of one side. The page sends the digest of its text and shows the statement that signing confirms."""

    signer = SingleLineField(
        label=gettext_lazy("Full name"),
        help_text=gettext_lazy("Enter your full name. The signed agreement shows it."),
        max_length=120,
        error_messages={"required": gettext_lazy("Enter your full name.")},
    )
    title = SingleLineField(
        label=gettext_lazy("Title"),
        help_text=gettext_lazy("For example, Head of Partnerships."),
        max_length=120,
        error_messages={"required": gettext_lazy("Enter your title.")},
    )

    def __init__(self, page: RequirementPage, **kwargs: Unpack[BoundFormArguments]) -> None:
        agreement = get_agreement(page)
        signature = agreement.get_signature(get_acting_party(page.integration, page.user))
        recorded = {"signer": signature.signer, "title": signature.title} if signature else {}
        super().__init__(page, initial=recorded, **kwargs)

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        agreement = get_agreement(page)
        is_uploaded = agreement.awaits_confirmation and is_for_program(page)
        return page.can_answer and not agreement.is_complete and not is_uploaded

    def perform(self) -> str:
        data = self.cleaned_data
        statement = build_page_statement(self.page)
        signature = agreements.Signature(data["signer"], data["title"], statement)
        agreement = self.page.call(agreements.sign_agreement, signature, digest=get_read_digest(self))
        message = _("Signature of version %(version)s recorded. The other side signs next.")
        if agreement.is_complete:
            message = _("Both sides signed version %(version)s.")
        return message % {"version": agreement.version}


class SignedPdfForm(FileActionForm):
    """Upload of the PDF that both sides signed outside the portal."""

    signer = SingleLineField(
        label=gettext_lazy("Signed by"),
        help_text=gettext_lazy("Enter the name of the person who signed for your company."),
        max_length=120,
        error_messages={"required": gettext_lazy("Enter who signed for your company.")},
    )
    title = SingleLineField(
        label=gettext_lazy("Title of the signer"),
        max_length=120,
        error_messages={"required": gettext_lazy("Enter the title of the signer.")},
    )

    def __init__(self, page: RequirementPage, **kwargs: Unpack[BoundFormArguments]) -> None:
        super().__init__(page, ("pdf",), **kwargs)

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        return SignatureForm.is_available(page) and not is_for_program(page)

    def perform(self) -> str:
        data = self.cleaned_data
        signature = agreements.Signature(data["signer"], data["title"], "")
        self.page.call(agreements.upload_signed_agreement, data["file"], signature, digest=get_read_digest(self))
        return _("Signed PDF uploaded. The program confirms it next.")


class SignedPdfConfirmationForm(ActionForm):
    """Button with which the program confirms the uploaded PDF."""

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        return page.can_decide and get_agreement(page).awaits_confirmation

    def perform(self) -> str:
        # No field of the form, like the digest: after a refusal, the page must send that of the new PDF.
        agreement = self.page.call(agreements.confirm_upload, sha256=str(self.data.get("sha256", "")))
        return _("Both sides signed version %(version)s.") % {"version": agreement.version}


class SignedPdfRejectionForm(SignedPdfConfirmationForm):
    """Reason for the rejection of a signed PDF."""

    reason = build_reason_field(
        gettext_lazy("We send the reason to the partner by email."),
        missing=gettext_lazy("Enter a reason, so that the partner can correct the PDF."),
        max_length=400,
    )

    def perform(self) -> str:
        self.page.call(agreements.reject_upload, **self.cleaned_data)
        return _("Signed PDF rejected. We notified the company.")


def list_changes(agreement: Agreement, compared: Agreement | None) -> list[TextChange]:
    """Return the changes from another version; none if there is no other text."""
    return compare_texts(compared.text, agreement.text) if compared else []


def build_agreement_context(page: RequirementPage) -> TemplateContext:
    agreement = get_agreement(page)
    side = get_acting_party(page.integration, page.user)
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
        "sign": SignatureForm,
        "upload_agreement": SignedPdfForm,
        "confirm_agreement": SignedPdfConfirmationForm,
        "reject_agreement": SignedPdfRejectionForm,
    },
    build_agreement_context,
)
