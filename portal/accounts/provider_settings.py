"""Settings for sign-in with GitHub and for single sign-on of staff with OpenID Connect, from the environment."""

from urllib.parse import urlsplit

from portal.core.value_types import NamedValues
from portal.environment import PortalSettings

SINGLE_SIGN_ON_ID = "sso"  # in the callback URL, and the provider of connected accounts


def build_providers(environment: PortalSettings) -> NamedValues:
    """Return the configured providers for allauth. Email addresses in OIDC_DOMAINS count as verified."""
    github: NamedValues = {"SCOPE": ["user:email"]}
    if environment.GITHUB_CLIENT_ID:
        secret = environment.GITHUB_CLIENT_SECRET.get_secret_value()
        github["APPS"] = [{"client_id": environment.GITHUB_CLIENT_ID, "secret": secret}]
        if environment.GITHUB_WEB_URL != "https://github.com":  # GitHub Enterprise Server has its API below this URL
            github["GITHUB_URL"] = environment.GITHUB_WEB_URL
    if not environment.OIDC_ISSUER:
        return {"github": github}
    staff = {
        "provider_id": SINGLE_SIGN_ON_ID,
        "name": "Single sign-on",
        "client_id": environment.OIDC_CLIENT_ID,
        "secret": environment.OIDC_CLIENT_SECRET.get_secret_value(),
        "settings": {
            "server_url": environment.OIDC_ISSUER,
            "scope": environment.OIDC_SCOPES,
            # Keeps an intercepted code from being used (RFC 7636).
            "oauth_pkce_enabled": True,
            "verified_email": [domain.lower() for domain in environment.OIDC_DOMAINS],
        },
    }
    return {"github": github, "openid_connect": {"APPS": [staff]}}


def list_origins(*urls: str) -> list[str]:
    """Return the origins of URLs to which sign-in and sign-out redirect, for the Content-Security-Policy."""
    parts = [urlsplit(url) for url in urls if url]
    return sorted({f"{part.scheme}://{part.netloc}" for part in parts})
