"""SLA policy of a program for support issues, part of the schema of program editions."""

from collections.abc import Iterator
from dataclasses import field, replace
from datetime import timedelta
from enum import StrEnum
from typing import Literal
from zoneinfo import ZoneInfo

from integrations.programs.field_types import Count, Text, TimeZone
from portal.core.business_time import Calendar
from portal.core.content_files import Content

Binding = Literal["required", "ideal"]


class TargetType(StrEnum):
    """Type of an SLA target: what the partner must do within the time."""

    RESPOND = "respond"
    RESOLVE = "resolve"


class SlaTarget(Content):
    """SLA target in elapsed hours or business days. Missing an ideal target is not a breach.

    `implements` is the ID of the published sentence in docs/requirements. Targets that differ only in it are equal.
    """

    hours: Count | None = None
    business_days: Count | None = None
    binding: Binding = "required"
    # Trends compare the targets of editions, in which the same target can implement another sentence.
    implements: str = field(default="", compare=False)

    @property
    def is_ideal(self) -> bool:
        return self.binding == "ideal"

    @property
    def allowed_time(self) -> timedelta | None:
        """Return the time until the target is missed: elapsed hours, or business days of 24 hours."""
        if self.hours is not None:
            return timedelta(hours=self.hours)
        return timedelta(days=self.business_days) if self.business_days is not None else None


class SeverityTargets(Content):
    """Targets of one type by the severity of the issue. A severity without a target is only measured."""

    critical: SlaTarget | None = None
    other: SlaTarget | None = None


class Sla(Content):
    """SLA policy of a program for support issues, with targets of one type, both, or none.

    Business days are those of the partner's calendar, in the time zone `zone` or else that of the partner.
    """

    summary: Text
    respond: SeverityTargets | None = None
    resolve: SeverityTargets | None = None
    zone: TimeZone = ""

    def get_target(self, target_type: str, severity: str) -> SlaTarget | None:
        """Return the target for a type and severity, or None if there is none."""
        targets = self.respond if target_type == TargetType.RESPOND else self.resolve
        if targets is None:
            return None
        return targets.critical if severity == "critical" else targets.other

    def list_targets(self) -> Iterator[tuple[TargetType, str, SlaTarget]]:
        """Yield each target with its type and severity."""
        for target_type in TargetType:
            for severity in ("critical", "other"):
                if target := self.get_target(target_type, severity):
                    yield target_type, severity, target

    def localize_calendar(self, calendar: Calendar) -> Calendar:
        """Return a partner's calendar in the time zone of the policy, or unchanged if the policy states none."""
        # docs/explanation/sla-clock.md, "Due dates": a zone that the policy states replaces the partner's.
        return replace(calendar, zone=ZoneInfo(self.zone)) if self.zone else calendar
