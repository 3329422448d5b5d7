"""Helpers that read and submit requirement pages."""

from typing import Any

from integrations.submissions.models import Integration

FORM = "NO-1"
ATTESTED_REQUIREMENT = "NO-4"
CHECKED_REQUIREMENT = "NO-LIC"
SUBMITTED_VALUES = {
    "contact_name": "Alice Archer",
    "contact_email": "alice@acme.example",
    "use_case": "Launch rockets.",
    "users": "Ten.",
    "ready": "2026-06-01",
}


def get_url(row: Integration, requirement_id: str = FORM) -> str:
    return f"/integrations/{row.uuid}/requirements/{requirement_id}/"


def get_state(row: Integration, requirement_id: str = FORM) -> Any:
    return Integration.objects.get(pk=row.pk).fulfillments.filter(requirement_id=requirement_id).first()


def submit_action(client: Any, row: Integration, requirement_id: str, action: str, **fields: Any) -> Any:
    return client.post(get_url(row, requirement_id), {"action": action, **fields})


def list_requirement_ids(row: Integration) -> list[str]:
    return [r.id for r in row.edition.list_requirements()]
