"""API schema of drafts."""

from datetime import datetime
from uuid import UUID

from ninja import Schema

from integrations.submissions.models import IntegrationDraft
from portal.api.v1.schemas.common import PartnerReference, serialize_partner_reference
from portal.core.value_types import JsonObject


class DraftOut(Schema):
    """Draft of an integration. `note` explains why GitHub provided no data."""

    uuid: UUID
    program: str
    company: PartnerReference
    version: int
    saved_at: datetime
    fields: JsonObject
    note: str
    problems: dict[str, list[str]]
    sent: bool
    integration: UUID | None


def serialize_draft(draft: IntegrationDraft, problems: dict[str, list[str]]) -> JsonObject:
    hidden_fields = ("prefilled", "prefill_note")
    return {
        "uuid": draft.uuid,
        "program": draft.program_key,
        "company": serialize_partner_reference(draft.partner),
        "version": draft.version,
        "saved_at": draft.saved_at,
        "problems": problems,
        "sent": draft.sent_at is not None,
        "fields": {key: value for key, value in draft.data.items() if key not in hidden_fields},
        "integration": draft.integration.uuid if draft.integration else None,
        "note": str(draft.data.get("prefill_note", "")),
    }
