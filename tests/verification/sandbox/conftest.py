import pytest

from verification.sandbox import environment


@pytest.fixture(autouse=True)
def needs_a_room():
    """Where no room can be had these are not run, with the reason."""
    if reason := environment.find_obstacle():
        pytest.skip(reason)
