"""API schema of drafts."""

from datetime import datetime
from uuid import UUID

from ninja import Schema
from pydantic import Field

from integrations.submissions.forms.drafts import bind_form
from integrations.submissions.models import IntegrationDraft
from integrations.submissions.views.drafts_shared import get_program
from portal.api.v1.schemas.common import PartnerReference, RelatedUuid
from portal.core.value_types import JsonObject


class DraftOut(Schema):
    """Draft of an integration. `note` explains why GitHub provided no data."""

    uuid: UUID
    program: str = Field(validation_alias="program_key")
    company: PartnerReference = Field(validation_alias="partner")
    version: int
    saved_at: datetime
    fields: JsonObject
    note: str
    problems: dict[str, list[str]]
    sent: bool
    integration: RelatedUuid

    @staticmethod
    def resolve_fields(draft: IntegrationDraft) -> JsonObject:
        return {key: value for key, value in draft.data.items() if key not in ("prefilled", "prefill_note")}

    @staticmethod
    def resolve_note(draft: IntegrationDraft) -> str:
        return str(draft.data.get("prefill_note", ""))

    @staticmethod
    def resolve_problems(draft: IntegrationDraft) -> dict[str, list[str]]:
        """Return the validation errors by field."""
        if draft.integration_id is not None or draft.sent_at is not None:
            return {}
        form = bind_form(*get_program(draft), draft.data)
        return {name: [str(error) for error in errors] for name, errors in form.errors.items()}

    @staticmethod
    def resolve_sent(draft: IntegrationDraft) -> bool:
        return draft.sent_at is not None
