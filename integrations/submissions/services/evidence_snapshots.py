"""Snapshots of the evidence in each review round."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from integrations.submissions.models import Document, EvidenceSnapshot, Integration, RequirementFulfillment
from portal.core.value_types import JsonObject

INTERNAL_KEYS = frozenset({"waits_for", "documents", "confirmed", "void_reason"})  # bookkeeping, not answers
CHECK_KEYS = ("key", "title", "outcome", "summary", "subjects")


def take_snapshot(integration: Integration, now: datetime) -> None:
    """Store the evidence of the current review round, instead of an earlier snapshot of the round."""
    states = list(integration.fulfillments.all())
    documents = Document.objects.filter(partner=integration.partner_id, uuid__in=list_document_uuids(states))
    names = name_documents(documents)
    evidence = {state.requirement_id: build_evidence(state, names) for state in states}
    EvidenceSnapshot.objects.update_or_create(
        integration=integration, round=integration.review_round, defaults={"evidence": evidence, "at": now}
    )


def list_document_uuids(states: Iterable[RequirementFulfillment]) -> list[str]:
    """Return the UUIDs of the documents that the answers name."""
    return [uuid for state in states for uuid in state.data.get("documents", [])]


def name_documents(documents: Iterable[Document]) -> dict[str, str]:
    """Return the names of documents with their digests, by UUID."""
    # A replacement can have the same name. The digest shows that the content differs.
    return {str(document.uuid): f"{document.name} · SHA-256 {document.sha256}" for document in documents}


def build_evidence(state: RequirementFulfillment, document_names: Mapping[str, str]) -> JsonObject:
    """Return what the partner and the checks assert, as JSON. `document_names`: name and digest by UUID."""
    uuids: Collection[str] = state.data.get("documents", [])
    return {
        "confirmed": bool(state.data.get("confirmed")),
        "answers": {key: value for key, value in state.data.items() if key not in INTERNAL_KEYS},
        "documents": [document_names[uuid] for uuid in uuids if uuid in document_names],
        "checks": [{key: item.get(key, "") for key in CHECK_KEYS} for item in state.detail],
    }
