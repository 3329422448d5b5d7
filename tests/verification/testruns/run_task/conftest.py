"""Fixture of a run task."""

from typing import Any

import pytest

from integrations.submissions.models import Integration
from tests.conftest import begin


@pytest.fixture
def run_task(acme: Any, alice: Any) -> Integration:
    return begin(acme, alice, program="terraform-run-task", repository="", name="Preflight")
