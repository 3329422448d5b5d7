"""Helpers for tests of the transition page."""

from typing import Any

from bs4 import BeautifulSoup

from integrations.submissions.models import Integration
from tests.integrations.reviews.conftest import fresh


def build_url(row: Integration, step: str) -> str:
    return f"/integrations/{row.uuid}/steps/{step}/"


def soup(response: Any) -> BeautifulSoup:
    return BeautifulSoup(response.content, "html.parser")


def text_of(response: Any, where: str = "main") -> str:
    return " ".join(soup(response).select_one(where).get_text(" ").split())


def perform(client: Any, row: Integration, step: str, **fields: Any) -> Any:
    return client.post(build_url(row, step), {"version": fresh(row).version, "note": "", **fields})
