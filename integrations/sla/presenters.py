"""Labels and badges of SLA clocks."""

from typing import Annotated, NamedTuple

from django.utils.translation import gettext as _, gettext_noop

from integrations.sla.engine.types import ClockStatus, IssueEventKind, Severity
from portal.core.content_files import Content, load_content, require_keys


class Badge(NamedTuple):
    """Label, tone, and icon of a badge."""

    label: str
    tone: str
    icon: str


class MarkBadges(Content):
    """Badges that replace the one of the state."""

    ideal: Badge
    at_risk: Badge


class BadgeFile(Content):
    """Content of badges.yaml."""

    states: Annotated[dict[ClockStatus, Badge], require_keys(ClockStatus)]
    marks: MarkBadges
    severities: Annotated[dict[Severity, Badge], require_keys(Severity)]
    events: Annotated[dict[IssueEventKind, Badge], require_keys(IssueEventKind)]


BADGES = load_content("integrations/sla/content/badges.yaml", BadgeFile)
STATE_BADGES = {state.value: badge for state, badge in BADGES.states.items()}
SEVERITY_BADGES = {severity.value: badge for severity, badge in BADGES.severities.items()}
EVENT_BADGES = {kind.value: badge for kind, badge in BADGES.events.items()}
IDEAL_BADGE = BADGES.marks.ideal
AT_RISK_BADGE = BADGES.marks.at_risk
TARGET_TYPE_LABELS = {"respond": gettext_noop("First response"), "resolve": gettext_noop("Resolution")}
SIDE_LABELS = {"partner": gettext_noop("partner"), "reporter": gettext_noop("reporter"), "other": gettext_noop("other")}


def localize_badge(badge: Badge) -> Badge:
    """Return a badge with its label translated."""
    return badge._replace(label=_(badge.label))
