"""All situations that a report can describe, as figures for its generated documentation and its tests."""

from collections.abc import Iterator
from datetime import date
from itertools import product

from integrations.sla.metrics import Totals
from portal.core.periods import PeriodKind, get_period
from portal.core.value_types import JsonObject
from portal.reports.summaries import CONCERNS

COUNT_KEYS = ("met", *(concern.key for concern in CONCERNS))
LAST_DAY = date(2026, 4, 19)
SCOPES = {"partner:acme": "Acme", "programs": "all programs", "program:nomad": "Nomad"}


def iterate_counts(values: tuple[int, ...] = (0, 1)) -> Iterator[dict[str, int]]:
    """Yield every combination of the counts of a report."""
    for counts in product(values, repeat=len(COUNT_KEYS)):
        yield dict(zip(COUNT_KEYS, counts, strict=True))


def build_situation(
    counts: dict[str, int], scope: str = "partner:acme", *, kind: PeriodKind = PeriodKind.WEEK, is_past: bool = False
) -> JsonObject:
    """Return the figures of a period with these counts that its sentences need."""
    has_overdue_rows = counts["overdue"] or counts["data_incomplete"]
    return {
        "scope": scope,
        "name": SCOPES[scope],
        "period": str(get_period(kind, LAST_DAY)),
        "kind": kind,
        "monitored_repository_count": 1,
        "is_past": is_past,
        "totals": Totals(**counts).as_dict(),
        "previous_totals": {"share": None},
        "overdue_issues": [{"partner": "Acme"}] if has_overdue_rows else [],
        "due_soon_count": 0,
    }
