"""Used time of a clock and its target, as texts and as parts of a meter."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils.translation import gettext as _, ngettext

from integrations.programs.sla_policy import SlaTarget
from portal.ui.components.moments import format_span

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
MeterParts = list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class TimeUsage:
    """Used and paused time of a clock with an optional target."""

    counted: timedelta
    paused_time: timedelta
    target: SlaTarget | None

    @property
    def allowed_time(self) -> timedelta | None:
        return self.target.allowed_time if self.target else None

    @property
    def in_days(self) -> bool:
        return bool(self.target and self.target.business_days)

    @property
    def percent(self) -> int:
        # Rounded down, so that 100% is never shown before the due date.
        return int(100 * self.counted / self.allowed_time) if self.allowed_time else 0

    @property
    def text(self) -> str:
        """Return the used time, such as "36 h of 48 h" or "2.5 of 5 business days"."""
        allowed_time = self.allowed_time or timedelta()
        if not self.in_days:
            message = _("%(count)s h of %(of)s h") if allowed_time else _("%(count)s h")
            return message % {"count": int(self.counted / HOUR), "of": allowed_time // HOUR}
        days = allowed_time // DAY
        message = ngettext("%(count)s of %(of)s business day", "%(count)s of %(of)s business days", days)
        # rounded down, so that 4.96 days don't show as five
        return message % {"count": f"{int(self.counted / DAY * 10) / 10:g}", "of": days}

    @property
    def summary(self) -> str:
        """Return the text alternative of the meter."""
        values = {"used": self.text, "paused": format_span(self.paused_time.total_seconds())}
        return (_("%(used)s used, %(paused)s paused") if self.paused_time else _("%(used)s used")) % values

    @property
    def pieces(self) -> MeterParts:
        """Return the parts of the meter in hours. Time beyond the target is limited to the length of the target."""
        limit = self.allowed_time or max(self.counted, self.paused_time)
        over_target = min(max(self.counted - limit, timedelta()), limit)
        parts = [("counted", min(self.counted, limit)), ("paused", min(self.paused_time, 2 * limit))]
        if self.allowed_time:
            parts += [("left", max(limit - self.counted, timedelta())), ("over", over_target)]
        return [(kind, duration / HOUR) for kind, duration in parts if duration]


def format_target(target: SlaTarget | None) -> str:
    """Format a target, such as "48 h" or "5 business days". Empty without a target."""
    if target is None:
        return ""
    if target.hours is not None:
        return _("%(count)s h") % {"count": target.hours}
    days = target.business_days
    return ngettext("%(count)s business day", "%(count)s business days", days) % {"count": days} if days else ""
