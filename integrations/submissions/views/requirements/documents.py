"""Documents on the requirement page, and their downloads."""

from typing import Unpack
from uuid import UUID

from django.http import FileResponse, Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.forms.buttons import ItemButtonForm
from integrations.submissions.forms.documents import DocumentUploadForm
from integrations.submissions.models import Agreement, Document
from integrations.submissions.services import documents
from integrations.submissions.views.requirements.page import (
    RequirementAction,
    RequirementKindPage,
    RequirementPage,
    make_form_factory,
)
from portal.core.django_arguments import BoundFormArguments
from portal.core.value_types import TemplateContext

CONTENT_TYPES = {
    "pdf": "application/pdf",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "zip": "application/zip",
    "txt": "text/plain; charset=utf-8",
}


def build_upload_form(page: RequirementPage, **form_kwargs: Unpack[BoundFormArguments]) -> DocumentUploadForm:
    replaceable = [
        (str(existing.uuid), existing.name)
        for existing in documents.list_current_documents(page.integration, page.requirement.id)
    ]
    return DocumentUploadForm(
        request=page.request, accept=page.requirement.accept, replaceable=replaceable, **form_kwargs
    )


def upload_document(page: RequirementPage, form: DocumentUploadForm) -> str:
    file, replaces = form.cleaned_data["file"], form.cleaned_data["replaces"]
    uploaded_document = documents.upload_document(
        page.integration, page.requirement.id, file, actor=page.user, now=page.now, replaces=replaces
    )
    return _("Uploaded %(name)s.") % {"name": uploaded_document.name}


def remove_document(page: RequirementPage, form: ItemButtonForm) -> str:
    uuid = str(form.cleaned_data["uuid"])
    documents.remove_document(page.integration, page.requirement.id, uuid, actor=page.user, now=page.now)
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
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


DOCUMENT_PAGE = RequirementKindPage(
    {
        "upload": RequirementAction(lambda page: page.can_answer, build_upload_form, upload_document),
        "remove": RequirementAction(lambda page: page.can_answer, make_form_factory(ItemButtonForm), remove_document),
    },
    build_document_context,
)
