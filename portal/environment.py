"""Environment variables of the portal. Invalid ones stop startup with an error message.

docs/reference/settings.md is generated from the fields of PortalSettings and the texts below them.
"""

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from django.core.exceptions import ImproperlyConfigured
from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from portal import environment_types as types
from portal.core.client_ip import TrustedProxies
from portal.core.value_types import JsonObject

BASE_DIR = Path(__file__).resolve().parents[1]


def read_package_version() -> str:
    """Return the version in pyproject.toml."""
    return str(tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]["version"])


class PortalSettings(BaseSettings):
    """Everything that differs between installations.

    Defaults that depend on other variables are functions of the values above them.
    """

    # Lists and mappings are texts, not JSON.
    model_config = SettingsConfigDict(case_sensitive=True, frozen=True, validate_default=False, enable_decoding=False)

    # Server
    PORTAL_DATA: Path = BASE_DIR / ".data"
    """Folder of the embedded database, uploads, and secrets."""
    PORT: types.Port = 8000
    """Port on 127.0.0.1 that `bin/up` serves."""
    PORTAL_ENV: Literal["embedded", "production"] = "embedded"
    """`production` requires secure settings, `embedded` requires none. Must be set if the portal uses PostgreSQL or a
    public host."""
    PORTAL_DEBUG: bool = False
    """Shows tracebacks in pages. Not allowed in production."""
    SITE_URL: types.WebUrl = Field(default_factory=lambda values: f"http://127.0.0.1:{values['PORT']}")
    """URL of the portal, used in emails and links."""
    ALLOWED_HOSTS: types.TextList = ["127.0.0.1", "localhost", "[::1]"]
    """Host names that the portal serves."""
    TRUSTED_PROXIES: types.Proxies = TrustedProxies()
    """Number of proxies in front of the portal, or their networks. Required in production."""
    STATIC_ROOT: Path = Field(default_factory=lambda values: values["PORTAL_DATA"] / "static")
    """Folder that `collectstatic` writes to."""
    PORTAL_VERSION: str = ""
    """Version or commit that the status page shows to signed-in users. If it is blank, the version of the package."""
    LOG_LEVEL: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    """Lowest level that is logged."""

    # Secrets
    SECRET_KEY: SecretStr = SecretStr("")
    """Signs sessions and links."""
    ENCRYPTION_KEYS: types.SecretList = []
    """Keys that encrypt stored secrets, newest first. Older keys only decrypt."""
    BADGE_SIGNING_KEYS: types.SecretList = []
    """Secrets that sign badge statements, newest first. Older secrets only verify."""
    AUDIT_KEYS: types.KeyRing = {}
    """Keys that seal the audit log, newest first. Older keys only verify."""

    # Storage
    DATABASE_URL: types.DatabaseUrl = Field(
        default_factory=lambda values: SecretStr(f"sqlite:///{values['PORTAL_DATA'] / 'portal.sqlite3'}")
    )
    """Database, such as `postgres://USER:PASSWORD@HOST:PORT/NAME?sslmode=verify-full`."""
    REDIS_URL: types.BrokerUrl = SecretStr("")
    """Broker and cache. If it is blank, `bin/up` starts its own."""
    AUDIT_ANCHOR_DIR: Path = Field(default_factory=lambda values: values["PORTAL_DATA"] / "audit-anchors")
    """Folder of the daily anchors of the audit log. In production it must be outside `PORTAL_DATA`, preferably on
    write-once storage."""
    UPLOAD_MAX_MB: types.PositiveCount = 20
    """Maximum size of an uploaded document in megabytes."""

    # GitHub, registry, DNS, and sandbox
    GITHUB_CLIENT_ID: str = ""
    """Client ID of the GitHub App for sign-in and private repositories. Blank hides both."""
    GITHUB_CLIENT_SECRET: SecretStr = SecretStr("")
    """Client secret of the GitHub App."""
    GITHUB_APP_SLUG: str = ""
    """Name of the GitHub App in its URL. People install it for their private repositories."""
    GITHUB_WEB_URL: types.WebUrl = "https://github.com"
    """URL of GitHub's website."""
    GITHUB_API_URL: types.WebUrl = "https://api.github.com"
    """Base URL of the GitHub API."""
    GITHUB_TOKEN: SecretStr = SecretStr("")
    """Token for the GitHub API. Without it, the rate limit for anonymous requests applies."""
    GITHUB_APP_ID: str = ""
    """ID of a GitHub App that replaces the token. Requires `GITHUB_APP_INSTALLATION` and `GITHUB_APP_KEY`."""
    GITHUB_APP_INSTALLATION: types.Count = 0
    """Installation ID of the GitHub App."""
    GITHUB_APP_KEY: SecretStr = SecretStr("")
    """Private key of the GitHub App (PEM). Line breaks may be written as `\\n`."""
    REGISTRY_URL: types.WebUrl = "https://registry.terraform.io"
    """Base URL of the provider registry."""
    DNS_SERVERS: types.DnsServers = []
    """DNS servers that verify the domains of companies. If the list is blank, those of the system."""
    ALLOW_LOOPBACK_HTTP: bool = False
    """Allows checks to read plain HTTP from this machine. Not allowed in production."""
    BLOCKED_NETWORKS: types.Networks = []
    """Networks that URLs and programs of partners can't reach, such as the public addresses of your company. Private
    networks are always blocked. The host of REGISTRY_URL must not be in one of the networks."""
    SANDBOX_SOCKET: str = ""
    """Socket of the sandbox service. If it is blank, the worker starts partners' programs itself."""

    # Email
    EMAIL_HOST: str = ""
    """SMTP server. Without a server or provider, emails are only stored and shown in the email log."""
    EMAIL_PORT: types.Port = 587
    """Port of the SMTP server."""
    EMAIL_HOST_USER: str = ""
    """User name for the SMTP server."""
    EMAIL_HOST_PASSWORD: SecretStr = SecretStr("")
    """Password for the SMTP server."""
    EMAIL_USE_TLS: bool = True
    """Encrypts the SMTP connection with STARTTLS."""
    EMAIL_PROVIDER: Literal["smtp", "brevo", "mailersend", "mailgun", "mandrill", "postmark", "resend", "sparkpost"] = (
        "smtp"
    )
    """Service that sends emails."""
    EMAIL_PROVIDER_KEY: SecretStr = SecretStr("")
    """API key of the email provider."""
    EMAIL_PROVIDER_URL: types.WebUrl = ""
    """API URL of the email provider, for another region."""
    DEFAULT_FROM_EMAIL: types.Sender = "Partner portal <portal@localhost>"
    """Sender of all emails."""
    EMAIL_LOG_PUBLIC: bool = True
    """Shows the email log without sign-in, so that people can confirm their address. Ignored in production and when
    emails are sent."""

    # People and API
    PORTAL_LANGUAGES: types.Languages = ["en"]
    """Languages of the pages. Each has a folder in `locale/`."""
    STAFF_SECOND_FACTOR: Literal["required", "offered"] = Field(
        default_factory=lambda values: "required" if values["PORTAL_ENV"] == "production" else "offered"
    )
    """Whether reviewers and staff need a second factor. In production, the default is `required`."""
    ADMINISTRATOR_APPROVAL: bool = False
    """Requires a second administrator to approve each grant of the administrator role."""
    OIDC_ISSUER: types.WebUrl = ""
    """Issuer URL of the OpenID Connect provider of the staff. Blank turns single sign-on off."""
    OIDC_CLIENT_ID: str = ""
    """Client ID at the provider."""
    OIDC_CLIENT_SECRET: SecretStr = SecretStr("")
    """Client secret at the provider."""
    OIDC_DOMAINS: types.TextList = []
    """Domains of the email addresses that can use single sign-on."""
    OIDC_SCOPES: types.TextList = ["openid", "profile", "email"]
    """Scopes to request. Okta requires the scope `groups` to send groups."""
    OIDC_GROUPS_CLAIM: str = "groups"
    """Claim that lists a person's groups."""
    OIDC_GROUP_ROLES: types.GroupRoles = {}
    """Roles of the groups. Each sign-in grants these roles and revokes those of other listed groups. Repeat a group for
    several roles."""
    OIDC_OMITS_EMPTY_GROUPS: bool = False
    """The provider sends no groups claim for a person without groups, so a missing claim revokes roles."""
    OIDC_REQUIRED: bool = False
    """Refuses passwords, passkeys, and GitHub for people with a role or an address in `OIDC_DOMAINS`."""
    OIDC_SECOND_FACTOR: bool = False
    """The provider requires a second factor, so the portal doesn't. Requires `OIDC_REQUIRED`."""
    OIDC_LOGOUT_URL: types.WebUrl = ""
    """Sign-out page of the provider, which opens after the portal's. Blank for none."""
    REAUTHENTICATION_MINUTES: types.PositiveCount = 15
    """Age of a sign-in after which changing an account or viewing a test account requires another."""
    API_REQUESTS_PER_MINUTE: types.PositiveCount = 300
    """API requests per minute and token."""

    # Programs
    PROGRAM_EDITIONS: types.Editions = {}
    """Editions in force, for new integrations of the named programs. Others use the newest edition that is not
    upcoming."""
    UNDO_MINUTES: types.Count = 10
    """Minutes in which a decision can be undone before emails are sent."""
    REVIEW_CLAIM_MINUTES: types.PositiveCount = 30
    """Minutes without activity after which a reviewer's claim ends."""
    NOTICE_GRACE_DAYS: types.PositiveCount = 30
    """Days between a notice and a possible suspension."""
    DELISTING_AFTER_DAYS: types.PositiveCount = 60
    """Days between a suspension and a possible delisting."""
    SLA_NOTICE_BREACH_COUNT: types.PositiveCount = 2
    """Breaches within `SLA_NOTICE_WINDOW_DAYS` that suggest a notice."""
    SLA_NOTICE_WINDOW_DAYS: types.PositiveCount = 90
    """Days in which breaches count toward a notice."""
    SLA_NOTICE_OVERDUE_FACTOR: Annotated[int, Field(ge=2)] = 2
    """An open issue that takes this many times its target also suggests a notice."""
    ESCALATION_INTERVAL_HOURS: types.PositiveCount = 24
    """Hours without a response after which a notification escalates to the next person."""
    CONTACT_CONFIRMATION_DAYS: types.PositiveCount = 365
    """Days after which the owners of a company with supported integrations are asked to confirm its contacts."""
    REPORT_ZONE: types.TimeZone = "UTC"
    """Time zone of the periods in SLA reports."""

    @model_validator(mode="before")
    @classmethod
    def remove_blank_values(cls, values: dict[str, str]) -> dict[str, str]:
        """Remove spaces around values, and treat blank variables as unset."""
        return {name: text for name, value in values.items() if (text := value.strip())}


def load_settings() -> PortalSettings:
    """Return the settings in the environment.

    Raises:
        ImproperlyConfigured: Variables are invalid. The message has a line for each, without secrets.
    """
    try:
        return PortalSettings()
    except ValidationError as error:
        # A default that depends on an invalid variable isn't an error of its own.
        errors = [item for item in error.errors() if item["type"] != "default_factory_not_called"]
    # Outside of the handler, because a traceback would also show pydantic's error, which contains values.
    raise ImproperlyConfigured("\n".join(_describe_error(dict(item)) for item in errors))


def _describe_error(error: JsonObject) -> str:
    name = error["loc"][0]
    if error["type"] == "value_error":
        return f"{name} {error['ctx']['error']}."
    return f"{name} must be {types.describe_type(PortalSettings.model_fields[name])}, not {error['input']!r}."
