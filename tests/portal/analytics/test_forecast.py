"""Does a forecast say what is known, does it say nothing of what is not, and does it hold?"""

from datetime import timedelta
from math import ceil
from random import Random

import pytest

from integrations.submissions.services.transitions import PROGRAM_CALENDAR
from portal.analytics.forecast import ENOUGH, WEEK, WINDOWS, Past, Wait, backtest, careful, expected
from portal.analytics.metrics import working_days
from tests.portal.analytics.histories import DAY, START

LATER = START + 400 * DAY


def history(seed: int, *, per_week: int = 3, weeks: int = 104, spread: float = 0.5) -> list[Wait]:
    """Decisions that begin evenly and take a length of one distribution."""
    random = Random(seed)
    found = []
    for n in range(per_week * weeks):
        since = START + n * WEEK / per_week + timedelta(hours=random.random() * 40)
        found.append(Wait(since, since + DAY * random.lognormvariate(2, spread)))
    return found


def ended(count: int, days: float, before: float) -> list[Wait]:
    return [Wait(LATER - (before + days) * DAY, LATER - before * DAY)] * count


def test_too_few_say_nothing_and_a_longer_window_is_looked_at_first() -> None:
    assert Past(ended(ENOUGH - 1, 3, 10), PROGRAM_CALENDAR).forecast(LATER) is None
    near = Past(ended(ENOUGH, 7, 10), PROGRAM_CALENDAR).forecast(LATER)
    far = Past(ended(ENOUGH - 5, 7, 10) + ended(5, 7, 100), PROGRAM_CALENDAR).forecast(LATER)
    assert near is not None
    assert (near.count, near.window, near.p50) == (ENOUGH, 90, 5.0)
    assert far is not None
    assert (far.count, far.window) == (ENOUGH, 180)
    assert Past(ended(50, 7, WINDOWS[-1] + 1), PROGRAM_CALENDAR).forecast(LATER) is None


def test_what_had_not_ended_yet_is_not_known_yet() -> None:
    past = Past(ended(ENOUGH, 7, 10), PROGRAM_CALENDAR)
    assert past.forecast(LATER - 11 * DAY) is None
    assert Past([Wait(START, None)] * 99, PROGRAM_CALENDAR).forecast(LATER) is None


def test_nine_of_ten_is_ranked_one_more_than_there_are() -> None:
    for length in range(1, 60):
        values = [float(n) for n in range(1, length + 1)]
        rank = ceil(9 * (length + 1) / 10)
        assert careful(values[::-1]) == (values[rank - 1] if rank <= length else None)


@pytest.mark.parametrize("seed", range(6))
def test_nine_of_ten_holds_for_85_to_95_of_a_hundred(seed: int) -> None:
    held = backtest(history(seed), LATER + 400 * DAY, PROGRAM_CALENDAR)
    assert held.count > 200
    assert held.share is not None
    assert 85 <= held.share <= 95
    assert held.middle is not None
    assert 40 <= held.middle <= 60


def test_a_program_that_slows_down_is_told_apart() -> None:
    slower = [
        Wait(wait.since, (wait.until or LATER) + timedelta(days=n / 5)) for n, wait in enumerate(history(1, weeks=80))
    ]
    held = backtest(slower, LATER + 400 * DAY, PROGRAM_CALENDAR)
    assert held.share is not None
    assert held.share < 85


def test_the_replay_is_what_a_plain_reading_of_each_week_says() -> None:
    waits, now = history(9, weeks=40), START + 250 * DAY
    waits = [wait if wait.until and wait.until <= now else Wait(wait.since, None) for wait in waits if wait.since < now]
    found = backtest(waits, now, PROGRAM_CALENDAR)
    count = held = unknown = 0
    monday = START.replace(hour=0)
    while monday < now:
        told = Past([w for w in waits if w.until and w.until <= monday], PROGRAM_CALENDAR).forecast(monday)
        for wait in [w for w in waits if monday <= w.since < monday + WEEK and told]:
            days = working_days(wait.since, wait.until or now, PROGRAM_CALENDAR)
            assert told
            is_known = wait.until is not None or days > told.p90
            count, unknown = count + is_known, unknown + (not is_known)
            held += is_known and days <= told.p90
        monday += WEEK
    assert count > 50
    assert (found.count, sum(week.held for week in found.weeks), found.unknown) == (count, held, unknown)


def test_the_moments_follow_from_since_when_it_waits() -> None:
    told = Past(ended(ENOUGH, 7, 10), PROGRAM_CALENDAR).forecast(LATER)
    assert told is not None
    middle, latest = expected(told, START, PROGRAM_CALENDAR)
    assert (middle, latest) == (START + 7 * DAY, START + 7 * DAY)  # five working days from a Monday
