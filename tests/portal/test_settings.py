"""Does the portal refuse to start on nonsense, with a sentence that says which?"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRODUCTION = {
    "PORTAL_ENV": "production",
    "SITE_URL": "https://portal.example.com",
    "ALLOWED_HOSTS": "portal.example.com",
    "SECRET_KEY": "kept-out-of-sight-" * 4,
    "CREDENTIALS_KEYS": "kept-out-of-sight-too",
    "BADGE_KEYS": "kept-out-of-sight-as-well",
    "DATABASE_URL": "postgres://portal:word@database.example/portal",
    "REDIS_URL": "redis://redis.example",
}
NOT_IN_PRODUCTION = "The portal does not start in production: "


@pytest.fixture
def manage(tmp_path: Path):
    """Runs manage.py in an environment that holds nothing but the settings given."""

    def run(*words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": os.environ["PATH"], "PORTAL_DATA": str(tmp_path / "data"), **settings}
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)

    return run


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1
    return done.stderr.strip()


def test_start_without_any_setting_is_fine(manage):
    done = manage("check")
    assert (done.returncode, done.stdout) == (0, "System check identified no issues (0 silenced).\n"), done.stderr


def test_start_in_production_is_fine_and_deployable(manage):
    done = manage("check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert (done.returncode, done.stdout) == (0, "System check identified no issues (0 silenced).\n"), done.stderr


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"DATABASE_URL": "sqlite:////tmp/portal.sqlite3"}, "DATABASE_URL must name a PostgreSQL database."),
        ({"DATABASE_URL": ""}, "DATABASE_URL must name a PostgreSQL database."),
        ({"PORTAL_DEBUG": "yes"}, "PORTAL_DEBUG must be off."),
        ({"SECRET_KEY": ""}, "SECRET_KEY is not set."),
        ({"CREDENTIALS_KEYS": " , "}, "CREDENTIALS_KEYS is not set."),
        ({"BADGE_KEYS": ""}, "BADGE_KEYS is not set."),
        ({"REDIS_URL": ""}, "REDIS_URL is not set."),
        ({"SITE_URL": "http://portal.example.com"}, "SITE_URL must begin with https://."),
        ({"SECRET_KEY": "", "PORTAL_DEBUG": "1"}, "PORTAL_DEBUG must be off; SECRET_KEY is not set."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_start_in_production_refuses(manage, change, sentence):
    assert refusal(manage("check", **(PRODUCTION | change))) == NOT_IN_PRODUCTION + sentence


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("PORTAL_ENV", "live", "PORTAL_ENV must be one of embedded, production, not 'live'."),
        ("PORTAL_DEBUG", "perhaps", "PORTAL_DEBUG must be yes or no, not 'perhaps'."),
        ("PORT", "http", "PORT must be a whole number of at least 1, not 'http'."),
        ("UPLOAD_MAX_MB", "0", "UPLOAD_MAX_MB must be a whole number of at least 1, not '0'."),
        ("UNDO_MINUTES", "-1", "UNDO_MINUTES must be a whole number of at least 0, not '-1'."),
        ("DATABASE_URL", "mysql://x/y", "DATABASE_URL must begin with postgres:// or sqlite://, not 'mysql'."),
        ("DATABASE_URL", "postgres://u:secret@host:port/x", "DATABASE_URL must name its port as a number."),
        ("SITE_URL", "portal", "SITE_URL must be an address that begins with http:// or https://, not 'portal'."),
        ("REDIS_URL", "redis", "REDIS_URL must be an address that begins with redis:// or rediss://, not 'redis'."),
        ("PROGRAM_EDITIONS", "nomad", "PROGRAM_EDITIONS must list KEY@VALUE, separated by commas, not 'nomad'."),
        ("EMAIL_PROVIDER", "postmark", "EMAIL_PROVIDER is postmark, and EMAIL_PROVIDER_KEY is not set."),
        ("EMAIL_PROVIDER_KEY", "k", "EMAIL_PROVIDER_KEY or EMAIL_PROVIDER_URL is set, and EMAIL_PROVIDER is not."),
        ("REPORT_ZONE", "Mars/Base", "REPORT_ZONE must be a time zone such as Europe/Paris, not 'Mars/Base'."),
        ("LOG_LEVEL", "LOUD", "LOG_LEVEL must be one of DEBUG, INFO, WARNING, ERROR, not 'LOUD'."),
    ],
)
def test_start_refuses_nonsense(manage, name, value, sentence):
    assert refusal(manage("check", **{name: value})) == sentence


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("chess@2021-10", "PROGRAM_EDITIONS names no program: chess."),
        ("nomad@1999-01", "PROGRAM_EDITIONS names no edition of nomad: 1999-01."),
    ],
)
def test_start_refuses_an_unknown_edition(manage, value, sentence):
    assert sentence in refusal(manage("check", PROGRAM_EDITIONS=value))


def test_secrets_of_the_embedded_portal_are_kept(manage, tmp_path):
    show = ("shell", "--no-imports", "-c", "from django.conf import settings; print(settings.SECRET_KEY)")
    first, second = manage(*show).stdout, manage(*show).stdout
    assert first == second
    assert (tmp_path / "data" / "secret_key").stat().st_mode & 0o777 == 0o600
