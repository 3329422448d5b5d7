"""Users for tests of partners."""

from typing import Any

import pytest

from tests.conftest import person


@pytest.fixture
def dora(db: None) -> Any:
    """A person without a company."""
    return person("dora@acme.example", "Dora Dean")


@pytest.fixture
def erin(db: None) -> Any:
    """A person without a company, with a confirmed address at initech.example."""
    return person("erin@initech.example", "Erin Eads")
