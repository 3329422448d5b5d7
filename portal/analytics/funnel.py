"""How many begin, ask, get through, and where do the others stop? Pure, over counted groups of integrations."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext_noop

STEPS = (
    gettext_noop("Started"),
    gettext_noop("Review asked for"),
    gettext_noop("Approved"),
    gettext_noop("Listed"),
    gettext_noop("In support now"),
)
ENDS = {
    "withdrawn": gettext_noop("withdrawn"),
    "declined": gettext_noop("declined"),
    "archived": gettext_noop("support ended"),
}


@dataclass(frozen=True, slots=True)
class Group:
    """So many integrations of which the same is true. `before_end`: the stage that one that ended was in."""

    stage: str
    count: int
    before_end: str = ""
    asked: bool = False
    listed: bool = False
    step: str = ""
    program: str = ""

    @property
    def reached(self) -> int:
        """The furthest of STEPS."""
        if self.stage == "support":
            return 4
        if self.listed:
            return 3
        if "release" in (self.stage, self.before_end):
            return 2
        return int(self.asked)


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """One step: how many reached it, and of those that went no further, how many are there still and how many ended."""

    name: str
    reached: int
    still: int
    ended: tuple[tuple[str, int], ...]


def funnel(groups: Iterable[Group]) -> list[FunnelStep]:
    """Each of STEPS; what reached it and went on is what reached the next."""
    reached, still = Counter[int](), Counter[int]()
    ended: dict[int, Counter[str]] = {n: Counter() for n in range(len(STEPS))}
    for group in groups:
        at = group.reached
        for step in range(at + 1):
            reached[step] += group.count
        if group.stage in ENDS:
            ended[at][ENDS[group.stage]] += group.count
        else:
            still[at] += group.count
    ends = [tuple((word, ended[n][word]) for word in ENDS.values() if ended[n][word]) for n in range(len(STEPS))]
    return [FunnelStep(name, reached[n], still[n], ends[n]) for n, name in enumerate(STEPS)]


def stopped(groups: Iterable[Group]) -> list[tuple[str, str, int, int]]:
    """Where those that ended before they were listed stopped: (program, step, withdrawn, declined), most first."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for group in groups:
        if group.stage in ("withdrawn", "declined") and not group.listed:
            found.setdefault((group.program, group.step), Counter())[group.stage] += group.count
    rows = [(*place, counts["withdrawn"], counts["declined"]) for place, counts in found.items()]
    return sorted(rows, key=lambda row: (-row[2] - row[3], row[0], row[1]))
