"""Upload, replacement, and removal of documents."""

from datetime import datetime
from functools import partial
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext as _

from integrations.programs.requirements import Requirement
from integrations.submissions.models import Document, Integration, RequirementFulfillment
from integrations.submissions.services.requirements import (
    ANSWER_RULES,
    get_or_create_state,
    submission_changes,
    submit_answer,
)
from integrations.submissions.workflow.states import Status
from portal.accounts.requests import AnyUser
from portal.core.errors import ActionRefused
from portal.core.uploads import ValidatedFile

MAX_DOCUMENTS = 20


def list_current_documents(integration: Integration, requirement_id: str) -> list[Document]:
    """Return the current documents, oldest first. Shared documents appear with each integration."""
    state = integration.fulfillments.filter(requirement_id=requirement_id).first()
    uuids = state.data.get("documents", []) if state else []
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

    A file with the same content as an existing document returns that document.
    """
    with submission_changes(integration, requirement_id, actor=actor) as (locked_integration, requirement):
        documents = list_current_documents(locked_integration, requirement_id)
        duplicate = next((document for document in documents if document.sha256 == file.sha256), None)
        if duplicate is not None:
            return duplicate
        replaced_document = _get_document(documents, replaces) if replaces else None
        if replaced_document is None and len(documents) >= MAX_DOCUMENTS:
            raise ActionRefused(
                _("You can upload up to %(limit)s documents. Replace or delete one.") % {"limit": MAX_DOCUMENTS}
            )
        document = store_document(
            locked_integration, get_or_create_state(locked_integration, requirement_id), file, actor=actor, now=now
        )
        if replaced_document is not None:
            mark_removed(replaced_document, now)
        remaining = [*(other for other in documents if other != replaced_document), document]
        _answer_requirement(locked_integration, requirement, remaining, document, "document.uploaded", actor, now)
    return document


def remove_document(integration: Integration, requirement_id: str, uuid: str, *, actor: AnyUser, now: datetime) -> None:
    """Delete the content of a document; its name and digest stay in the history."""
    with submission_changes(integration, requirement_id, actor=actor) as (locked_integration, requirement):
        documents = list_current_documents(locked_integration, requirement_id)
        document = _get_document(documents, uuid)
        mark_removed(document, now)
        remaining = [other for other in documents if other != document]
        _answer_requirement(locked_integration, requirement, remaining, document, "document.deleted", actor, now)


def store_document(
    integration: Integration, state: RequirementFulfillment, file: ValidatedFile, *, actor: Any, now: datetime
) -> Document:
    """Store the content and the row of a file. Call with the integration locked."""
    document = Document(
        partner=integration.partner,
        state=state,
        name=file.name,
        kind=file.kind,
        size=file.size,
        sha256=file.sha256,
        uploaded_by=actor,
        uploaded_at=now,
    )
    document.file.save(file.name, file.file, save=False)
    document.save()
    return document


def mark_removed(document: Document, now: datetime) -> None:
    """Mark a document as removed and delete its content after the commit."""
    document.removed_at = now
    document.save(update_fields=["removed_at"])
    transaction.on_commit(partial(default_storage.delete, str(document.file.name)))


def _get_document(documents: list[Document], uuid: str) -> Document:
    document = next((document for document in documents if str(document.uuid) == uuid), None)
    if document is None:
        raise ActionRefused(_("This document was replaced or deleted. Reload the page."), "conflict")
    return document


def _answer_requirement(
    integration: Integration,
    requirement: Requirement,
    remaining: list[Document],
    document: Document,
    event_type: str,
    actor: AnyUser | None,
    now: datetime,
) -> None:
    event_data = {"name": document.name, "size": document.size, "sha256": document.sha256}
    submit_answer(
        integration,
        requirement.id,
        {"documents": [str(document.uuid) for document in remaining]} if remaining else {},
        actor=actor,
        now=now,
        status=Status.SUBMITTED if remaining else Status.OPEN,
        event_type=event_type,
        rule=ANSWER_RULES[requirement.responsible_party],
        summary=", ".join(document.name for document in remaining)[:500],
        extra_data=event_data,
    )
