"""How are documents handed in on the page, and how are they read again?"""

from typing import Any
from uuid import UUID

from django.http import FileResponse, Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.forms.buttons import PressOne
from integrations.submissions.forms.documents import Upload
from integrations.submissions.models import Agreement, Document
from integrations.submissions.services import documents
from integrations.submissions.views.requirements.page import Act, KindPage, Page, plain

TYPES = {
    "pdf": "application/pdf",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "zip": "application/zip",
    "txt": "text/plain; charset=utf-8",
}


def upload_form(page: Page, **given: Any) -> Upload:
    there = [(str(each.uuid), each.name) for each in documents.current(page.integration, page.requirement.id)]
    return Upload(request=page.request, accept=page.requirement.accept, there=there, **given)


def upload(page: Page, form: Upload) -> str:
    file, replaces = form.cleaned_data["file"], form.cleaned_data["replaces"]
    kept = documents.upload(page.integration, page.requirement.id, file, by=page.user, now=page.now, replaces=replaces)
    return _("%(name)s is handed in.") % {"name": kept.name}


def remove(page: Page, form: PressOne) -> str:
    uuid = str(form.cleaned_data["uuid"])
    documents.remove(page.integration, page.requirement.id, uuid, by=page.user, now=page.now)
    return _("The document is removed.")


def context(page: Page) -> dict[str, Any]:
    return {"documents": documents.current(page.integration, page.requirement.id)}


def document(request: HttpRequest, uuid: UUID) -> FileResponse:
    """Hand out a file, always as a download. Raises Http404 for what is not the person's to read."""
    found = get_object_or_404(Document.objects.select_related("partner"), uuid=uuid, removed_at=None)
    is_agreement = Agreement.objects.filter(document=found).exists()
    if not permissions.may_download(found.partner, request.user, is_agreement=is_agreement):
        raise Http404(_("There is no such document."))
    answer = FileResponse(found.file.open("rb"), as_attachment=True, filename=found.name)
    answer["Content-Type"] = TYPES[found.kind]
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Cache-Control"] = "private, no-store"
    return answer


DOCUMENT = KindPage(
    {
        "upload": Act(lambda page: page.can_answer, upload_form, upload),
        "remove": Act(lambda page: page.can_answer, plain(PressOne), remove),
    },
    context,
)
