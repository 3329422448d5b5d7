"""Tests of the command show_github_rate_limits."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.conftest import NOW
from verification.sources.models import GitHubRateLimit


@pytest.fixture
def disabled_limit(db):
    return GitHubRateLimit.objects.create(
        name="token 1a2b3c4d",
        limit=5000,
        remaining=4988,
        reset_at=NOW,
        window_started_at=NOW,
        request_count=12,
        strikes=6,
        disabled_at=NOW,
        disabled_reason="GitHub answered 401.",
    )


def run_command(*args):
    out = StringIO()
    call_command("show_github_rate_limits", *args, stdout=out)
    return out.getvalue()


def test_line_shows_remaining_requests_and_disabled_credentials(disabled_limit):
    assert run_command() == (
        "token 1a2b3c4d: 12 of 5000 requests since 09:00 UTC, 4988 remaining until 09:00 UTC,"
        " disabled since 2026-04-14 09:00 UTC: GitHub answered 401.\n"
    )


def test_output_says_that_there_were_no_requests(db):
    assert run_command() == "No requests to GitHub yet.\n"


def test_credential_can_be_used_again(disabled_limit):
    assert "disabled" not in run_command("--enable", disabled_limit.name)
    disabled_limit.refresh_from_db()
    assert (disabled_limit.disabled_at, disabled_limit.strikes) == (None, 0)


def test_unknown_credential_is_refused(disabled_limit):
    with pytest.raises(CommandError, match="Credential other not found") as error:
        run_command("--enable", "other")
    assert error.value.returncode == 2
