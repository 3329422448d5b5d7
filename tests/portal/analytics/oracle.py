"""Independent calculation of the figures, day by day and row by row, without optimizations."""

from datetime import datetime, timedelta

from portal.analytics.stage_durations import END_STAGES, TurnChange

DAY = timedelta(days=1)


def remove_undone_turns(turns: list[TurnChange]) -> list[TurnChange]:
    """Return the turns without undone decisions and everything between them and their undoing."""
    kept_turns: list[TurnChange] = []
    for each in turns:
        match = [
            n
            for n, old in enumerate(kept_turns)
            if (old.stage, old.responsible_party) == (each.stage, each.responsible_party)
        ]
        if each.back and match:
            kept_turns = kept_turns[: match[-1] + 1]
        elif (
            not kept_turns
            or kept_turns[-1].stage in END_STAGES
            or (kept_turns[-1].stage, kept_turns[-1].responsible_party) != (each.stage, each.responsible_party)
        ):
            kept_turns.append(each)
    return kept_turns


def find_responsible_party(turns: list[TurnChange], at: datetime) -> tuple[str, str] | None:
    """Return the stage and responsible party at a time, or None before the start and after the end."""
    before = [each for each in remove_undone_turns(turns) if each.at <= at]
    if not before or before[-1].stage in END_STAGES:
        return None
    return before[-1].stage, before[-1].responsible_party


def calculate_percentile(values: list[float], share_percent: int) -> float:
    """Return the smallest value that at least this share of the values doesn't exceed."""
    fitting = [v for v in values if 100 * sum(other <= v for other in values) >= share_percent * len(values)]
    return min(fitting)


def count_working_days(start: datetime, end: datetime) -> float:
    """Count working days minute by minute, in UTC, Monday to Friday."""
    minutes, at = 0, start
    while at < end:
        minutes += at.weekday() < 5
        at += timedelta(minutes=1)
    return minutes / 1440
