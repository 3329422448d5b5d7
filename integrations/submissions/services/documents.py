"""Upload, replacement, and removal of documents."""

from datetime import datetime
from functools import partial
from uuid import UUID

from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext as _

from integrations.submissions.models import Document, Integration
from integrations.submissions.services.requirements import RequirementChange, change_requirement
from integrations.submissions.workflow.states import Status
from portal.accounts.requests import AnyUser
from portal.core.errors import ActionRefused
from portal.core.uploads import ValidatedFile

MAX_DOCUMENTS = 20


def list_current_documents(integration: Integration, requirement_id: str) -> list[Document]:
    """Return the current documents, oldest first. Shared documents appear with each integration."""
    state = integration.fulfillments.filter(requirement_id=requirement_id).first()
    uuids = state.data.get("documents", []) if state else []
    # By company: a shared answer names documents that were uploaded with another integration.
    documents = Document.objects.filter(partner=integration.partner_id, uuid__in=uuids, removed_at=None)
    return list(documents.select_related("uploaded_by").order_by("pk"))


def upload_document(
    integration: Integration,
    requirement_id: str,
    file: ValidatedFile,
    *,
    actor: AnyUser,
    now: datetime,
    replaces: str = "",
) -> Document:
    """Upload a file, or replace the document with the UUID `replaces`.

    If a document with the same content exists, return it, after the removal of the one to replace.
    """
    with change_requirement(integration, requirement_id, actor=actor, now=now) as change:
        documents = list_current_documents(change.integration, requirement_id)
        duplicate = next((document for document in documents if document.sha256 == file.sha256), None)
        # A form that was sent twice uploads once. A replacement with known content still removes the old document.
        if duplicate is not None:
            for document in documents:
                if str(document.uuid) == replaces and document != duplicate:
                    _remove_document(change, documents, document)
            return duplicate
        replaced_document = _find_document(documents, replaces) if replaces else None
        if replaced_document is None and len(documents) >= MAX_DOCUMENTS:
            message = _("You can upload up to %(limit)s documents. Replace or delete one.")
            raise ActionRefused(message % {"limit": MAX_DOCUMENTS}, "limit-reached")
        document = store_document(change, file)
        if replaced_document is not None:
            mark_removed(replaced_document, now)
        remaining = [*(other for other in documents if other != replaced_document), document]
        _answer_requirement(change, remaining, document, "document.uploaded")
    return document


def remove_document(
    integration: Integration, requirement_id: str, uuid: UUID | str, *, actor: AnyUser, now: datetime
) -> None:
    """Delete the content of a document; its name and digest stay in the history."""
    with change_requirement(integration, requirement_id, actor=actor, now=now) as change:
        documents = list_current_documents(change.integration, requirement_id)
        _remove_document(change, documents, _find_document(documents, uuid))


def _find_document(documents: list[Document], uuid: UUID | str) -> Document:
    document = next((document for document in documents if str(document.uuid) == str(uuid)), None)
    if document is None:
        raise ActionRefused(_("This document was replaced or deleted. Reload the page."), "conflict")
    return document


def _remove_document(change: RequirementChange, documents: list[Document], document: Document) -> None:
    mark_removed(document, change.now)
    remaining = [other for other in documents if other != document]
    _answer_requirement(change, remaining, document, "document.deleted")


def store_document(change: RequirementChange, file: ValidatedFile) -> Document:
    """Store the content and the row of a file."""
    document = Document(
        partner=change.integration.partner,
        state=change.state,
        name=file.name,
        kind=file.kind,
        size=file.size,
        sha256=file.sha256,
        uploaded_by=change.actor,  # type: ignore[misc]
        uploaded_at=change.now,
    )
    # The content first: a rollback leaves a file that no row names, never a row without its file.
    document.file.save(file.name, file.file, save=False)
    document.save()
    return document


def mark_removed(document: Document, now: datetime) -> None:
    """Mark a document as removed and delete its content after the commit."""
    document.removed_at = now
    document.save(update_fields=["removed_at"])
    # A rollback would keep the row but not bring back the file.
    transaction.on_commit(partial(default_storage.delete, str(document.file.name)))


def _answer_requirement(
    change: RequirementChange, remaining: list[Document], document: Document, event_type: str
) -> None:
    change.answer(
        event_type,
        {"documents": [str(document.uuid) for document in remaining]} if remaining else {},
        status=Status.SUBMITTED if remaining else Status.OPEN,
        summary=", ".join(document.name for document in remaining)[:500],
        name=document.name,
        size=document.size,
        sha256=document.sha256,
    )
