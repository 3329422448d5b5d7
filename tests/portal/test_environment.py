"""Is the environment read as it says?"""

import os
from ipaddress import ip_network
from urllib.parse import urlsplit

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connection, connections
from django.db.backends.postgresql.base import DatabaseWrapper

from portal import environment
from portal.core.client_ip import TrustedProxies
from portal.database_url import DEFAULT_OPTIONS, parse_database_url


@pytest.fixture(autouse=True)
def own_table(monkeypatch):
    monkeypatch.setattr(environment, "SETTINGS", [])


def test_database_is_split_and_unquoted(monkeypatch):
    monkeypatch.setenv("X", "postgres://po%40rtal:a%2Fb@db.example:5433/name")
    assert environment.read_database("X", "", doc="") == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "name",
        "USER": "po@rtal",
        "PASSWORD": "a/b",
        "HOST": "db.example",
        "PORT": "5433",
        "OPTIONS": {"options": DEFAULT_OPTIONS},
    }


def test_database_parameters_of_libpq_are_honored(monkeypatch):
    monkeypatch.setenv(
        "X",
        "postgres://portal@db.example/name?sslmode=verify-full&sslrootcert=/etc/ca.pem&target_session_attrs=read-write"
        "&application_name=portal&options=-c%20statement_timeout%3D1000",
    )
    assert environment.read_database("X", "", doc="")["OPTIONS"] == {
        "sslmode": "verify-full",
        "sslrootcert": "/etc/ca.pem",
        "target_session_attrs": "read-write",
        "application_name": "portal",
        "options": f"{DEFAULT_OPTIONS} -c statement_timeout=1000",
    }


def test_database_parameters_keep_plus_signs(monkeypatch):
    monkeypatch.setenv("X", "postgres://portal@db.example/name?password=a+b%2Bc%20d&sslpassword=x+y&")
    database = environment.read_database("X", "", doc="")
    assert (database["PASSWORD"], database["OPTIONS"]["sslpassword"]) == ("a+b+c d", "x+y")


def test_database_host_may_be_a_parameter(monkeypatch):
    monkeypatch.setenv("X", "postgres:///name?host=/run/postgresql&user=portal")
    database = environment.read_database("X", "", doc="")
    assert (database["HOST"], database["USER"], database["NAME"]) == ("/run/postgresql", "portal", "name")


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("postgres://h/n?sslmode=require&sslmode=disable", "X has the parameter sslmode twice."),
        ("postgres://h/n?conn_max_age=60", "X has a parameter that PostgreSQL's client does not know: 'conn_max_age'."),
        ("sqlite:///", "X must name a file after sqlite:///."),
        ("sqlite:///x.sqlite3?mode=ro", "X must have no parameters after the path of an SQLite file."),
        ("portal:hidden@host/name", "X must begin with postgres:// or sqlite://, not 'portal'."),
        ("hidden", "X must begin with postgres:// or sqlite://."),
    ],
)
def test_database_that_cannot_be_used_is_refused(monkeypatch, address, sentence):
    monkeypatch.setenv("X", address)
    with pytest.raises(ImproperlyConfigured) as refusal:
        environment.read_database("X", "", doc="")
    assert str(refusal.value) == sentence


@pytest.mark.postgres
@pytest.mark.skipif(connection.vendor != "postgresql", reason="needs a real PostgreSQL")
def test_sslmode_reaches_the_server(django_db_blocker):
    """The test server speaks no TLS, so asking for it must fail rather than fall back."""
    url = urlsplit(os.environ["DATABASE_URL"])._replace(query="sslmode=require").geturl()
    wrapper = DatabaseWrapper(connections["default"].settings_dict | parse_database_url(url))
    with django_db_blocker.unblock(), pytest.raises(OperationalError, match="server does not support SSL"):
        wrapper.ensure_connection()


def test_keys_keep_their_order(monkeypatch):
    monkeypatch.setenv("X", "new:a:b, old:c")
    assert list(environment.read_keys("X", doc="").items()) == [("new", "a:b"), ("old", "c")]


def test_proxies_are_a_number_or_networks(monkeypatch):
    monkeypatch.setenv("X", "2")
    assert environment.read_proxies("X", doc="") == TrustedProxies(count=2)
    monkeypatch.setenv("X", "192.0.2.1, fd00::/16")
    networks = (ip_network("192.0.2.1/32"), ip_network("fd00::/16"))
    assert environment.read_proxies("X", doc="") == TrustedProxies(networks=networks)
    monkeypatch.setenv("X", "")
    assert environment.read_proxies("X", doc="") == TrustedProxies()


def test_database_of_sqlite_is_a_path(monkeypatch):
    monkeypatch.setenv("X", "sqlite:////var/lib/portal.sqlite3")
    assert environment.read_database("X", "", doc="") == {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": "/var/lib/portal.sqlite3",
    }


def test_database_with_a_wrong_port_does_not_say_the_password(monkeypatch):
    monkeypatch.setenv("X", "postgres://u:hidden/word@host/name")
    with pytest.raises(ImproperlyConfigured) as refusal:
        environment.read_database("X", "", doc="")
    assert str(refusal.value) == "X must name its port as a number."


@pytest.mark.parametrize("word", ["1", "yes", "TRUE", "on"])
def test_flag_on(monkeypatch, word):
    monkeypatch.setenv("X", word)
    assert environment.read_flag("X", False, doc="") is True


@pytest.mark.parametrize("word", ["0", "no", "False", "OFF"])
def test_flag_off(monkeypatch, word):
    monkeypatch.setenv("X", word)
    assert environment.read_flag("X", True, doc="") is False


def test_blank_means_unset(monkeypatch):
    monkeypatch.setenv("X", "  ")
    assert (
        environment.read_text("X", "a", doc=""),
        environment.read_number("X", 3, doc=""),
        environment.read_flag("X", True, doc=""),
    ) == ("a", 3, True)


def test_pairs_are_split_once(monkeypatch):
    monkeypatch.setenv("X", "nomad@2021-10, vault@2021@10")
    assert environment.read_pairs("X", "@", doc="") == {"nomad": "2021-10", "vault": "2021@10"}


def test_address_loses_its_last_slash(monkeypatch):
    monkeypatch.setenv("X", "https://portal.example/")
    assert environment.read_url("X", schemes=("https",), doc="") == "https://portal.example"


def test_table_never_holds_a_secret(monkeypatch):
    monkeypatch.setenv("X", "hidden")
    environment.read_secret("X", doc="A secret.")
    assert [environment.Setting("X", "secret", "", "A secret.")] == environment.SETTINGS


def test_languages_come_with_their_own_names_the_usual_one_first(monkeypatch):
    monkeypatch.setenv("SPOKEN", "de, en")
    assert environment.read_languages("SPOKEN", "en", doc="") == [("en", "English"), ("de", "Deutsch")]


def test_language_that_no_one_knows_is_refused(monkeypatch):
    monkeypatch.setenv("SPOKEN", "tlh")
    with pytest.raises(ImproperlyConfigured, match="SPOKEN must list codes of languages, such as en or de, not 'tlh'"):
        environment.read_languages("SPOKEN", "en", doc="")
