"""Helpers for tests of the transition page."""

from typing import Any

from integrations.submissions.models import Integration
from tests.integrations.database_rows import reload_row


def build_url(row: Integration, step: str) -> str:
    return f"/integrations/{row.uuid}/transitions/{step}/"


def submit_transition(client: Any, row: Integration, step: str, **fields: Any) -> Any:
    return client.post(build_url(row, step), {"version": reload_row(row).version, "note": "", **fields})
