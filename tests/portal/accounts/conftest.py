"""Fixtures of single sign-on."""

from dataclasses import replace
from typing import Any

import pytest

from portal.accounts.provider_settings import SingleSignOn
from tests.fakes.oidc_provider import OidcProvider, oidc_provider  # noqa: F401 - a fixture
from tests.portal.accounts.single_sign_on import GROUPS, NORA, Configure


@pytest.fixture
def configure(oidc_provider: OidcProvider, settings: Any) -> Configure:  # noqa: F811
    """Turn single sign-on on with values that differ from the usual ones."""
    usual = SingleSignOn(oidc_provider.issuer, "portal", "secret", ("program.example",), group_roles=GROUPS)

    def apply(**values: Any) -> SingleSignOn:
        settings.SINGLE_SIGN_ON = replace(usual, **values)
        apps = {"openid_connect": {"APPS": [settings.SINGLE_SIGN_ON.app]}}
        settings.SOCIALACCOUNT_PROVIDERS = settings.SOCIALACCOUNT_PROVIDERS | apps
        return settings.SINGLE_SIGN_ON

    return apply


@pytest.fixture
def provider(oidc_provider: OidcProvider, configure: Configure) -> OidcProvider:  # noqa: F811
    """Return the provider, which knows Nora, with single sign-on turned on."""
    configure()
    oidc_provider.set_claims("nora", email=NORA, email_verified=True, name="Nora Nash", groups=["nomad"])
    return oidc_provider
