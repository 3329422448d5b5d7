"""Fixture of a keyring, which needs gpg."""

from collections.abc import Iterator

import pytest

from tests.verification.releases.artifacts.keyring import GPG, Keyring, build_test_keyring


@pytest.fixture(scope="session")
def keyring() -> Iterator[Keyring]:
    if GPG is None:
        pytest.skip("gpg is not installed")
    keys = build_test_keyring()
    yield keys
    keys.close()
