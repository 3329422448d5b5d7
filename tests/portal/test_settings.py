"""Tests of environment variables that stop startup, with the message for each."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from portal.database_url import parse_database_url
from portal.environment import PortalSettings, load_settings
from portal.production_checks import require_safe_settings

SECRETS = {
    "SECRET_KEY": "0Vn2o3Rk7wYd1tLq9xUfHs5mEzJbPaGcKi8y4DvT6rXeW1uQzN3h",
    "ENCRYPTION_KEYS": "Zq7hT1mWb5vXo9RkE3yLs8Nd2cJuFg6pAi4VtBxMwQrK",
    "BADGE_SIGNING_KEYS": "Lw3pG8yKs1eXt6VnJ9bRz4MqHd7fUcAo2iTvYk5WxNjB",
}
AUDIT_SECRET = "Fj4kT9sBx2nWm7QvRc1yHp6EgLd8oUzA3iKtXw5VbNqM"
SINGLE_SIGN_ON = {
    "OIDC_CLIENT_ID": "portal",
    "OIDC_CLIENT_SECRET": "b5vXo9RkE3yLs8Tq",
    "OIDC_DOMAINS": "example.com",
}
PRODUCTION = SECRETS | {
    "PORTAL_ENV": "production",
    "SITE_URL": "https://portal.example.com",
    "ALLOWED_HOSTS": "Portal.example.com",  # Django ignores the case
    "AUDIT_KEYS": f"2026:{AUDIT_SECRET}",
    "DATABASE_URL": "postgres://portal:word@database.example/portal",
    "REDIS_URL": "redis://redis.example",
    "TRUSTED_PROXIES": "1",
    "AUDIT_ANCHOR_DIR": "/var/lib/portal-anchors",
}
HOW = 'create one with: python3 -c "import secrets; print(secrets.token_urlsafe(50))"'
NOT_IN_PRODUCTION = "The portal does not start in production: "


@pytest.fixture
def refusal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., str]:
    """Return a function that loads the given variables and returns the error message, if any."""

    def load(**variables: str) -> str:
        for name in PortalSettings.model_fields:
            monkeypatch.delenv(name, raising=False)
        for name, value in {"PORTAL_DATA": str(tmp_path / "data"), **variables}.items():
            monkeypatch.setenv(name, value)
        try:
            settings = load_settings()
            require_safe_settings(settings, parse_database_url(settings.DATABASE_URL.get_secret_value()))
        except ImproperlyConfigured as error:
            return str(error)
        return ""

    return load


def test_start_without_any_setting_is_possible(manage):
    process = manage("check")
    assert (process.returncode, process.stdout) == (0, "System check identified no issues (0 silenced).\n"), (
        process.stderr
    )


@pytest.mark.parametrize("folder", ["", "data/audit-anchors", "data/../data/anchors", "data"])
def test_start_in_production_refuses_anchors_in_the_data_folder(refusal, tmp_path, folder):
    anchors = {"AUDIT_ANCHOR_DIR": str(tmp_path / folder)} if folder else {}
    inherited = {name: value for name, value in PRODUCTION.items() if name != "AUDIT_ANCHOR_DIR"}
    assert "AUDIT_ANCHOR_DIR must be a folder outside PORTAL_DATA" in refusal(**inherited | anchors)


def test_start_in_production_passes_the_deployment_check(manage):
    process = manage("check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert (process.returncode, process.stdout) == (0, "System check identified no issues (0 silenced).\n"), (
        process.stderr
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"DATABASE_URL": "sqlite:////tmp/portal.sqlite3"}, "DATABASE_URL must name a PostgreSQL database."),
        ({"DATABASE_URL": ""}, "DATABASE_URL must name a PostgreSQL database."),
        ({"PORTAL_DEBUG": "yes"}, "PORTAL_DEBUG must be off."),
        ({"SECRET_KEY": ""}, "SECRET_KEY is not set."),
        ({"ENCRYPTION_KEYS": " , "}, "ENCRYPTION_KEYS is not set."),
        ({"BADGE_SIGNING_KEYS": ""}, "BADGE_SIGNING_KEYS is not set."),
        ({"REDIS_URL": ""}, "REDIS_URL is not set."),
        ({"SITE_URL": "http://portal.example.com"}, "SITE_URL must start with https://."),
        ({"SITE_URL": "https://127.0.0.1"}, "SITE_URL must name the host that people use, not this machine."),
        ({"AUDIT_KEYS": ""}, "AUDIT_KEYS is not set."),
        ({"ALLOW_LOOPBACK_HTTP": "yes"}, "ALLOW_LOOPBACK_HTTP must be off."),
        (
            {"TRUSTED_PROXIES": ""},
            "TRUSTED_PROXIES must be set to the number of proxies in front of the portal, or to their networks.",
        ),
        ({"SECRET_KEY": "tooshort"}, f"SECRET_KEY has 8 characters and needs at least 50; {HOW}."),
        ({"SECRET_KEY": "kept-out-of-sight-" * 4}, f"SECRET_KEY is too regular to be random; {HOW}."),
        ({"SECRET_KEY": "k7Rw2-vTq9Lx4Zs8Bn3Hf6Jd1Pm5Yc" * 2}, f"SECRET_KEY is too regular to be random; {HOW}."),
        (
            {"SECRET_KEY": "ThisIsMySecretKeyForTheNewServer1234567890abcdefghij"},
            f"SECRET_KEY contains a placeholder; {HOW}.",
        ),
        (
            {"SECRET_KEY": "change_this_to_something_long_and_random_before_going_live"},
            f"SECRET_KEY is made of words; {HOW}.",
        ),
        ({"ENCRYPTION_KEYS": "0123456789" * 5}, f"ENCRYPTION_KEYS is too regular to be random; {HOW}."),
        (
            {"BADGE_SIGNING_KEYS": "CHANGE-ME" + "b5vXo9RkE3yLs8" * 3},
            f"BADGE_SIGNING_KEYS contains a placeholder; {HOW}.",
        ),
        ({"SECRET_KEY": "django-insecure-" + "k3$2" * 9}, f"SECRET_KEY contains a placeholder; {HOW}."),
        ({"AUDIT_KEYS": "2026:short"}, f"AUDIT_KEYS has 5 characters and needs at least 32; {HOW}."),
        (
            {"ENCRYPTION_KEYS": f"{SECRETS['ENCRYPTION_KEYS']},short"},
            f"ENCRYPTION_KEYS has 5 characters and needs at least 32; {HOW}.",
        ),
        (
            {"BADGE_SIGNING_KEYS": SECRETS["SECRET_KEY"]},
            "BADGE_SIGNING_KEYS repeats a secret of SECRET_KEY; each setting requires its own secret.",
        ),
        ({"DATABASE_URL": "postgres://portal:CHANGE-ME@db/portal"}, "DATABASE_URL contains a placeholder."),
        ({"EMAIL_HOST_PASSWORD": "change me"}, "EMAIL_HOST_PASSWORD contains a placeholder."),
        (
            {"ALLOWED_HOSTS": "*,portal.example.com"},
            "ALLOWED_HOSTS must list whole host names, without * or a leading dot.",
        ),
        (
            {"ALLOWED_HOSTS": ".example.com,portal.example.com"},
            "ALLOWED_HOSTS must list whole host names, without * or a leading dot.",
        ),
        ({"ALLOWED_HOSTS": "other.example"}, "ALLOWED_HOSTS must contain the host of SITE_URL, portal.example.com."),
        ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS must contain the host of SITE_URL, portal.example.com."),
        (
            {"OIDC_ISSUER": "http://login.example.com", "OIDC_SECOND_FACTOR": "1"},
            "OIDC_CLIENT_ID is not set, but single sign-on needs it; "
            "OIDC_CLIENT_SECRET is not set, but single sign-on needs it; "
            "OIDC_DOMAINS is not set, but single sign-on needs it; "
            "OIDC_ISSUER must start with https://; "
            "OIDC_SECOND_FACTOR needs OIDC_REQUIRED: a sign-in with a password has no factor of the provider.",
        ),
        *(
            (
                SINGLE_SIGN_ON | {"OIDC_ISSUER": f"https://login.microsoftonline.com/{tenant}/v2.0"},
                f"OIDC_ISSUER names every tenant ({tenant.lower()}), so others can claim your addresses.",
            )
            for tenant in ("common", "Organizations", "consumers")
        ),
        ({"SECRET_KEY": "", "PORTAL_DEBUG": "1"}, "PORTAL_DEBUG must be off; SECRET_KEY is not set."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_start_in_production_refuses(refusal, change, message):
    assert refusal(**PRODUCTION | change) == NOT_IN_PRODUCTION + message


def test_start_prints_why_it_is_refused(manage):
    process = manage("check", **PRODUCTION | {"SECRET_KEY": ""})
    assert (process.returncode, process.stderr) == (2, f"{NOT_IN_PRODUCTION}SECRET_KEY is not set.\n")


def test_production_refusal_never_prints_a_secret(refusal):
    weak = {"SECRET_KEY": "hunter2", "AUDIT_KEYS": "a:hunter2", "DATABASE_URL": "postgres://u:changeme-hunter2@db/x"}
    message = refusal(**PRODUCTION | weak)
    assert message.startswith(NOT_IN_PRODUCTION)
    assert "hunter2" not in message


@pytest.mark.parametrize(
    ("environment", "reason"),
    [
        ({"DATABASE_URL": "postgres://portal@127.0.0.1/portal"}, "DATABASE_URL names a PostgreSQL database"),
        ({"SITE_URL": "https://portal.example.com"}, "SITE_URL names a public host"),
        ({"SITE_URL": "http://192.0.2.7"}, "SITE_URL names a public host"),
        ({"ALLOWED_HOSTS": "localhost,portal.example.com"}, "ALLOWED_HOSTS names a public host"),
        ({"ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS names a public host"),
    ],
)
def test_start_without_an_environment_refuses_what_looks_like_production(refusal, environment, reason):
    message = f"PORTAL_ENV is not set, and {reason}: set PORTAL_ENV to production, or to embedded for a trial."
    assert refusal(**environment) == message
    assert refusal(**environment, PORTAL_ENV=" ") == message


@pytest.mark.parametrize("hosts", ["127.0.0.2,[::1],localhost", "portal.localhost"])
def test_start_without_an_environment_is_possible_on_this_machine(refusal, hosts):
    assert refusal(ALLOWED_HOSTS=hosts, SITE_URL="http://localhost:8000") == ""


def test_start_of_a_declared_trial_on_a_public_host_is_possible(refusal):
    assert refusal(PORTAL_ENV="embedded", ALLOWED_HOSTS="portal.example.com") == ""


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("PORTAL_ENV", "live", "PORTAL_ENV must be embedded or production, not 'live'."),
        ("PORTAL_DEBUG", "perhaps", "PORTAL_DEBUG must be yes or no, not 'perhaps'."),
        ("PORT", "http", "PORT must be a whole number from 1 to 65535, not 'http'."),
        ("UPLOAD_MAX_MB", "0", "UPLOAD_MAX_MB must be a whole number of at least 1, not '0'."),
        ("UNDO_MINUTES", "-1", "UNDO_MINUTES must be a whole number of at least 0, not '-1'."),
        ("DATABASE_URL", "mysql://x/y", "DATABASE_URL must start with postgres:// or sqlite://, not 'mysql'."),
        ("DATABASE_URL", "postgres://u:secret@host:port/x", "DATABASE_URL must name its port as a number."),
        (
            "DATABASE_URL",
            "postgres://u:secret@host/x?sslmod=require",
            "DATABASE_URL has a parameter that PostgreSQL's client does not know: 'sslmod'.",
        ),
        (
            "DATABASE_URL",
            "postgres://u:secret@host/x?sslmode=on",
            "DATABASE_URL must have one of disable, allow, prefer, require, verify-ca, verify-full as sslmode.",
        ),
        ("TRUSTED_PROXIES", "99", "TRUSTED_PROXIES must be at most 10 proxies, not 99."),
        (
            "TRUSTED_PROXIES",
            "proxy.example",
            "TRUSTED_PROXIES must be a number of proxies, or their addresses such as 10.0.0.2, not 'proxy.example'.",
        ),
        (
            "TRUSTED_PROXIES",
            "10.0.0.0/8,::/0",
            "TRUSTED_PROXIES must be the addresses of your own proxies, or their networks; ::/0 is too large.",
        ),
        (
            "BLOCKED_NETWORKS",
            "198.41.0.0/24,10.0.0.1/8",
            "BLOCKED_NETWORKS must list networks without host bits, such as 203.0.113.0/24, not '10.0.0.1/8'.",
        ),
        ("AUDIT_KEYS", "a:x,a:y", "AUDIT_KEYS contains the ID a twice."),
        (
            "AUDIT_KEYS",
            "2026:first,withoutid",
            "AUDIT_KEYS must list ID:SECRET, separated by commas, newest first; entry 2 does not match."
            " An ID has up to 16 letters, digits, or hyphens.",
        ),
        ("SITE_URL", "portal", "SITE_URL must be a URL that begins with http:// or https://, not 'portal'."),
        (
            "REDIS_URL",
            "unix:",
            "REDIS_URL must be a URL that begins with redis://, rediss://, or unix://, not 'unix:'.",
        ),
        (
            "PROGRAM_EDITIONS",
            "nomad",
            "PROGRAM_EDITIONS must list PROGRAM@EDITION, separated by commas, such as nomad@2021-10, not 'nomad'.",
        ),
        ("REPORT_ZONE", "Mars/Base", "REPORT_ZONE must be a time zone such as Europe/Paris, not 'Mars/Base'."),
        ("LOG_LEVEL", "LOUD", "LOG_LEVEL must be DEBUG, INFO, WARNING, or ERROR, not 'LOUD'."),
    ],
)
def test_start_refuses_invalid_value(refusal, name, value, message):
    assert refusal(**{name: value}) == message


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"EMAIL_PROVIDER": "postmark"}, "EMAIL_PROVIDER is postmark, and EMAIL_PROVIDER_KEY is not set."),
        (
            {"EMAIL_PROVIDER_KEY": "k"},
            "EMAIL_PROVIDER_KEY or EMAIL_PROVIDER_URL is set, and EMAIL_PROVIDER is not.",
        ),
    ],
)
def test_start_refuses_an_incomplete_email_provider(import_settings, variables, message):
    assert import_settings(**variables).stderr.endswith(f"ImproperlyConfigured: {message}\n")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("chess@2021-10", "Unknown program in PROGRAM_EDITIONS: chess."),
        ("nomad@1999-01", "Unknown edition of nomad in PROGRAM_EDITIONS: 1999-01."),
    ],
)
def test_start_refuses_an_unknown_edition(settings, value, message):
    program, _, edition = value.partition("@")
    settings.PROGRAM_EDITIONS = {program: edition}
    with pytest.raises(SystemCheckError, match=re.escape(message)):
        call_command("check")


def test_languages_have_their_own_names_and_begin_with_english(import_settings):
    process = import_settings("print(settings.LANGUAGES)", PORTAL_LANGUAGES="de")
    assert process.stdout == "[('en', 'English'), ('de', 'Deutsch')]\n"


@pytest.mark.parametrize(("languages", "enabled"), [("en", "False"), ("en,de", "True")])
def test_texts_are_translated_only_with_several_languages(import_settings, languages, enabled):
    assert import_settings("print(settings.USE_I18N)", PORTAL_LANGUAGES=languages).stdout == f"{enabled}\n"


def test_secrets_of_the_embedded_portal_are_kept(import_settings, tmp_path):
    first, second = (import_settings("print(settings.SECRET_KEY)").stdout for _ in range(2))
    assert first == second != ""
    assert (tmp_path / "data" / "secret_key").stat().st_mode & 0o777 == 0o600
