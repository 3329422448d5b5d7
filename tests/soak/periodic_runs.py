"""Log of starts and ends of periodic jobs, written by database triggers, and its analysis."""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from portal.jobs.registry import JOBS, LEASE, MIN_INTERVAL_SHARE

TRIGGERS = """
CREATE TABLE soak_starts (name text, started_at text, lease_before text);
CREATE TABLE soak_ends (name text, started_at text);
CREATE TRIGGER soak_first AFTER INSERT ON jobs_periodicrun
BEGIN INSERT INTO soak_starts VALUES (NEW.name, NEW.started_at, NULL); END;
CREATE TRIGGER soak_again AFTER UPDATE OF started_at ON jobs_periodicrun WHEN NEW.started_at <> OLD.started_at
BEGIN INSERT INTO soak_starts VALUES (NEW.name, NEW.started_at, OLD.lease_expires_at); END;
CREATE TRIGGER soak_end AFTER UPDATE OF lease_expires_at ON jobs_periodicrun
WHEN NEW.lease_expires_at IS NULL AND OLD.lease_expires_at IS NOT NULL
BEGIN INSERT INTO soak_ends VALUES (NEW.name, NEW.started_at); END;
"""
CLOCK_TOLERANCE = timedelta(seconds=1)  # a renewal is stamped a moment before it is written


@dataclass(frozen=True, slots=True)
class InterruptedRun:
    """Run that never ended: the next one began after its lease."""

    name: str
    started_at: datetime
    lease_expired_at: datetime

    def matches(self, killed_at: datetime) -> bool:
        """Return whether a kill at this time explains the interruption: the process renewed its lease until then."""
        renewed_at = max(self.started_at, self.lease_expired_at - LEASE)
        return renewed_at - CLOCK_TOLERANCE <= killed_at <= self.lease_expired_at


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Numbers of runs, interrupted runs, and runs that began during or right after another one."""

    runs: int
    by_job: dict[str, int]
    ends: int
    interrupted_runs: list[InterruptedRun]
    doubles: list[str]

    def find_unmatched(self, kills: Iterable[datetime]) -> list[InterruptedRun]:
        """Return the interrupted runs without a kill, which may still have been working."""
        moments = list(kills)
        return [run for run in self.interrupted_runs if not any(run.matches(killed_at) for killed_at in moments)]


class PeriodicRunLog:
    """Log of the runs of periodic jobs in an SQLite database."""

    def __init__(self, database: Path) -> None:
        self.database = database
        with closing(sqlite3.connect(database, timeout=30)) as connection:
            connection.executescript(TRIGGERS)

    def summarize(self) -> RunSummary:
        """Compare each start with the one before it.

        A job ran twice if it started while another process still had its lease, or sooner after the previous start than
        any schedule asks for. One that follows a run that was interrupted finishes its work.
        """
        with closing(sqlite3.connect(self.database, timeout=30)) as connection:
            rows = connection.execute("SELECT * FROM soak_starts ORDER BY started_at").fetchall()
            (ended,) = connection.execute("SELECT count(*) FROM soak_ends").fetchone()
        intervals = {job.name: job.seconds for job in JOBS}
        starts: dict[str, list[tuple[datetime, datetime | None]]] = {name: [] for name in intervals}
        for name, started_at, lease in rows:
            if name in starts:
                starts[name].append((_parse(started_at), _parse(lease) if lease else None))
        doubles = []
        interrupted = []
        for name, job_starts in starts.items():
            for (before, _), (at, lease) in pairwise(job_starts):
                gap = (at - before).total_seconds()
                is_repeated = gap < intervals[name] * MIN_INTERVAL_SHARE if lease is None else lease > at
                if is_repeated:
                    doubles.append(f"{name} at {at} after {gap:.1f} s")
                elif lease is not None:
                    interrupted.append(InterruptedRun(name, before, lease))
        by_job = Counter({name: len(job_starts) for name, job_starts in starts.items() if job_starts})
        return RunSummary(sum(by_job.values()), dict(by_job.most_common()), ended, interrupted, doubles)


def _parse(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
