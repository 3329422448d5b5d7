"""Helpers for tests of the transition page."""

from typing import Any

from integrations.submissions.models import Integration
from tests.integrations.reviews.conftest import fresh


def build_url(row: Integration, step: str) -> str:
    return f"/integrations/{row.uuid}/steps/{step}/"


def perform(client: Any, row: Integration, step: str, **fields: Any) -> Any:
    return client.post(build_url(row, step), {"version": fresh(row).version, "note": "", **fields})
