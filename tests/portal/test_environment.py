"""Tests of reading environment variables."""

import os
import re
from ipaddress import ip_network
from urllib.parse import urlsplit

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connection, connections
from django.db.backends.postgresql.base import DatabaseWrapper

from portal.core.client_ip import TrustedProxies
from portal.database_url import DEFAULT_OPTIONS, SQLITE_OPTIONS, parse_database_url
from portal.environment import PortalSettings, load_settings


@pytest.fixture
def load(monkeypatch):
    """Return a function that loads the settings from the given variables only."""

    def load_from(**variables: str) -> PortalSettings:
        for name in PortalSettings.model_fields:
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return load_settings()

    return load_from


def test_blocked_network_of_mapped_addresses_blocks_ipv4(load):
    networks = load(BLOCKED_NETWORKS="::ffff:203.0.113.0/120,2001:db8::/32").BLOCKED_NETWORKS
    assert networks == ["203.0.113.0/24", "2001:db8::/32"]


def test_database_is_split_and_unquoted():
    assert parse_database_url("postgres://po%40rtal:a%2Fb@db.example:5433/name") == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "name",
        "USER": "po@rtal",
        "PASSWORD": "a/b",
        "HOST": "db.example",
        "PORT": "5433",
        "OPTIONS": {"options": DEFAULT_OPTIONS},
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def test_database_parameters_of_libpq_are_honored():
    url = (
        "postgres://portal@db.example/name?sslmode=verify-full&sslrootcert=/etc/ca.pem&target_session_attrs=read-write"
        "&application_name=portal&options=-c%20statement_timeout%3D1000"
    )
    assert parse_database_url(url)["OPTIONS"] == {
        "sslmode": "verify-full",
        "sslrootcert": "/etc/ca.pem",
        "target_session_attrs": "read-write",
        "application_name": "portal",
        "options": f"{DEFAULT_OPTIONS} -c statement_timeout=1000",
    }


def test_database_parameters_keep_plus_signs():
    database = parse_database_url("postgres://portal@db.example/name?password=a+b%2Bc%20d&sslpassword=x+y&")
    assert (database["PASSWORD"], database["OPTIONS"]["sslpassword"]) == ("a+b+c d", "x+y")


def test_database_host_may_be_a_parameter():
    database = parse_database_url("postgres:///name?host=/run/postgresql&user=portal")
    assert (database["HOST"], database["USER"], database["NAME"]) == ("/run/postgresql", "portal", "name")


def test_database_of_sqlite_is_a_path():
    assert parse_database_url("sqlite:////var/lib/portal#1.sqlite3") == {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": "/var/lib/portal#1.sqlite3",
        "OPTIONS": SQLITE_OPTIONS,
    }


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("postgres://h/n?sslmode=require&sslmode=disable", "has the parameter sslmode twice."),
        ("postgres://h/n?conn_max_age=60", "has a parameter that PostgreSQL's client does not know: 'conn_max_age'."),
        ("sqlite:///", "must name a file after sqlite:///."),
        ("sqlite://portal.sqlite3", "must name a file after sqlite:///."),
        ("sqlite:portal.sqlite3", "must name a file after sqlite:///."),
        ("sqlite:///x.sqlite3?mode=ro", "must have no parameters after the path of an SQLite file."),
        ("portal:hidden@host/name", "must start with postgres:// or sqlite://, not 'portal'."),
        ("postgres://u:hidden/word@host/name", "must name its port as a number."),
        ("hidden", "must start with postgres:// or sqlite://."),
    ],
)
def test_database_that_cannot_be_used_is_refused(load, url, problem):
    with pytest.raises(ImproperlyConfigured) as refusal:
        load(DATABASE_URL=url)
    assert str(refusal.value) == f"DATABASE_URL {problem}"


@pytest.mark.postgres
@pytest.mark.skipif(connection.vendor != "postgresql", reason="needs a real PostgreSQL")
def test_sslmode_reaches_the_server(django_db_blocker):
    """The test server speaks no TLS, so asking for it must fail rather than fall back."""
    url = urlsplit(os.environ["DATABASE_URL"])._replace(query="sslmode=require").geturl()
    wrapper = DatabaseWrapper(connections["default"].settings_dict | parse_database_url(url))
    with django_db_blocker.unblock(), pytest.raises(OperationalError, match="server does not support SSL"):
        wrapper.ensure_connection()


def test_keys_keep_their_order(load):
    keys = load(AUDIT_KEYS="new:a:b, old:c").AUDIT_KEYS
    assert [(key_id, key.get_secret_value()) for key_id, key in keys.items()] == [("new", "a:b"), ("old", "c")]


def test_group_can_have_several_roles(load):
    roles = load(OIDC_GROUP_ROLES="nomad=reviewer:nomad, nomad=manager:nomad, 4f=staff").OIDC_GROUP_ROLES
    assert roles == {"nomad": ("reviewer:nomad", "manager:nomad"), "4f": ("staff",)}


