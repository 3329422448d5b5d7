"""Funnel of integrations from start to support, calculated from counted groups."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext_noop

STEP_NAMES = (
    gettext_noop("Started"),
    gettext_noop("Review requested"),
    gettext_noop("Approved"),
    gettext_noop("Listed"),
    gettext_noop("In support"),
)
END_LABELS = {
    "withdrawn": gettext_noop("withdrawn"),
    "declined": gettext_noop("declined"),
    "archived": gettext_noop("archived"),
}


@dataclass(frozen=True, slots=True)
class IntegrationGroup:
    """Number of integrations with the same properties. `stage_before_end` is the last stage of ended ones."""

    stage: str
    count: int
    stage_before_end: str = ""
    has_review_request: bool = False
    was_listed: bool = False
    step: str = ""
    program: str = ""

    @property
    def furthest_step(self) -> int:
        """Return the index of the furthest step in STEP_NAMES."""
        if self.stage == "support":
            return 4
        if self.was_listed:
            return 3
        # An approved integration can end before it is listed.
        if "release" in (self.stage, self.stage_before_end):
            return 2
        return int(self.has_review_request)


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """Funnel step: how many reached it, and of those that got no further, how many are in it or ended."""

    name: str
    reached_count: int
    current_count: int
    end_counts: tuple[tuple[str, int], ...]

    @property
    def pieces(self) -> list[tuple[str, float]]:
        return [("counted", self.reached_count)]


def build_funnel(groups: Iterable[IntegrationGroup]) -> list[FunnelStep]:
    """Build the funnel steps in order."""
    reached_counts = Counter[int]()
    current_counts = Counter[int]()
    end_counts: dict[int, Counter[str]] = {n: Counter() for n in range(len(STEP_NAMES))}
    for group in groups:
        furthest_step = group.furthest_step
        for step in range(furthest_step + 1):
            reached_counts[step] += group.count
        if group.stage in END_LABELS:
            end_counts[furthest_step][END_LABELS[group.stage]] += group.count
        else:
            current_counts[furthest_step] += group.count
    step_ends = [
        tuple((label, end_counts[n][label]) for label in END_LABELS.values() if end_counts[n][label])
        for n in range(len(STEP_NAMES))
    ]
    return [FunnelStep(name, reached_counts[n], current_counts[n], step_ends[n]) for n, name in enumerate(STEP_NAMES)]


def find_drop_offs(groups: Iterable[IntegrationGroup]) -> list[tuple[str, str, int, int]]:
    """Return where unlisted integrations ended as (program, step, withdrawn, declined), most frequent first."""
    counts_by_step: dict[tuple[str, str], Counter[str]] = {}
    for group in groups:
        if group.stage in ("withdrawn", "declined") and not group.was_listed:
            counts_by_step.setdefault((group.program, group.step), Counter())[group.stage] += group.count
    rows = [(*key, counts["withdrawn"], counts["declined"]) for key, counts in counts_by_step.items()]
    return sorted(rows, key=lambda row: (-row[2] - row[3], row[0], row[1]))
