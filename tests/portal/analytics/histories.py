"""Histories for tests: short ones by hand, and random ones from a seed."""

from datetime import UTC, datetime, timedelta
from random import Random

from portal.analytics.stage_durations import END_STAGES, ResponsibilityChange
from portal.core.business_time import Calendar

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)  # a Monday
UTC_CALENDAR = Calendar()  # Monday to Friday, without holidays
DAY = timedelta(days=1)
STAGES = ("engage", "develop", "review", "release", "support")
RESPONSIBLE_PARTIES = ("partner", "program", "portal", "outage", "third_party")


def build_change(
    days: float, stage: str, responsible_party: str, round: int = 0, *, is_undo: bool = False
) -> ResponsibilityChange:
    return ResponsibilityChange(START + days * DAY, stage, responsible_party, round, is_undo)


def generate_changes(random: Random, length: int = 14) -> list[ResponsibilityChange]:
    """Return changes in chronological order, some at the same time: forward, back, ended, and undone."""
    changes: list[ResponsibilityChange] = []
    at = 0.0
    for _ in range(length):
        at += random.choice((0, 0.01, 0.5, 3, 9))
        open_ones = [past for past in changes if past.responsible_party]
        if open_ones and random.random() < 0.1:
            past = random.choice(open_ones)
            changes.append(build_change(at, past.stage, past.responsible_party, past.round, is_undo=True))
            continue
        stage = random.choice((*STAGES, *END_STAGES))
        changes.append(
            build_change(
                at, stage, "" if stage in END_STAGES else random.choice(RESPONSIBLE_PARTIES), random.randrange(4)
            )
        )
    return changes
