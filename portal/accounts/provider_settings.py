"""Settings of single sign-on for staff with OpenID Connect."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from portal.core.value_types import NamedValues

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
                # Keeps an intercepted code from being used (RFC 7636).
                "oauth_pkce_enabled": True,
                "verified_email": list(self.domains),
            },
        }
