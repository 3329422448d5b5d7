"""Fixtures of the review page tests."""

from datetime import datetime
from typing import Any

import pytest

from integrations.submissions.models import Integration


@pytest.fixture
def rocket(integration_at: Any, frozen_now: datetime) -> Integration:
    """Acme's integration in its first review round."""
    return integration_at("review")
