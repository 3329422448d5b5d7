"""Fixtures of the fakes `github`, `github_sign_in`, `registry`, and `dns_server`, started once per session."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from tests.fakes.dns_server import DnsServer
from tests.fakes.github.install import GitHubUnavailableError
from tests.fakes.github.server import TOKEN, GitHub
from tests.fakes.registry import Registry


@pytest.fixture(scope="session")
def github_server() -> Iterator[GitHub]:
    try:
        server = GitHub().start()
    except GitHubUnavailableError as reason:
        pytest.skip(f"the GitHub fake isn't available: {reason}")
    yield server
    server.stop()


@pytest.fixture
def github(github_server: GitHub, settings: Any) -> Iterator[GitHub]:
    """Return a GitHub API without repositories. Addresses that people enter remain those of github.com."""
    github_server.reset()
    settings.GITHUB_API_URL = github_server.url
    settings.GITHUB_TOKEN = TOKEN
    settings.ALLOW_LOOPBACK_HTTP = True
    yield github_server
    github_server.proxy.state.released.set()


@pytest.fixture
def github_sign_in(github: GitHub, settings: Any, monkeypatch: pytest.MonkeyPatch) -> GitHub:
    """Return the same server, with which people sign in."""
    from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter

    settings.GITHUB_CLIENT_ID = "portal"
    settings.GITHUB_CLIENT_SECRET = "secret of the portal"
    settings.GITHUB_WEB_URL = github.url
    ours = settings.SOCIALACCOUNT_PROVIDERS["github"]
    app = {"client_id": "portal", "secret": "secret of the portal"}
    settings.SOCIALACCOUNT_PROVIDERS = {"github": ours | {"APPS": [app], "GITHUB_URL": github.url}}
    policy = deepcopy(settings.CONTENT_SECURITY_POLICY)
    policy["DIRECTIVES"]["form-action"].append(github.url)
    settings.CONTENT_SECURITY_POLICY = policy
    web = f"{github.url}/login/oauth"
    api = f"{github.url}/api/v3"
    addresses = {
        "access_token_url": f"{web}/access_token",
        "authorize_url": f"{web}/authorize",
        "profile_url": f"{api}/user",
        "emails_url": f"{api}/user/emails",
    }
    for name, address in addresses.items():
        monkeypatch.setattr(GitHubOAuth2Adapter, name, address)
    return github


@pytest.fixture(scope="session")
def registry_server() -> Iterator[Registry]:
    server = Registry()
    yield server
    server.stop()


@pytest.fixture
def registry(registry_server: Registry, settings: Any) -> Registry:
    """Return an empty provider registry."""
    registry_server.reset()
    settings.REGISTRY_URL = registry_server.url
    settings.ALLOW_LOOPBACK_HTTP = True
    return registry_server


@pytest.fixture(scope="session")
def shared_dns_server() -> Iterator[DnsServer]:
    server = DnsServer()
    yield server
    server.stop()


@pytest.fixture
def dns_server(shared_dns_server: DnsServer, settings: Any) -> DnsServer:
    """Return a DNS server without records; tests set `records`."""
    shared_dns_server.reset()
    settings.DNS_SERVERS = [shared_dns_server.address]
    return shared_dns_server
