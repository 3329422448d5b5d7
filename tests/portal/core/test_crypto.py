"""A sealed value opens in its own place with a configured key, and nowhere else."""

import pytest

from portal.core.crypto import CannotOpen, Secret, is_current, seal, unseal

PLACE = "credential:1:2"


def test_secret_opens_in_its_place():
    assert unseal(seal(Secret("user\npässword"), PLACE), PLACE) == Secret("user\npässword")


def test_secret_sealed_twice_differs():
    assert seal(Secret("a"), PLACE) != seal(Secret("a"), PLACE)


def test_secret_moved_to_another_row():
    with pytest.raises(CannotOpen, match="were changed"):
        unseal(seal(Secret("a"), PLACE), "credential:2:2")


@pytest.mark.parametrize("place", [12, 30, 40, -1])
def test_secret_with_one_bit_changed(place):
    sealed = bytearray(seal(Secret("a"), PLACE))
    sealed[place] ^= 1
    with pytest.raises(CannotOpen, match="were changed"):
        unseal(bytes(sealed), PLACE)


def test_secret_of_a_key_that_is_gone(settings):
    settings.CREDENTIALS_KEYS = ["old"]
    sealed = seal(Secret("a"), PLACE)
    settings.CREDENTIALS_KEYS = ["new"]
    with pytest.raises(CannotOpen, match="no longer configured"):
        unseal(sealed, PLACE)


def test_older_key_still_opens_and_newest_seals(settings):
    settings.CREDENTIALS_KEYS = ["old"]
    before = seal(Secret("a"), PLACE)
    settings.CREDENTIALS_KEYS = ["new", "old"]
    after = seal(Secret("a"), PLACE)
    assert (unseal(before, PLACE), is_current(before), is_current(after)) == (Secret("a"), False, True)


@pytest.mark.parametrize("sealed", [b"", b"\x01", b"\x02" + b"a" * 60])
def test_something_that_was_never_sealed(sealed):
    with pytest.raises(CannotOpen):
        unseal(sealed, PLACE)


def test_secret_never_shows_itself():
    secret = Secret("hunter2")
    assert (str(secret), repr(secret), f"{secret}", repr([secret])) == ("***", "***", "***", "[***]")
