"""Fixture of the sandbox tests, which need Linux namespaces."""

import pytest

from verification.sandbox import environment


@pytest.fixture(autouse=True)
def require_sandbox() -> None:
    """Skip the test with the reason if this machine can't run a sandbox."""
    if reason := environment.find_obstacle():
        pytest.skip(reason)
