"""How well is a listed integration supported? The figures of many listings at once, as the listing shows them.

The same figures as `integrations.sla.metrics.record`, which tells them of one; a test compares.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.db.models import Count

from integrations.sla.engine.types import Watching
from integrations.sla.models import Breach, Clock

DAYS = 90
MINIMUM = 5  # promises that came due: with fewer, a share says nothing


@dataclass(frozen=True, slots=True)
class Support:
    """`share` in per cent of `settled` promises, `median_hours` of `answers` first answers; None where none came."""

    share: float | None = None
    settled: int = 0
    median_hours: float | None = None
    answers: int = 0

    @property
    def rank(self) -> int:
        """The place in a list sorted by the record: the share in tenths of a per cent, -1 where it says nothing."""
        return round(self.share * 10) if self.share is not None and self.settled >= MINIMUM else -1


def support_of(integrations: Collection[int], now: datetime) -> dict[int, Support]:
    """The record of each integration, by its number, in three queries."""
    start = now - timedelta(days=DAYS)
    span = {"stopped_at__gte": start, "stopped_at__lt": now, "integration__in": integrations}
    kept = _counted(Clock.objects.filter(promised=True, state=Watching.MET, **span))
    due = {"due_at__gte": start, "due_at__lt": now, "integration__in": integrations}
    broken = _counted(Breach.objects.filter(retracted_at=None, **due))
    seconds: dict[int, list[float]] = defaultdict(list)
    answered = Clock.objects.filter(verb="respond", **span)
    for pk, counted in answered.values_list("integration_id", "counted_seconds"):
        seconds[pk].append(round(counted / 3600, 2))
    return {pk: _support(kept.get(pk, 0), broken.get(pk, 0), seconds.get(pk, [])) for pk in integrations}


def _counted(rows: "object") -> dict[int, int]:
    return dict(rows.order_by().values_list("integration_id").annotate(n=Count("pk")))  # type: ignore[attr-defined]


def _support(kept: int, broken: int, hours: list[float]) -> Support:
    settled = kept + broken
    share = round(100 * kept / settled, 1) if settled else None
    return Support(share, settled, round(median(hours), 1) if hours else None, len(hours))
