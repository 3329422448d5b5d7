"""How much of a promise is used up now? Read from a clock's columns, without folding its issue again.

The columns are as of the last fold. While a clock runs, what is left lies between now and its due moment, whatever was
paused before; while it stands still, what it counted stays.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from integrations.programs.registry import edition_of
from integrations.programs.schema import Sla, Target
from integrations.sla.engine.types import Severity, Watching
from integrations.sla.metrics import AT_RISK
from integrations.sla.models import Clock
from portal.core import business_time as clocks
from portal.core.business_time import Calendar

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
Pieces = list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Used:
    """`allowed` is None where no figure is given: then time is only measured. In business days or real time."""

    counted: timedelta
    paused: timedelta
    allowed: timedelta | None
    in_days: bool

    @property
    def per_cent(self) -> int:
        return int(100 * self.counted / self.allowed) if self.allowed else 0

    @property
    def words(self) -> str:
        """ "36 h of 48 h", "2.5 of 5 business days"."""
        if self.in_days:
            return self._in_days()
        said = {"count": int(self.counted / HOUR), "of": self.allowed // HOUR if self.allowed else 0}
        return (_("%(count)s h of %(of)s h") if self.allowed else _("%(count)s h")) % said

    def _in_days(self) -> str:
        if not self.allowed:
            return _("%(count)s business days") % {"count": tenths(self.counted / DAY)}
        of = self.allowed // DAY
        said = ngettext("%(count)s of %(of)s business day", "%(count)s of %(of)s business days", of)
        return said % {"count": tenths(self.counted / DAY), "of": of}

    @property
    def said(self) -> str:
        """The bar in words, for those who hear it."""
        said = {"words": self.words, "paused": length(self.paused)}
        return (_("%(words)s used, %(paused)s paused") if self.paused else _("%(words)s used")) % said

    @property
    def pieces(self) -> Pieces:
        """What the meter draws, in hours. What is over is drawn as long as the promise at most."""
        if self.allowed is None:
            return [("counted", self.counted / HOUR), ("paused", self.paused / HOUR)]
        counted, over = min(self.counted, self.allowed), max(self.counted - self.allowed, timedelta())
        left = self.allowed - counted
        return [
            (kind, part / HOUR)
            for kind, part in (
                ("counted", counted), ("paused", min(self.paused, 2 * self.allowed)), ("left", left),
                ("over", min(over, self.allowed)),
            )
            if part
        ]  # fmt: skip


def target_of(clock: Clock) -> Target | None:
    """The figure that this clock counts towards, as of the issue's opening."""
    sla = sla_of(clock)
    if clock.verb != sla.verb:
        return None
    return sla.critical if clock.severity == Severity.CRITICAL else sla.other


def sla_of(clock: Clock) -> Sla:
    return edition_of(clock.integration.program_key, clock.issue.edition).sla


def target_words(target: Target | None) -> str:
    """ "48 h", "5 business days", or blank."""
    if target is None:
        return ""
    if target.hours is not None:
        return _("%(count)s h") % {"count": target.hours}
    return _("%(count)s business days") % {"count": target.business_days} if target.business_days else ""


def used(clock: Clock, calendar: Calendar, now: datetime) -> Used:
    """What is used of a clock's promise at a moment."""
    target = target_of(clock)
    in_days = bool(target and target.business_days)
    scale = calendar.days if in_days else clocks.ELAPSED
    allowed = _allowed(target)
    counted = timedelta(seconds=clock.counted_seconds)
    if allowed and clock.due_at and clock.stopped_at is None and clock.watch.ended_at is None:
        counted = allowed + scale.position(now) - scale.position(clock.due_at)
    paused = timedelta(seconds=clock.paused_seconds)
    if clock.state == Watching.PAUSED and clock.issue.folded_at:
        paused += max(now - clock.issue.folded_at, timedelta())
    return Used(max(counted, timedelta()), paused, allowed, in_days)


def _allowed(target: Target | None) -> timedelta | None:
    if target is None:
        return None
    if target.hours is not None:
        return timedelta(hours=target.hours)
    return timedelta(days=target.business_days) if target.business_days else None


def is_at_risk(clock: Clock, now: datetime) -> bool:
    """Running with 75 % or more used."""
    return clock.state == Watching.RUNNING and clock.warn75_at is not None and clock.warn75_at <= now


def tenths(value: float) -> str:
    """One digit, cut, not rounded: 4.96 days are not yet five."""
    return f"{int(value * 10) / 10:g}"


def length(span: timedelta) -> str:
    """ "40 min", "36 h", "6 d"."""
    if span < HOUR:
        return _("%(count)s min") % {"count": int(span.total_seconds() // 60)}
    return _("%(count)s h") % {"count": span // HOUR} if span < 2 * DAY else _("%(count)s d") % {"count": span // DAY}


__all__ = ["AT_RISK", "Used", "is_at_risk", "length", "sla_of", "target_of", "target_words", "used"]
