"""Tests of the command calculate_sla_due, which needs no database."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

ROOT = Path(__file__).parents[3]


def calculate_due(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command("calculate_sla_due", *arguments, stdout=out)
    return json.loads(out.getvalue())


@pytest.mark.parametrize(
    ("arguments", "moment"),
    [
        ("--opened 2026-04-11T15:00:00-04:00 --kind other --zone America/New_York", "2026-04-18T00:00:00-04:00"),
        ("--opened 2026-04-11T15:00 --kind other --zone America/New_York", "2026-04-18T00:00:00-04:00"),
        ("--opened 2026-04-10T18:00:00-04:00 --kind other --zone America/New_York", "2026-04-17T18:00:00-04:00"),
        ("--opened 2026-04-14T09:00:00Z --kind other", "2026-04-21T09:00:00+00:00"),
        ("--opened 2026-04-14T09:00:00Z --kind critical", "2026-04-16T09:00:00+00:00"),
        ("--opened 2026-03-07T12:00 --kind critical --zone America/Los_Angeles", "2026-03-09T13:00:00-07:00"),
        ("--opened 2026-06-30T09:00 --kind other --country US --subdiv CA", "2026-07-08T09:00:00+00:00"),
        ("--opened 2026-01-02 --kind other --country de --subdiv de-by", "2026-01-10T00:00:00+00:00"),
        (
            "--opened 2026-04-14T09:00Z --kind other"
            " --pause 2026-04-15T09:00Z/2026-04-16T09:00Z 2026-04-17T00:00Z/2026-04-20T00:00Z",
            "2026-04-23T09:00:00+00:00",
        ),
        (
            "--opened 2026-04-14T09:00Z --kind critical --pause 2026-04-14T10:00Z/2026-04-14T13:00Z"
            " --pause 2026-04-14T12:00Z/2026-04-14T14:00Z",
            "2026-04-16T13:00:00+00:00",
        ),
        ("--opened 2026-04-14T09:00Z --kind other --business-days 10", "2026-04-28T09:00:00+00:00"),
        (
            "--opened 2026-04-14T09:00Z --kind critical --pause 2026-04-15T09:00Z/2026-04-15T09:00Z",
            "2026-04-16T09:00:00+00:00",
        ),
        (  # asked on the last morning, answered after the original due date, over a weekend
            "--opened 2026-04-10T18:00Z --kind other --pause 2026-04-17T12:00Z/2026-04-19T12:00Z",
            "2026-04-20T06:00:00+00:00",
        ),
        ("--opened 2026-03-08T02:30 --kind other --zone America/Los_Angeles", "2026-03-14T00:00:00-07:00"),
        ("--opened 2026-03-02T02:30 --kind other --zone America/Los_Angeles", "2026-03-09T02:30:00-07:00"),
    ],
)
def test_due_date_is_calculated(arguments: str, moment: str) -> None:
    assert calculate_due(*arguments.split())["due_at"] == moment


def test_open_pause_has_no_due_date() -> None:
    assert (
        calculate_due("--opened", "2026-04-14T09:00Z", "--kind", "critical", "--pause", "2026-04-14T10:00Z/")["due_at"]
        is None
    )


def test_output_explains_the_segments() -> None:
    result = calculate_due(
        "--opened", "2026-04-10T18:00Z", "--kind", "other", "--country", "DE", "--pause", "2026-04-14/2026-04-15"
    )
    assert [(part["from"][:13], part["counted_seconds"] / 3600, part["reason"]) for part in result["segments"]] == [
        ("2026-04-10T18", 6, "counted"),
        ("2026-04-11T00", 0, "Days off: Sat, Apr 11; Sun, Apr 12"),
        ("2026-04-13T00", 24, "counted"),
        ("2026-04-14T00", 0, "paused"),
        ("2026-04-15T00", 72, "counted"),
        ("2026-04-18T00", 0, "Days off: Sat, Apr 18; Sun, Apr 19"),
        ("2026-04-20T00", 18, "counted"),
    ]
    assert result["warn_at"]["50"] == "2026-04-16T06:00:00+00:00"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--opened soon", "Invalid time “soon”"),
        ("--opened 2026-04-14 --zone Mars/Base", "Unknown time zone “Mars/Base”"),
        ("--opened 2026-04-14 --zone ../etc", "Unknown time zone “../etc”"),
        ("--opened 2026-04-14 --country ZZ", "Unknown country “ZZ”"),
        ("--opened 2026-04-14 --country US --subdiv XX", "“XX” of US"),
        ("--opened 2026-04-14 --subdiv CA", "Specify the country"),
        ("--opened 2026-04-14 --pause 2026-04-15", "Enter FROM/TO"),
        ("--opened 2026-04-14 --pause 2026-04-16/2026-04-15", "ends before it starts"),
        ("--opened 1999-04-14", "Business days start in 2008."),
        ("--opened 2300-04-14", "Business days end in 2187."),
        ("--opened 2026-04-14 --business-days 1000000", "Business days end in 2187."),
        ("--opened 2026-04-14 --business-days 0", "greater than 0"),
    ],
)
def test_invalid_argument_is_explained(arguments: str, message: str) -> None:
    with pytest.raises(CommandError, match=message) as error:
        calculate_due("--kind", "other", *arguments.split())
    assert error.value.returncode == 2


def test_command_needs_no_settings_and_no_database(tmp_path: Path) -> None:
    arguments = ["calculate_sla_due", "--opened", "2026-04-14T09:00Z", "--kind", "other"]
    bare = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PORTAL_ENV": "embedded"}
    bare |= {"DATABASE_URL": "postgres://nobody@127.0.0.1:9/none"}
    process = subprocess.run(
        [sys.executable, ROOT / "manage.py", *arguments], env=bare, cwd=tmp_path, capture_output=True, text=True
    )
    assert (process.returncode, json.loads(process.stdout or "{}").get("due_at"), process.stderr) == (
        0,
        "2026-04-21T09:00:00+00:00",
        "",
    )


def test_date_in_the_far_future_is_refused() -> None:
    with pytest.raises(CommandError, match="too far in the future"):
        calculate_due("--kind", "critical", "--opened", "9999-12-31")
