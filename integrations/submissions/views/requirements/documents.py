"""Documents on the requirement page, and their downloads."""

from typing import Unpack
from uuid import UUID

from django.http import FileResponse, Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.models import Agreement, Document
from integrations.submissions.services import documents
from integrations.submissions.views.requirements.page import (
    FileActionForm,
    ItemActionForm,
    RequirementKindPage,
    RequirementPage,
    build_replaces_field,
)
from portal.core.form_fields import BoundFormArguments

CONTENT_TYPES = {
    "pdf": "application/pdf",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "svg": "image/svg+xml",
    "zip": "application/zip",
    "txt": "text/plain; charset=utf-8",
}


class DocumentUploadForm(FileActionForm):
    """Document to add, or to replace an existing one."""

    def __init__(self, page: RequirementPage, **kwargs: Unpack[BoundFormArguments]) -> None:
        super().__init__(page, page.requirement.accept, **kwargs)
        current_documents = documents.list_current_documents(page.integration, page.requirement.id)
        self.fields["replaces"] = build_replaces_field([(str(each.uuid), each.name) for each in current_documents])

    def perform(self) -> str:
        return _("Uploaded %(name)s.") % {"name": self.page.call(documents.upload_document, **self.cleaned_data).name}


class DocumentRemovalForm(ItemActionForm):
    """Button that deletes a document."""

    def perform(self) -> str:
        self.page.call(documents.remove_document, **self.cleaned_data)
        return _("Document deleted.")


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
    {"upload": DocumentUploadForm, "remove": DocumentRemovalForm},
    lambda page: {"documents": documents.list_current_documents(page.integration, page.requirement.id)},
)
