"""Users for tests of partners."""

from typing import Any

import pytest

from tests.conftest import person


@pytest.fixture
def dora(db: None) -> Any:
    """Somebody without a company."""
    return person("dora@acme.example", "Dora Dean")


@pytest.fixture
def erin(db: None) -> Any:
    """Somebody without a company, whose confirmed address is at initech.example."""
    return person("erin@initech.example", "Erin Eads")
