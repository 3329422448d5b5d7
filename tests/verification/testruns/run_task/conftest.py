"""Fixture of a run task."""

from typing import Any

import pytest

from integrations.submissions.models import Integration
from tests.conftest import create_integration


@pytest.fixture
def run_task(acme: Any, alice: Any) -> Integration:
    return create_integration(acme, alice, program="terraform-run-task", repository="", name="Preflight")
