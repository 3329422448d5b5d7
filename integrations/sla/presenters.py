"""Labels and badges of SLA clocks."""

from typing import NamedTuple

from django.utils.translation import gettext as _, gettext_noop

from portal.core.content_files import load_content


class Badge(NamedTuple):
    """Label, tone, and icon of a badge."""

    label: str
    tone: str
    icon: str


BADGES = load_content("integrations/sla/content/badges.yaml", dict[str, dict[str, Badge]])
STATE_BADGES = BADGES["states"]
SEVERITY_BADGES = BADGES["severities"]
EVENT_BADGES = BADGES["events"]
IDEAL_BADGE = BADGES["marks"]["ideal"]
AT_RISK_BADGE = BADGES["marks"]["at_risk"]
TARGET_TYPE_LABELS = {"respond": gettext_noop("First response"), "resolve": gettext_noop("Resolution")}
SIDE_LABELS = {"partner": gettext_noop("partner"), "reporter": gettext_noop("reporter"), "other": gettext_noop("other")}


def localize_badge(badge: Badge) -> Badge:
    """Return a badge with its label translated."""
    return badge._replace(label=_(badge.label))
