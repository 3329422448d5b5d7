import pytest

from verification.sandbox import environment


@pytest.fixture(autouse=True)
def require_sandbox():
    """Skip the test with the reason where no sandbox can be had."""
    if reason := environment.find_obstacle():
        pytest.skip(reason)
