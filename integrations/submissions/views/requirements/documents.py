"""Documents on the requirement page, and their downloads."""

from uuid import UUID

from django.http import FileResponse, Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.forms.requirement_actions import DocumentUploadForm, ItemButtonForm
from integrations.submissions.models import Agreement, Document
from integrations.submissions.services import documents
from integrations.submissions.views.requirements.page import (
    RequirementAction,
    RequirementKindPage,
    RequirementPage,
    can_answer,
)
from portal.core.value_types import NamedValues, TemplateContext

CONTENT_TYPES = {
    "pdf": "application/pdf",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "svg": "image/svg+xml",
    "zip": "application/zip",
    "txt": "text/plain; charset=utf-8",
}


def get_upload_arguments(page: RequirementPage) -> NamedValues:
    current_documents = documents.list_current_documents(page.integration, page.requirement.id)
    return {
        "request": page.request,
        "accept": page.requirement.accept,
        "replaceable": [(str(document.uuid), document.name) for document in current_documents],
    }


def upload_document(page: RequirementPage, data: NamedValues) -> str:
    return _("Uploaded %(name)s.") % {"name": page.call(documents.upload_document, **data).name}


def remove_document(page: RequirementPage, data: NamedValues) -> str:
    page.call(documents.remove_document, **data)
    return _("Document deleted.")


def build_document_context(page: RequirementPage) -> TemplateContext:
    return {"documents": documents.list_current_documents(page.integration, page.requirement.id)}


def download_document(request: HttpRequest, uuid: UUID) -> FileResponse:
    """Return a document as a download. Raises Http404."""
    document_row = get_object_or_404(Document.objects.select_related("partner"), uuid=uuid, removed_at=None)
    is_agreement = Agreement.objects.filter(document=document_row).exists()
    if not permissions.can_download(document_row.partner, request.user, is_agreement=is_agreement):
        raise Http404(_("Document not found."))
    response = FileResponse(document_row.file.open("rb"), as_attachment=True, filename=document_row.name)
    response["Content-Type"] = CONTENT_TYPES[document_row.kind]
    # An uploaded SVG could run scripts on the portal's origin if a browser displayed it.
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


DOCUMENT_PAGE = RequirementKindPage(
    {
        "upload": RequirementAction(can_answer, DocumentUploadForm, upload_document, get_upload_arguments),
        "remove": RequirementAction(can_answer, ItemButtonForm, remove_document),
    },
    build_document_context,
)
