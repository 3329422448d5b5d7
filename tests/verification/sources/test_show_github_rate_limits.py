from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.conftest import NOW
from verification.sources.models import GitHubRateLimit


@pytest.fixture
def dead(db):
    return GitHubRateLimit.objects.create(
        name="token 1a2b3c4d",
        limit=5000,
        remaining=4988,
        reset_at=NOW,
        hour_from=NOW,
        spent=12,
        strikes=6,
        dead_at=NOW,
        dead_why="GitHub answered 401.",
    )


def run_command(*args):
    out = StringIO()
    call_command("show_github_rate_limits", *args, stdout=out)
    return out.getvalue()


def test_line_says_what_is_left_and_what_is_dead(dead):
    assert run_command() == (
        "token 1a2b3c4d: 12 of 5000 requests since 09:00, 4988 remaining until 09:00,"
        " disabled since Apr 14, 09:00: GitHub answered 401.\n"
    )


def test_credential_can_be_used_again(dead):
    assert "dead" not in run_command("--revive", dead.name)
    dead.refresh_from_db()
    assert (dead.dead_at, dead.strikes) == (None, 0)


def test_unknown_credential_is_refused(dead):
    with pytest.raises(CommandError, match="Credential other not found"):
        run_command("--revive", "other")
