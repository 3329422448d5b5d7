"""Local times that a clock change skips or repeats. Standard library only."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

RESOLUTION = timedelta(microseconds=1)


def find_clock_change(local: datetime) -> datetime:
    """Return the naive local time at which the clock went back, for a local time in its second pass."""
    first = local.replace(fold=0)
    offset = first.utcoffset() or timedelta()
    # zoneinfo doesn't tell when a clock changes, so bisect until the offset does.
    earliest = first.astimezone(UTC)
    latest = local.astimezone(UTC)
    while latest - earliest > RESOLUTION:
        middle = earliest + (latest - earliest) // 2
        if middle.astimezone(local.tzinfo).utcoffset() == offset:
            earliest = middle
        else:
            latest = middle
    return latest.replace(tzinfo=None) + offset


def find_first_moment(day: date, wall_time: timedelta, zone: ZoneInfo) -> datetime:
    """Return the first moment in UTC at which the local clock shows a time, or a later time if it skips that one."""
    local_time = datetime.combine(day, time()) + wall_time
    moment = local_time.replace(tzinfo=zone).astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) == local_time:
        return moment
    # The clock skips this time. The later offset gives the earlier moment.
    earliest = local_time.replace(tzinfo=zone, fold=1).astimezone(UTC)
    while moment - earliest > RESOLUTION:
        middle = earliest + (moment - earliest) // 2
        if middle.astimezone(zone).replace(tzinfo=None) >= local_time:
            moment = middle
        else:
            earliest = middle
    return moment
