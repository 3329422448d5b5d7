"""How is a document handed in, replaced, and taken away again?"""

from datetime import datetime
from functools import partial
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext as _

from integrations.programs.schema import Requirement
from integrations.submissions.models import Document, Integration, RequirementState
from integrations.submissions.services.requirements import ANSWERING, answer, handing_in, state_for
from integrations.submissions.workflow.states import Status
from portal.core.errors import NotAllowed
from portal.core.uploads import Examined

MOST = 20


def current(integration: Integration, requirement_id: str) -> list[Document]:
    """The documents that count, oldest first. What the company gives once is listed with each integration."""
    state = integration.states.filter(requirement_id=requirement_id).first()
    uuids = state.data.get("documents", []) if state else []
    kept = Document.objects.filter(partner=integration.partner_id, uuid__in=uuids, removed_at=None)
    return list(kept.select_related("uploaded_by").order_by("pk"))


def upload(
    integration: Integration, requirement_id: str, file: Examined, *, by: Any, now: datetime, replaces: str = ""
) -> Document:
    """Hand in a file, in the place of another one where `replaces` is that one's uuid.

    The same content handed in again is the document that is there already.
    """
    with handing_in(integration, requirement_id, by=by) as (row, requirement):
        kept = current(row, requirement_id)
        same = next((document for document in kept if document.sha256 == file.sha256), None)
        if same is not None:
            return same
        old = _named(kept, replaces) if replaces else None
        if old is None and len(kept) >= MOST:
            raise NotAllowed(_("There are %(MOST)s documents already: replace or remove one.") % {"MOST": MOST})
        document = keep(row, state_for(row, requirement_id), file, by=by, now=now)
        if old is not None:
            take_away(old, now)
        left = [*(each for each in kept if each != old), document]
        _answer(row, requirement, left, document, "document_uploaded", by, now)
    return document


def remove(integration: Integration, requirement_id: str, uuid: str, *, by: Any, now: datetime) -> None:
    """Take a document away: its bytes go, its name and digest stay in the history."""
    with handing_in(integration, requirement_id, by=by) as (row, requirement):
        kept = current(row, requirement_id)
        document = _named(kept, uuid)
        take_away(document, now)
        left = [each for each in kept if each != document]
        _answer(row, requirement, left, document, "document_removed", by, now)


def keep(row: Integration, state: RequirementState, file: Examined, *, by: Any, now: datetime) -> Document:
    """Write a file's bytes and its row. Call with the integration locked."""
    document = Document(
        partner=row.partner, state=state, name=file.name, kind=file.kind, size=file.size, sha256=file.sha256,
        uploaded_by=by, uploaded_at=now,
    )  # fmt: skip
    document.file.save(file.name, file.file, save=False)
    document.save()
    return document


def take_away(document: Document, now: datetime) -> None:
    """Mark a document as removed; its bytes go when that is certain."""
    document.removed_at = now
    document.save(update_fields=["removed_at"])
    transaction.on_commit(partial(default_storage.delete, str(document.file.name)))


def _named(kept: list[Document], uuid: str) -> Document:
    found = next((document for document in kept if str(document.uuid) == uuid), None)
    if found is None:
        raise NotAllowed(_("This document was replaced or removed meanwhile."), "stale")
    return found


def _answer(
    row: Integration, requirement: Requirement, left: list[Document], about: Document, verb: str, by: Any, now: datetime
) -> None:
    told = {"name": about.name, "size": about.size, "sha256": about.sha256}
    answer(
        row, requirement.id, {"documents": [str(document.uuid) for document in left]} if left else {},
        by=by, now=now, status=Status.GIVEN if left else Status.OPEN, verb=verb, rule=ANSWERING[requirement.who],
        summary=", ".join(document.name for document in left)[:500], told=told,
    )  # fmt: skip
