import pytest

from verification.preflight import settings


@pytest.mark.parametrize(
    "address", ["http://api.github.example", "ftp://127.0.0.1", "github.com", "http://127.0.0.1.x"]
)
def test_token_goes_over_https_only(monkeypatch, address):
    monkeypatch.setenv("GITHUB_API_URL", address)
    with pytest.raises(settings.InvalidSettingError) as refusal:
        settings.read_addresses()
    assert str(refusal.value) == "GITHUB_API_URL must be an address that begins with https://."


@pytest.mark.parametrize(
    "address", ["https://github.acme.example/api/v3/", "http://127.0.0.1:8000", "http://localhost"]
)
def test_address_is_taken(monkeypatch, address):
    monkeypatch.setenv("REGISTRY_URL", address)
    assert settings.read_addresses()["REGISTRY_URL"] == address.rstrip("/")
