"""Fixture of the demo world."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command


@pytest.fixture(scope="module")
def demo_world(build_once: Any) -> None:
    """Load the demo world once per run for all tests that read it."""
    build_once(load_demo)


def load_demo() -> None:
    call_command("load_demo", stdout=StringIO())
