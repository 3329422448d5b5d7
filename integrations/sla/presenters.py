"""Labels and badges of SLA clocks."""

from django.utils.translation import gettext as _, gettext_noop

from integrations.sla.engine.types import ClockStatus

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
