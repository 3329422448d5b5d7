"""Segments of a period: counted time, pauses, and days off."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from portal.core.business_time import ClockPause, TimeScale


class TimeSegment(NamedTuple):
    """Part of the history of a clock: the time that counts, and the index of the pause that covers it, or None."""

    start: datetime
    end: datetime
    used: timedelta
    pause: int | None = None


def split_into_segments(
    start: datetime, end: datetime, scale: TimeScale, pauses: Sequence[ClockPause] = ()
) -> list[TimeSegment]:
    """Return consecutive segments between two moments: counted time, pauses, and days off (no used time, no pause)."""
    segments: list[TimeSegment] = []
    segment_start = start
    for number, pause in enumerate(pauses):
        paused_at = max(pause.start, start)
        resumed_at = end if pause.end is None else min(pause.end, end)
        if paused_at >= resumed_at:
            continue
        segments += _split_counted_time(segment_start, paused_at, scale)
        segments.append(TimeSegment(paused_at, resumed_at, timedelta(), number))
        segment_start = resumed_at
    return segments + _split_counted_time(segment_start, end, scale)


def _split_counted_time(start: datetime, end: datetime, scale: TimeScale) -> list[TimeSegment]:
    """Split a period without pauses where business days start and end."""
    if start >= end:
        return []
    boundaries = [start, *scale.list_boundaries(start, end), end]
    positions = [(mark, scale.get_position(mark)) for mark in boundaries]
    return [
        TimeSegment(start, end, end_position - start_position)
        for (start, start_position), (end, end_position) in pairwise(positions)
    ]
