"""Settings of the external sign-in: GitHub, and single sign-on for staff with OpenID Connect."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from portal.core.value_types import NamedValues
from portal.environment import PortalSettings

SINGLE_SIGN_ON_ID = "sso"  # in the callback URL, and as the provider of connected accounts


@dataclass(frozen=True, slots=True)
class SingleSignOn:
    """The OpenID Connect provider of the staff, as the OIDC_ variables describe it. Without an issuer, it is off."""

    issuer: str = ""
    client_id: str = ""
    secret: str = field(default="", repr=False)
    domains: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ("openid", "profile", "email")
    groups_claim: str = "groups"
    group_roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    omits_empty_groups: bool = False
    is_required: bool = False
    has_second_factor: bool = False
    logout_url: str = ""

    @property
    def origins(self) -> list[str]:
        """Return the origins to which sign-in and sign-out redirect, for the Content-Security-Policy."""
        parts = [urlsplit(url) for url in (self.issuer, self.logout_url) if url]
        return sorted({f"{part.scheme}://{part.netloc}" for part in parts})

    @property
    def app(self) -> NamedValues:
        """Return the settings for allauth. Addresses in the domains count as verified."""
        return {
            "provider_id": SINGLE_SIGN_ON_ID,
            "name": "Single sign-on",
            "client_id": self.client_id,
            "secret": self.secret,
            "settings": {
                "server_url": self.issuer,
                "scope": list(self.scopes),
                "oauth_pkce_enabled": True,
                "verified_email": list(self.domains),
            },
        }


def build_single_sign_on(environment: PortalSettings) -> SingleSignOn:
    """Return the single sign-on that the environment describes."""
    return SingleSignOn(
        issuer=environment.OIDC_ISSUER,
        client_id=environment.OIDC_CLIENT_ID,
        secret=environment.OIDC_CLIENT_SECRET.get_secret_value(),
        domains=tuple(domain.lower() for domain in environment.OIDC_DOMAINS),
        scopes=tuple(environment.OIDC_SCOPES),
        groups_claim=environment.OIDC_GROUPS_CLAIM,
        group_roles=environment.OIDC_GROUP_ROLES,
        omits_empty_groups=environment.OIDC_OMITS_EMPTY_GROUPS,
        is_required=environment.OIDC_REQUIRED,
        has_second_factor=environment.OIDC_SECOND_FACTOR,
        logout_url=environment.OIDC_LOGOUT_URL,
    )


def build_providers(environment: PortalSettings, single_sign_on: SingleSignOn) -> NamedValues:
    """Return the providers of allauth that are configured."""
    github: NamedValues = {"SCOPE": ["user:email"]}
    if environment.GITHUB_CLIENT_ID:
        secret = environment.GITHUB_CLIENT_SECRET.get_secret_value()
        github["APPS"] = [{"client_id": environment.GITHUB_CLIENT_ID, "secret": secret}]
        if environment.GITHUB_WEB_URL != "https://github.com":  # an Enterprise Server has its API below the same URL
            github["GITHUB_URL"] = environment.GITHUB_WEB_URL
    staff = {"openid_connect": {"APPS": [single_sign_on.app]}} if single_sign_on.issuer else {}
    return {"github": github, **staff}
