"""Settings of the external sign-in, from the environment: GitHub, and single sign-on for staff."""

from portal.accounts.provider_settings import SingleSignOn
from portal.core.value_types import NamedValues
from portal.environment import PortalSettings


def build_single_sign_on(environment: PortalSettings) -> SingleSignOn:
    """Return the single sign-on that the environment describes. Without an issuer, no other variable counts."""
    if not environment.OIDC_ISSUER:
        return SingleSignOn()
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
