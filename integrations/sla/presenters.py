"""Rows of clocks for lists and the countdown."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _, gettext_noop

from integrations.programs.sla_policy import TargetType
from integrations.sla.clock_records import ClockRecord, build_records, select_columns
from integrations.sla.clock_usage import MeterParts
from integrations.sla.engine.types import ClockStatus
from integrations.sla.models import SlaClock

Badge = tuple[str, str, str]  # label, tone, and icon
STATE_BADGES: dict[str, Badge] = {
    ClockStatus.RUNNING: (gettext_noop("Running"), "neutral", "clock"),
    ClockStatus.PAUSED: (gettext_noop("Paused"), "info", "circle-pause"),
    ClockStatus.MET: (gettext_noop("On time"), "good", "circle-check"),
    ClockStatus.LATE: (gettext_noop("Late"), "bad", "circle-x"),
    ClockStatus.OVERDUE: (gettext_noop("Breached"), "bad", "alarm-clock-off"),
    ClockStatus.DATA_INCOMPLETE: (gettext_noop("Data incomplete"), "info", "eye-off"),
    ClockStatus.NOT_APPLICABLE: (gettext_noop("No target"), "neutral", "minus"),
}
IDEAL_BADGE = (gettext_noop("Ideal target"), "neutral", "clock")
AT_RISK_BADGE = (gettext_noop("At risk"), "warn", "triangle-alert")
SEVERITY_BADGES: dict[str, Badge] = {
    "critical": (gettext_noop("Critical"), "bad", "zap"),
    "other": (gettext_noop("Other"), "neutral", "circle"),
}
TARGET_TYPE_LABELS = {
    "respond": gettext_noop("First response"),
    "resolve": gettext_noop("Resolution"),
}
SIDE_LABELS = {
    "partner": gettext_noop("partner"),
    "reporter": gettext_noop("reporter"),
    "other": gettext_noop("other"),
}


def localize_badge(badge: Badge) -> Badge:
    """Return a badge with its label translated."""
    return _(badge[0]), badge[1], badge[2]


@dataclass(frozen=True, slots=True)
class ClockRow(ClockRecord):
    """Row of a clock in a list."""

    @property
    def name(self) -> str:
        return f"{self.columns.monitored_repository__repository}#{self.columns.issue__number}"

    @property
    def state_badge(self) -> Badge:
        if self.columns.ideal_due_at and not self.columns.is_committed:
            return localize_badge(IDEAL_BADGE)
        return localize_badge(AT_RISK_BADGE if self.is_at_risk else STATE_BADGES[self.columns.state])

    @property
    def counterpart_summary(self) -> str:
        """Return the issue's other clock in one line, such as "First response: 3 h"."""
        other = TargetType.RESPOND if self.columns.target_type == TargetType.RESOLVE else TargetType.RESOLVE
        clock = self.issue_clocks.get(other)
        if clock is None:
            return ""
        if clock.is_committed:
            status = _(STATE_BADGES[clock.state][0])
        elif clock.stopped_at:
            status = _("%(count)s h") % {"count": clock.counted_seconds // 3600}
        else:
            status = _("not measurable") if self.columns.monitored_repository__trouble else _("none yet")
        return _("%(target_type)s: %(status)s") % {"target_type": _(TARGET_TYPE_LABELS[other]), "status": status}

    @property
    def severity_badge(self) -> Badge:
        return localize_badge(SEVERITY_BADGES[self.columns.severity])

    @property
    def target_type_label(self) -> str:
        return _(TARGET_TYPE_LABELS[self.columns.target_type])

    @property
    def last_commenter_label(self) -> str:
        return _(SIDE_LABELS.get(self.columns.issue__last_commenter_role, ""))

    @property
    def has_incomplete_data(self) -> bool:
        return self.columns.state == ClockStatus.DATA_INCOMPLETE

    @property
    def pieces(self) -> MeterParts:
        """Return the meter parts. With incomplete data, the meter never shows time beyond the target."""
        return [piece for piece in self.usage.pieces if not (self.has_incomplete_data and piece[0] == "over")]


def build_rows(clocks: QuerySet[SlaClock], now: datetime) -> list[ClockRow]:
    """Return the rows of clocks. Takes two queries, and another one if a partner has its own calendar."""
    return list(build_records(ClockRow, list(select_columns(clocks)), now))
