import pytest

from verification.sandbox import room


@pytest.fixture(autouse=True)
def needs_a_room():
    """Where no room can be had these are not run, with the reason."""
    if reason := room.unavailable():
        pytest.skip(reason)
