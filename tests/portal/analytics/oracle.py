"""Independent calculation of the figures, day by day and row by row, without optimizations."""

from datetime import datetime, timedelta

from portal.analytics.stage_durations import END_STAGES, ResponsibilityChange

DAY = timedelta(days=1)


def remove_undone_changes(changes: list[ResponsibilityChange]) -> list[ResponsibilityChange]:
    """Return the changes without undone decisions and everything between them and their undoing."""
    kept_changes: list[ResponsibilityChange] = []
    for each in changes:
        match = [
            n
            for n, old in enumerate(kept_changes)
            if (old.stage, old.responsible_party) == (each.stage, each.responsible_party)
        ]
        if each.is_undo and match:
            kept_changes = kept_changes[: match[-1] + 1]
        elif (
            not kept_changes
            or kept_changes[-1].stage in END_STAGES
            or (kept_changes[-1].stage, kept_changes[-1].responsible_party) != (each.stage, each.responsible_party)
        ):
            kept_changes.append(each)
    return kept_changes


def find_responsible_party(changes: list[ResponsibilityChange], at: datetime) -> tuple[str, str] | None:
    """Return the stage and responsible party at a time, or None before the start and after the end."""
    before = [each for each in remove_undone_changes(changes) if each.at <= at]
    if not before or before[-1].stage in END_STAGES:
        return None
    return before[-1].stage, before[-1].responsible_party


def calculate_percentile(values: list[float], share_percent: int) -> float:
    """Return the smallest value that at least this share of the values doesn't exceed."""
    fitting = [v for v in values if 100 * sum(other <= v for other in values) >= share_percent * len(values)]
    return min(fitting)


def count_business_days(start: datetime, end: datetime) -> float:
    """Count business days minute by minute, in UTC, Monday to Friday."""
    minutes = 0
    at = start
    while at < end:
        minutes += at.weekday() < 5
        at += timedelta(minutes=1)
    return minutes / 1440
