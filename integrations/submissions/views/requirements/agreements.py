"""Agreement signatures on the requirement page."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.programs.registry import get_agreement_document
from integrations.submissions.agreement_pdf import render_agreement_pdf
from integrations.submissions.agreement_texts import TextChange, compare_texts, render_agreement
from integrations.submissions.forms.requirement_actions import SignatureForm
from integrations.submissions.models import Agreement
from integrations.submissions.services import agreements
from integrations.submissions.services.requirements import get_acting_party
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


def get_side_name(page: RequirementPage) -> str:
    """Return the name of the party for which the user signs."""
    is_program = get_acting_party(page.integration, page.user) == ResponsibleParty.PROGRAM
    return _("the program") if is_program else page.integration.partner.name


def get_signature_arguments(page: RequirementPage) -> NamedValues:
    """Return the digest of the text and the recorded signature of the user's side."""
    agreement = get_agreement(page)
    signature = agreement.get_signature(get_acting_party(page.integration, page.user))
    initial = {"digest": agreement.digest}
    if signature is not None:
        initial |= {"signer": signature.signer, "title": signature.title}
    return {"initial": initial}


def sign_agreement(page: RequirementPage, data: NamedValues) -> str:
    statement = agreements.build_statement(get_side_name(page))
    signature = agreements.Signature(data["signer"], data["title"], statement)
    agreement = page.call(agreements.sign_agreement, signature, digest=data["digest"])
    if agreement.is_complete:
        return _("Both sides signed version %(version)s.") % {"version": agreement.version}
    return _("Signature of version %(version)s recorded. The other side signs next.") % {"version": agreement.version}


def can_sign(page: RequirementPage) -> bool:
    return page.can_answer and not get_agreement(page).is_complete


def list_changes(agreement: Agreement) -> list[TextChange]:
    """Return what the agreement changes; nothing without an older text to compare with."""
    older = agreements.get_compared_agreement(agreement)
    return compare_texts(older.text, agreement.text) if older else []


def build_agreement_context(page: RequirementPage) -> TemplateContext:
    agreement, side = get_agreement(page), get_acting_party(page.integration, page.user)
    return {
        "agreement": agreement,
        "title": get_agreement_document(agreement.kind).title,
        "changes": list_changes(agreement),
        "compared": agreements.get_compared_agreement(agreement),
        "text": render_agreement(agreement.text),
        "in_force": agreements.get_agreement_in_force(page.integration.partner, agreement.kind),
        "has_own_signature": agreement.get_signature(side) is not None,
        "side_name": get_side_name(page),
        "statement": agreements.build_statement(get_side_name(page)),
        "can_download": permissions.can_download(page.integration.partner, page.user, is_agreement=True),
    }


def download_agreement(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the PDF of an agreement that was signed in the portal. Raises Http404."""
    agreement = get_object_or_404(Agreement.objects.select_related("partner").exclude(text=""), pk=pk)
    if not permissions.can_download(agreement.partner, request.user, is_agreement=True):
        raise Http404(_("Agreement not found."))
    return build_pdf_response(agreement)


def download_unsigned_agreement(request: AuthenticatedRequest, uuid: UUID, requirement_id: str) -> HttpResponse:
    """Return the PDF of the current text with blanks for the signatures. Raises Http404."""
    page = load_page(request, uuid, requirement_id)
    agreement = get_agreement(page) if page.requirement.agreement else None
    if agreement is None or not agreement.text:
        raise Http404(_("Agreement not found."))
    agreement.pk = None
    return build_pdf_response(agreement)


def build_pdf_response(agreement: Agreement) -> HttpResponse:
    name = f"{agreement.kind}-{agreement.version}-{agreement.partner.slug}.pdf"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-store"}
    return HttpResponse(render_agreement_pdf(agreement), "application/pdf", headers=headers)


AGREEMENT_PAGE = RequirementKindPage(
    {"sign": RequirementAction(can_sign, SignatureForm, sign_agreement, get_signature_arguments)},
    build_agreement_context,
)
