"""Used time of a clock, calculated from its columns without a new projection.

The columns date from the last projection. While a clock runs, the remaining time is the time until its due date. While
it is stopped or paused, the counted time stays the same.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from integrations.programs.registry import get_edition
from integrations.programs.schema import Sla, SlaTarget
from integrations.sla.engine.types import ClockStatus, Severity
from integrations.sla.metrics import AT_RISK_PERCENT
from integrations.sla.models import SlaClock
from portal.core import business_time as clocks
from portal.core.business_time import Calendar

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
MeterParts = list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class TimeUsage:
    """Used and paused time in business days or elapsed time. `allowed_time` can be None."""

    counted: timedelta
    paused: timedelta
    allowed_time: timedelta | None
    in_days: bool

    @property
    def per_cent(self) -> int:
        return int(100 * self.counted / self.allowed_time) if self.allowed_time else 0

    @property
    def words(self) -> str:
        """Return the used time, such as "36 h of 48 h" or "2.5 of 5 business days"."""
        if self.in_days:
            return self._describe_days()
        values = {"count": int(self.counted / HOUR), "of": self.allowed_time // HOUR if self.allowed_time else 0}
        return (_("%(count)s h of %(of)s h") if self.allowed_time else _("%(count)s h")) % values

    def _describe_days(self) -> str:
        if not self.allowed_time:
            return _("%(count)s business days") % {"count": format_tenths(self.counted / DAY)}
        allowed_days = self.allowed_time // DAY
        text = ngettext("%(count)s of %(of)s business day", "%(count)s of %(of)s business days", allowed_days)
        return text % {"count": format_tenths(self.counted / DAY), "of": allowed_days}

    @property
    def summary(self) -> str:
        """Return the text alternative of the meter."""
        values = {"words": self.words, "paused": format_short_duration(self.paused)}
        return (_("%(words)s used, %(paused)s paused") if self.paused else _("%(words)s used")) % values

    @property
    def pieces(self) -> MeterParts:
        """Return the parts of the meter in hours. Time beyond the target is limited to the length of the target."""
        if self.allowed_time is None:
            return [("counted", self.counted / HOUR), ("paused", self.paused / HOUR)]
        within_target, over_target = (
            min(self.counted, self.allowed_time),
            max(self.counted - self.allowed_time, timedelta()),
        )
        remaining = self.allowed_time - within_target
        return [
            (kind, duration / HOUR)
            for kind, duration in (
                ("counted", within_target),
                ("paused", min(self.paused, 2 * self.allowed_time)),
                ("left", remaining),
                ("over", min(over_target, self.allowed_time)),
            )
            if duration
        ]


def get_target(clock: SlaClock) -> SlaTarget | None:
    """Return the target of a clock at the issue's opening, or None."""
    sla = get_sla(clock)
    if clock.target_type != sla.target_type:
        return None
    return sla.critical if clock.severity == Severity.CRITICAL else sla.other


def get_sla(clock: SlaClock) -> Sla:
    return get_edition(clock.integration.program_key, clock.issue.edition).sla


def format_target(target: SlaTarget | None) -> str:
    """Format a target, such as "48 h" or "5 business days". Empty without a target."""
    if target is None:
        return ""
    if target.hours is not None:
        return _("%(count)s h") % {"count": target.hours}
    return _("%(count)s business days") % {"count": target.business_days} if target.business_days else ""


def calculate_usage(clock: SlaClock, calendar: Calendar, now: datetime) -> TimeUsage:
    """Calculate the used time of a clock."""
    target = get_target(clock)
    in_days = bool(target and target.business_days)
    scale = calendar.days if in_days else clocks.ELAPSED_SCALE
    allowed_time = _get_allowed_time(target)
    counted_time = timedelta(seconds=clock.counted_seconds)
    if allowed_time and clock.due_at and clock.stopped_at is None and clock.watch.ended_at is None:
        counted_time = allowed_time + scale.position(now) - scale.position(clock.due_at)
    paused_time = timedelta(seconds=clock.paused_seconds)
    if clock.state == ClockStatus.PAUSED and clock.issue.folded_at:
        paused_time += max(now - clock.issue.folded_at, timedelta())
    return TimeUsage(max(counted_time, timedelta()), paused_time, allowed_time, in_days)


def _get_allowed_time(target: SlaTarget | None) -> timedelta | None:
    if target is None:
        return None
    if target.hours is not None:
        return timedelta(hours=target.hours)
    return timedelta(days=target.business_days) if target.business_days else None


def is_at_risk(clock: SlaClock, now: datetime) -> bool:
    """Return whether the clock is running and has used at least 75% of its target."""
    return clock.state == ClockStatus.RUNNING and clock.warn75_at is not None and clock.warn75_at <= now


def format_tenths(value: float) -> str:
    """Format a number with one decimal, rounded down, so that 4.96 days don't show as five."""
    return f"{int(value * 10) / 10:g}"


def format_short_duration(duration: timedelta) -> str:
    """Format a duration, such as "40 min", "36 h", or "6 d"."""
    if duration < HOUR:
        return _("%(count)s min") % {"count": int(duration.total_seconds() // 60)}
    return (
        _("%(count)s h") % {"count": duration // HOUR}
        if duration < 2 * DAY
        else _("%(count)s d") % {"count": duration // DAY}
    )


__all__ = [
    "AT_RISK_PERCENT",
    "TimeUsage",
    "calculate_usage",
    "format_short_duration",
    "format_target",
    "get_sla",
    "get_target",
    "is_at_risk",
]
