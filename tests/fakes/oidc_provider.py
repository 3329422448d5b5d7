"""Real OpenID Connect provider on loopback, in which tests change people and act as their browser."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from django.test import Client

from tests.servers.base import Server, can_connect, find_free_port

START = "/accounts/oidc/sso/login/"


class OidcProvider:
    """The provider: `issuer` is its URL."""

    def __init__(self, log: Path) -> None:
        self.port = find_free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(self.port)]
        env = os.environ | {"AUTHLIB_INSECURE_TRANSPORT": "1"}
        self.server = Server(command, log, lambda: can_connect(self.port), env=env)

    def set_claims(self, sub: str, **claims: Any) -> None:
        """Create a person at the provider, or replace their claims."""
        requests.put(f"{self.issuer}/users/{sub}", json=claims, timeout=10).raise_for_status()

    def sign_in(self, client: Client, sub: str, start: str = START, **form: str) -> Any:
        """Sign a browser in through the provider, as the person. Return the portal's answer to the callback."""
        address = client.post(start)["Location"]
        answer = requests.post(address, data={"sub": sub, **form}, allow_redirects=False, timeout=10)
        callback = urlsplit(answer.headers["Location"])
        return client.get(f"{callback.path}?{callback.query}")


@pytest.fixture(scope="module")
def oidc_provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OidcProvider]:
    provider = OidcProvider(tmp_path_factory.mktemp("oidc") / "log")
    yield provider
    provider.server.stop()
