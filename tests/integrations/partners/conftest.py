"""Users for tests of partners."""

from typing import Any

import pytest

from tests.conftest import person


@pytest.fixture
def dora(db: None) -> Any:
    """Somebody without a company."""
    return person("dora@acme.example", "Dora Dean")
