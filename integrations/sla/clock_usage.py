"""How much of a promise is used up now? Read from a clock's columns, without folding its issue again.

The columns are as of the last fold. While a clock runs, what is left lies between now and its due moment, whatever was
paused before; while it stands still, what it counted stays.
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
    """`allowed` is None where no figure is given: then time is only measured. In business days or real time."""

    counted: timedelta
    paused: timedelta
    allowed_time: timedelta | None
    in_days: bool

    @property
    def per_cent(self) -> int:
        return int(100 * self.counted / self.allowed_time) if self.allowed_time else 0

    @property
    def words(self) -> str:
        """ "36 h of 48 h", "2.5 of 5 business days"."""
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
    def said(self) -> str:
        """The bar in words, for those who hear it."""
        values = {"words": self.words, "paused": format_short_duration(self.paused)}
        return (_("%(words)s used, %(paused)s paused") if self.paused else _("%(words)s used")) % values

    @property
    def pieces(self) -> MeterParts:
        """What the meter draws, in hours. What is over is drawn as long as the promise at most."""
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
                ("counted", within_target), ("paused", min(self.paused, 2 * self.allowed_time)), ("left", remaining),
                ("over", min(over_target, self.allowed_time)),
            )
            if duration
        ]  # fmt: skip


def get_target(clock: SlaClock) -> SlaTarget | None:
    """The figure that this clock counts towards, as of the issue's opening."""
    sla = get_sla(clock)
    if clock.target_type != sla.target_type:
        return None
    return sla.critical if clock.severity == Severity.CRITICAL else sla.other


def get_sla(clock: SlaClock) -> Sla:
    return get_edition(clock.integration.program_key, clock.issue.edition).sla


def format_target(target: SlaTarget | None) -> str:
    """ "48 h", "5 business days", or blank."""
    if target is None:
        return ""
    if target.hours is not None:
        return _("%(count)s h") % {"count": target.hours}
    return _("%(count)s business days") % {"count": target.business_days} if target.business_days else ""


def calculate_usage(clock: SlaClock, calendar: Calendar, now: datetime) -> TimeUsage:
    """What is used of a clock's promise at a moment."""
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
    """Running with 75 % or more used."""
    return clock.state == ClockStatus.RUNNING and clock.warn75_at is not None and clock.warn75_at <= now


def format_tenths(value: float) -> str:
    """One digit, cut, not rounded: 4.96 days are not yet five."""
    return f"{int(value * 10) / 10:g}"


def format_short_duration(duration: timedelta) -> str:
    """ "40 min", "36 h", "6 d"."""
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
