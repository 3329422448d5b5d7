"""Helpers for the tests of review pages."""

from datetime import datetime
from typing import Any

from integrations.submissions.models import Finding, Integration
from integrations.submissions.services import findings
from portal.accounts.models import User

SignIn = Any


def get_first_requirement_id(row: Integration) -> str:
    return row.edition.list_requirements()[0].id


def add_finding(row: Integration, by: User, now: datetime, text: str = "Sign the release.") -> Finding:
    return findings.raise_finding(row, get_first_requirement_id(row), text, actor=by, now=now)


def get_review_page(client: Any, row: Integration) -> Any:
    response = client.get(f"/integrations/{row.uuid}/review/")
    assert response.status_code == 200
    return response
