"""Users for tests of partners."""

from typing import Any

import pytest

from tests.conftest import create_user


@pytest.fixture
def dora(db: None) -> Any:
    """A person without a company."""
    return create_user("dora@acme.example", "Dora Dean")


@pytest.fixture
def erin(db: None) -> Any:
    """A person without a company, with a confirmed address at initech.example."""
    return create_user("erin@initech.example", "Erin Eads")
