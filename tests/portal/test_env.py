"""Is the environment read as it says?"""

import pytest
from django.core.exceptions import ImproperlyConfigured

from portal import env


@pytest.fixture(autouse=True)
def own_table(monkeypatch):
    monkeypatch.setattr(env, "TABLE", [])


def test_database_is_split_and_unquoted(monkeypatch):
    monkeypatch.setenv("X", "postgres://po%40rtal:a%2Fb@db.example:5433/name")
    assert env.database("X", "", doc="") == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "name",
        "USER": "po@rtal",
        "PASSWORD": "a/b",
        "HOST": "db.example",
        "PORT": "5433",
    }


def test_database_of_sqlite_is_a_path(monkeypatch):
    monkeypatch.setenv("X", "sqlite:////var/lib/portal.sqlite3")
    assert env.database("X", "", doc="") == {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": "/var/lib/portal.sqlite3",
    }


def test_database_with_a_wrong_port_does_not_say_the_password(monkeypatch):
    monkeypatch.setenv("X", "postgres://u:hidden/word@host/name")
    with pytest.raises(ImproperlyConfigured) as refusal:
        env.database("X", "", doc="")
    assert str(refusal.value) == "X must name its port as a number."


@pytest.mark.parametrize("word", ["1", "yes", "TRUE", "on"])
def test_flag_on(monkeypatch, word):
    monkeypatch.setenv("X", word)
    assert env.flag("X", False, doc="") is True


@pytest.mark.parametrize("word", ["0", "no", "False", "OFF"])
def test_flag_off(monkeypatch, word):
    monkeypatch.setenv("X", word)
    assert env.flag("X", True, doc="") is False


def test_blank_means_unset(monkeypatch):
    monkeypatch.setenv("X", "  ")
    assert (env.text("X", "a", doc=""), env.number("X", 3, doc=""), env.flag("X", True, doc="")) == ("a", 3, True)


def test_pairs_are_split_once(monkeypatch):
    monkeypatch.setenv("X", "nomad@2021-10, vault@2021@10")
    assert env.pairs("X", "@", doc="") == {"nomad": "2021-10", "vault": "2021@10"}


def test_address_loses_its_last_slash(monkeypatch):
    monkeypatch.setenv("X", "https://portal.example/")
    assert env.address("X", schemes=("https",), doc="") == "https://portal.example"


def test_table_never_holds_a_secret(monkeypatch):
    monkeypatch.setenv("X", "hidden")
    env.secret("X", doc="A secret.")
    assert [env.Setting("X", "secret", "", "A secret.")] == env.TABLE


def test_languages_come_with_their_own_names_the_usual_one_first(monkeypatch):
    monkeypatch.setenv("SPOKEN", "de, en")
    assert env.languages("SPOKEN", "en", doc="") == [("en", "English"), ("de", "Deutsch")]


def test_a_language_that_nobody_knows_is_refused(monkeypatch):
    monkeypatch.setenv("SPOKEN", "tlh")
    with pytest.raises(ImproperlyConfigured, match="SPOKEN must list codes of languages, such as en or de, not 'tlh'"):
        env.languages("SPOKEN", "en", doc="")
