"""Tests of the soak test's analysis of periodic runs."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from portal.jobs.registry import LEASE
from tests.soak.embedded import Kill, Outcome, examine_runs
from tests.soak.periodic_runs import InterruptedRun, PeriodicRunLog

START = datetime(2026, 4, 14, 9, 0, tzinfo=UTC)
TABLE = "CREATE TABLE jobs_periodicrun (name text, started_at text, lease_expires_at text)"
INTERVAL = 10  # of the job sla.advance_clocks


def moment(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


class Database:
    """Table of runs and its log."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute(TABLE)
        self.log = PeriodicRunLog(path)
        self.connection.execute(
            "INSERT INTO jobs_periodicrun VALUES ('sla.advance_clocks', '2026-04-14 08:00:00', NULL)"
        )

    def start(self, seconds: float) -> None:
        self.write(started_at=moment(seconds), lease_expires_at=moment(seconds) + LEASE)

    def end(self) -> None:
        self.write(lease_expires_at=None)

    def write(self, **fields: datetime | None) -> None:
        values = [value and str(value.replace(tzinfo=None)) for value in fields.values()]
        columns = ", ".join(f"{name} = ?" for name in fields)
        self.connection.execute(f"UPDATE jobs_periodicrun SET {columns}", values)

    def examine(self, *kills: Kill) -> list[str]:
        """Return the failures that the soak test reports."""
        outcome = Outcome()
        examine_runs(outcome, self.log.summarize(), kills)
        return outcome.failures


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "runs.sqlite3")
    with closing(database.connection):
        yield database


def test_runs_that_ended_are_counted(database: Database) -> None:
    for seconds in (0, 10):
        database.start(seconds)
        database.end()
    summary = database.log.summarize()
    assert (summary.by_job, summary.ends, summary.interrupted_runs, summary.doubles) == (
        {"sla.advance_clocks": 3},
        2,
        [],
        [],
    )
    assert database.examine() == []


@pytest.mark.parametrize("seconds", [INTERVAL / 2 - 1, 1])
def test_start_right_after_another_is_counted_as_double(database: Database, seconds: float) -> None:
    database.start(0)
    database.end()
    database.start(seconds)
    assert database.examine() == [f"run twice: ['sla.advance_clocks at {moment(seconds)} after {seconds:.1f} s']"]


def test_start_within_the_lease_of_another_is_counted_as_double(database: Database) -> None:
    database.start(0)
    database.start(19)
    assert database.examine() == [f"run twice: ['sla.advance_clocks at {moment(19)} after 19.0 s']"]


def test_interrupted_run_matches_a_kill_of_its_process(database: Database) -> None:
    database.start(0)
    database.start(20)
    assert database.examine(Kill("worker", moment(5))) == []


@pytest.mark.parametrize(
    "kills",
    [
        (),
        (Kill("beat", moment(5)),),  # runs no job
        (Kill("worker", moment(-2)),),  # before the run
        (Kill("worker", moment(20.5)),),  # after its lease, which a living process would have renewed
    ],
)
def test_interrupted_run_without_a_kill_is_a_failure(database: Database, kills: tuple[Kill, ...]) -> None:
    database.start(0)
    database.start(21)
    run = InterruptedRun("sla.advance_clocks", moment(0), moment(0) + LEASE)
    assert database.examine(*kills) == [f"interrupted without a kill: {[run]}"]
