"""Tests that a sealed value opens only in its own place with a configured key."""

import pytest

from portal.core.crypto import SALT_BYTES, DecryptionError, Secret, decrypt, encrypt, get_salt, is_current

PLACE = "credential:1:2"


def test_secret_is_decrypted_in_its_place():
    assert decrypt(encrypt(Secret("user\npässword"), PLACE), PLACE) == Secret("user\npässword")


def test_secret_encrypted_twice_differs():
    assert encrypt(Secret("a"), PLACE) != encrypt(Secret("a"), PLACE)


def test_secret_in_another_row_is_not_decrypted():
    with pytest.raises(DecryptionError, match="are damaged"):
        decrypt(encrypt(Secret("a"), PLACE), "credential:2:2")


@pytest.mark.parametrize("place", [12, 30, 40, -1])
def test_secret_with_one_changed_bit_is_not_decrypted(place):
    ciphertext = bytearray(encrypt(Secret("a"), PLACE))
    ciphertext[place] ^= 1
    with pytest.raises(DecryptionError, match="are damaged"):
        decrypt(bytes(ciphertext), PLACE)


def test_secret_of_a_deleted_key_is_not_decrypted(settings):
    settings.ENCRYPTION_KEYS = ["old"]
    ciphertext = encrypt(Secret("a"), PLACE)
    settings.ENCRYPTION_KEYS = ["new"]
    with pytest.raises(DecryptionError, match="no longer configured"):
        decrypt(ciphertext, PLACE)


def test_older_key_still_decrypts_and_newest_encrypts(settings):
    settings.ENCRYPTION_KEYS = ["old"]
    before = encrypt(Secret("a"), PLACE)
    settings.ENCRYPTION_KEYS = ["new", "old"]
    after = encrypt(Secret("a"), PLACE)
    assert (decrypt(before, PLACE), is_current(before), is_current(after)) == (Secret("a"), False, True)


@pytest.mark.parametrize("ciphertext", [b"", b"\x01", b"\x02" + b"a" * 60])
def test_text_that_was_never_encrypted_is_not_decrypted(ciphertext):
    with pytest.raises(DecryptionError):
        decrypt(ciphertext, PLACE)


def test_secret_is_not_printed():
    secret = Secret("hunter2")
    assert (str(secret), repr(secret), f"{secret}", repr([secret])) == ("***", "***", "***", "[***]")


def test_salt_identifies_an_encrypted_value():
    values = [encrypt(Secret("same"), "row 1") for _ in range(2)]
    salts = {get_salt(value) for value in values}
    assert (len(salts), {len(salt) for salt in salts}) == (2, {SALT_BYTES})
