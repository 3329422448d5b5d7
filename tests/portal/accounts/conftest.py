"""Fixtures of single sign-on."""

from typing import Any

import pytest

from portal.accounts.provider_settings import build_providers
from portal.environment import PortalSettings
from tests.fakes.oidc_provider import OidcProvider, oidc_provider  # noqa: F401 - a fixture
from tests.portal.accounts.single_sign_on import GROUPS, NORA, Configure


@pytest.fixture
def configure(oidc_provider: OidcProvider, settings: Any) -> Configure:  # noqa: F811
    """Turn single sign-on on with settings that differ from the usual ones."""
    environment: Any = {
        "OIDC_ISSUER": oidc_provider.issuer,
        "OIDC_CLIENT_ID": "portal",
        "OIDC_CLIENT_SECRET": "secret",
        "OIDC_DOMAINS": "program.example",
    }
    providers = build_providers(PortalSettings(**environment))
    usual = {"OIDC_ISSUER": oidc_provider.issuer, "OIDC_DOMAINS": ["program.example"], "OIDC_GROUP_ROLES": GROUPS}

    def apply(**values: Any) -> None:
        for name, value in {"SOCIALACCOUNT_PROVIDERS": providers, **usual, **values}.items():
            setattr(settings, name, value)

    return apply


@pytest.fixture
def provider(oidc_provider: OidcProvider, configure: Configure) -> OidcProvider:  # noqa: F811
    """Return the provider, which knows Nora, with single sign-on turned on."""
    configure()
    oidc_provider.set_claims("nora", email=NORA, email_verified=True, name="Nora Nash", groups=["nomad"])
    return oidc_provider
