"""Tests with real processes that compete for jobs and are killed while they run them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from tests.servers.valkey import Valkey

pytestmark = pytest.mark.django_db(transaction=True)
COUNT = 20


@pytest.fixture
def environment(tmp_path: Path, sqlite_template: Path) -> dict[str, str]:
    """Return the environment with the test's database if other processes can use it, else a new one in a file."""
    environment = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
    environment |= {"PORTAL_DATA": str(tmp_path), "JOB_LOG": str(tmp_path / "jobs.log"), "PORTAL_ENV": "embedded"}
    if connection.vendor == "postgresql":
        settings = connection.settings_dict
        environment["DATABASE_URL"] = (
            f"postgres://{settings['USER']}@{settings['HOST']}:{settings['PORT']}/{settings['NAME']}"
        )
        return environment
    database = shutil.copy(sqlite_template, tmp_path / "jobs.sqlite3")
    environment["DATABASE_URL"] = f"sqlite:///{database}"
    return environment


def run_scenarios(environment: dict[str, str], *scenarios: str):
    command = [sys.executable, "-m", "tests.portal.jobs.processes", *scenarios]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_racing_and_dying_processes_run_each_job_as_often_as_specified(environment):
    assert run_scenarios(
        environment, "race_to_enqueue", "race_to_run", "kill", "kill_at_most_once", "outlast_lease"
    ) == {
        "race_to_enqueue": True,
        "race_to_run": {"log": [[thing, 1] for thing in range(COUNT)], "left": {}, "states": {"succeeded": COUNT}},
        "kill": {"at_once": False, "later": True, "state": "succeeded", "code": "", "attempts": [[7, 1], [7, 2]]},
        "kill_at_most_once": {
            "at_once": False,
            "later": False,
            "state": "failed",
            "code": "lease_expired",
            "attempts": [[7, 1]],
        },
        "outlast_lease": {"again": False, "state": "succeeded", "attempts": [[7, 1]]},
    }


def test_worker_runs_each_job_once_and_run_jobs_only_the_rest(environment, tmp_path):
    broker = Valkey(tmp_path)
    try:
        result = run_scenarios(environment | {"REDIS_URL": broker.url}, "use_worker")
    finally:
        broker.stop()
    assert result == {
        "use_worker": {
            "ran": [[thing, 1] for thing in range(COUNT)],
            "by_worker": True,
            "net": [],
            "without_worker": [{}, {"tests.log": 1}],
        }
    }
