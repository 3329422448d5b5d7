"""A log of every start of a periodic job, written by the database itself, and what it says about jobs run twice."""

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from portal.timetable import JOBS, SHORTEST_GAP

TRIGGERS = """
CREATE TABLE soak_starts (name text, started_at text, lease_before text);
CREATE TRIGGER soak_first AFTER INSERT ON portal_periodicrun
BEGIN INSERT INTO soak_starts VALUES (NEW.name, NEW.started_at, NULL); END;
CREATE TRIGGER soak_again AFTER UPDATE OF started_at ON portal_periodicrun WHEN NEW.started_at <> OLD.started_at
BEGIN INSERT INTO soak_starts VALUES (NEW.name, NEW.started_at, OLD.lease_expires_at); END;
"""


@dataclass(frozen=True, slots=True)
class Counted:
    """How many runs there were, how many a kill cut off, and those that began while or right after another did."""

    runs: int
    by_job: dict[str, int]
    cut_off: int
    doubles: list[str]


class PeriodicRunLog:
    """The starts of periodic jobs in an SQLite database from now on."""

    def __init__(self, database: Path) -> None:
        self.database = database
        with closing(sqlite3.connect(database, timeout=30)) as connection:
            connection.executescript(TRIGGERS)

    def count(self) -> Counted:
        """Compare each start with the one before it.

        A job ran twice if it started while another process still had its lease, or sooner after the previous start than
        any schedule asks for. One that follows a run that a kill cut off finishes its work.
        """
        query = "SELECT name, started_at, lease_before FROM soak_starts ORDER BY started_at"
        with closing(sqlite3.connect(self.database, timeout=30)) as connection:
            rows = connection.execute(query).fetchall()
        intervals = {job.name: job.seconds for job in JOBS}
        starts: dict[str, list[tuple[datetime, datetime | None]]] = {name: [] for name in intervals}
        for name, started_at, lease in rows:
            if name in starts:
                starts[name].append((_moment(started_at), _moment(lease) if lease else None))
        doubles, cut_off = [], 0
        for name, seen in starts.items():
            for (before, _), (at, lease) in pairwise(seen):
                gap = (at - before).total_seconds()
                is_repeated = gap < intervals[name] * SHORTEST_GAP if lease is None else lease > at
                cut_off += lease is not None and not is_repeated
                if is_repeated:
                    doubles.append(f"{name} at {at} after {gap:.1f} s")
        by_job = Counter({name: len(seen) for name, seen in starts.items() if seen})
        return Counted(sum(by_job.values()), dict(by_job.most_common()), cut_off, doubles)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
