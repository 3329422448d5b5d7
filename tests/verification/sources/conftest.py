"""Fixtures of tests with a GitHub App."""

from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa


@pytest.fixture(scope="module")
def app_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@pytest.fixture
def app_settings(settings: Any, app_key: rsa.RSAPrivateKey) -> Any:
    """Configure app 7 with installation 11."""
    settings.GITHUB_APP_ID = "7"
    settings.GITHUB_APP_INSTALLATION = 11
    settings.GITHUB_APP_KEY = app_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    return settings
