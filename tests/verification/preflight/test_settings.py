"""Tests of the addresses that preflight reads from the environment."""

import pytest

from verification.preflight import settings


@pytest.mark.parametrize(
    "address",
    ["http://api.github.example", "ftp://127.0.0.1", "github.com", "http://127.0.0.1.x", "https://[", "https://"],
)
def test_unencrypted_github_address_is_refused(monkeypatch, address):
    monkeypatch.setenv("GITHUB_API_URL", address)
    with pytest.raises(settings.PreflightUsageError) as error:
        settings.read_addresses()
    assert str(error.value) == "GITHUB_API_URL must be an address that begins with https://."


@pytest.mark.parametrize(
    "address", ["https://github.acme.example/api/v3/", "http://127.0.0.1:8000", "http://localhost"]
)
def test_https_and_loopback_addresses_are_accepted(monkeypatch, address):
    monkeypatch.setenv("REGISTRY_URL", address)
    assert settings.read_addresses()["REGISTRY_URL"] == address.rstrip("/")