def test_proxies_are_a_number_or_networks(load):
    assert TrustedProxies(count=2) == load(TRUSTED_PROXIES="2").TRUSTED_PROXIES
    networks = (ip_network("192.0.2.1/32"), ip_network("fd00::/16"))
    assert TrustedProxies(networks=networks) == load(TRUSTED_PROXIES="192.0.2.1, fd00::/16").TRUSTED_PROXIES
    assert TrustedProxies() == load(TRUSTED_PROXIES="").TRUSTED_PROXIES


@pytest.mark.parametrize("server", ["192.0.2.53#0", "192.0.2.53#65536", "192.0.2.53#-1", "dns.acme.io"])
def test_dns_server_that_cannot_be_asked_is_refused(load, server):
    with pytest.raises(ImproperlyConfigured) as refusal:
        load(DNS_SERVERS=f"192.0.2.53#5353,{server}")
    assert str(refusal.value) == (
        f"DNS_SERVERS must list IP addresses, such as 192.0.2.53 or 192.0.2.53#5353, not {server!r}."
    )


@pytest.mark.parametrize("word", ["1", "yes", "TRUE", "on"])
def test_flag_is_on(load, word):
    assert load(PORTAL_DEBUG=word).PORTAL_DEBUG is True


@pytest.mark.parametrize("word", ["0", "no", "False", "OFF"])
def test_flag_is_off(load, word):
    assert load(EMAIL_USE_TLS=word).EMAIL_USE_TLS is False


def test_blank_variable_is_unset(load):
    settings = load(REPORT_ZONE=" ", UNDO_MINUTES="  ", EMAIL_USE_TLS="", PORTAL_ENV=" ")
    assert (settings.REPORT_ZONE, settings.UNDO_MINUTES, settings.EMAIL_USE_TLS) == ("UTC", 10, True)
    assert settings.model_fields_set == set()


def test_names_are_case_sensitive(load):
    assert load(undo_minutes="3").UNDO_MINUTES == 10


def test_defaults_depend_on_other_variables(load):
    settings = load(PORTAL_DATA="/srv/portal", PORT="8001", PORTAL_ENV="production")
    assert (settings.DATABASE_URL.get_secret_value(), str(settings.STATIC_ROOT), settings.SITE_URL) == (
        "sqlite:////srv/portal/portal.sqlite3",
        "/srv/portal/static",
        "http://127.0.0.1:8001",
    )
    assert settings.STAFF_SECOND_FACTOR == "required"


def test_every_invalid_variable_is_reported_once(load):
    with pytest.raises(ImproperlyConfigured) as refusal:
        load(PORT="70000", LOG_LEVEL="loud", REDIS_URL="rdis://:hidden@host")
    assert str(refusal.value).splitlines() == [
        "PORT must be a whole number from 1 to 65535, not '70000'.",
        "LOG_LEVEL must be DEBUG, INFO, WARNING, or ERROR, not 'loud'.",
        "REDIS_URL must be a URL that begins with redis://, rediss://, or unix://.",
    ]


def test_editions_are_split_once(load):
    editions = load(PROGRAM_EDITIONS="nomad@2021-10, vault@2021@10").PROGRAM_EDITIONS
    assert editions == {"nomad": "2021-10", "vault": "2021@10"}


def test_url_loses_its_trailing_slash(load):
    assert load(SITE_URL="https://portal.example/").SITE_URL == "https://portal.example"


def test_secrets_are_not_printed(load):
    settings = load(
        SECRET_KEY="hidden",
        ENCRYPTION_KEYS="hidden,hidden",
        BADGE_SIGNING_KEYS="hidden",
        AUDIT_KEYS="a:hidden",
        DATABASE_URL="postgres://u:hidden@host/name",
        REDIS_URL="redis://:hidden@host",
        GITHUB_TOKEN="hidden",
        EMAIL_HOST_PASSWORD="hidden",
    )
    assert "hidden" not in repr(settings)


def test_unknown_language_is_refused(load):
    with pytest.raises(ImproperlyConfigured) as refusal:
        load(PORTAL_LANGUAGES="de,tlh")
    assert str(refusal.value) == "PORTAL_LANGUAGES must list language codes, such as en or de, not 'tlh'."


def test_sender_is_one_address(load):
    """With two addresses, no email could be sent."""
    sender = '"Acme, Inc." <portal@acme.example>'
    accepted = load(DEFAULT_FROM_EMAIL=sender).DEFAULT_FROM_EMAIL
    assert accepted == sender
    for value in ("Acme, Inc. <portal@acme.example>", "portal"):
        message = f"DEFAULT_FROM_EMAIL must be one address, such as {sender}, not {value!r}."
        with pytest.raises(ImproperlyConfigured, match=re.escape(message)):
            load(DEFAULT_FROM_EMAIL=value)
