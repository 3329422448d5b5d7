"""Does what is stored still follow from the facts? Folds every issue again and compares; nothing is written."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from integrations.sla.engine import inputs
from integrations.sla.engine.types import IssueState, Watching
from integrations.sla.models import Breach, Clock, Issue
from integrations.sla.services import projection

CHUNK = 500
SWEEP_TAKES = timedelta(minutes=2)  # a breach that is younger may not have been written down yet
GOES_ON = frozenset({Watching.RUNNING, Watching.OVERDUE, Watching.BLIND})
ENDED = frozenset({Watching.MET, Watching.LATE})
ALWAYS = ("promised", "severity", "started_at", "due_at", "stopped_at", "warn50_at", "warn75_at", "warn90_at")


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is stored otherwise than the facts say. `where`: "owner/name#12 respond"."""

    where: str
    what: str
    stored: object
    folded: object

    def __str__(self) -> str:
        return f"{self.where}: {self.what} is {self.stored}, and follows as {self.folded}"


@dataclass(slots=True)
class Tally:
    """How far the replay has come."""

    issues: int = 0
    events: int = 0


def replay(
    now: datetime, tally: Tally, watch: int | None = None, progress: Callable[[Tally], None] = lambda tally: None
) -> Iterator[Difference]:
    """Every difference, as it is found. Memory does not grow with the number of issues."""
    last, mine = 0, Issue.objects.filter(watch=watch) if watch else Issue.objects.all()
    while True:
        pks = list(mine.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:CHUNK])
        if not pks:
            return
        yield from _chunk(pks, now, tally)
        last = pks[-1]
        progress(tally)


def _chunk(pks: list[int], now: datetime, tally: Tally) -> Iterator[Difference]:
    clocks: dict[int, dict[str, Clock]] = {}
    for clock in Clock.objects.filter(issue__in=pks):
        clocks.setdefault(clock.issue_id, {})[clock.verb] = clock
    breaches: dict[int, set[datetime]] = {}
    standing = Breach.objects.filter(issue__in=pks, retracted_at=None)
    for pk, due in standing.values_list("clock_id", "due_at"):
        breaches.setdefault(pk, set()).add(due)
    for issue in projection.issues_of(pks):
        tally.issues += 1
        tally.events += len(issue.events.all())
        yield from differences(issue, clocks.get(issue.pk, {}), breaches, now)


def differences(
    issue: Issue, clocks: dict[str, Clock], breaches: dict[int, set[datetime]], now: datetime
) -> Iterator[Difference]:
    """What is stored of an issue otherwise than its facts say. `breaches`: due moments that stand, by clock."""
    try:
        state = inputs.state_of(issue, projection.moment(issue, now))
    except ValueError as error:
        yield Difference(str(issue), "its fold", "there", error)
        return
    yield from _of_issue(issue, state)
    for found in state.clocks:
        where, clock = f"{issue} {found.verb}", clocks.get(str(found.verb))
        if clock is None:
            yield Difference(where, "the clock", "not there", found.state)
            continue
        for name, folded in projection.columns(found).items():
            stored = getattr(clock, name)
            if stored != folded and _matters(name, clock, str(folded)):
                yield Difference(where, name, stored, folded)
        yield from _of_breaches(where, clock, breaches.get(clock.pk, set()), issue, now)


def _of_issue(issue: Issue, state: IssueState) -> Iterator[Difference]:
    pairs = (
        ("is_open", issue.is_open, state.is_open),
        ("severity", issue.severity, str(state.severity)),
        ("spoke_last", issue.spoke_last, state.spoke_last),
        ("spoke_last_at", issue.spoke_last_at, state.spoke_last_at),
    )
    return (Difference(str(issue), name, stored, folded) for name, stored, folded in pairs if stored != folded)


def _matters(name: str, clock: Clock, folded: str) -> bool:
    """Time alone moves a running clock from one open state to another, and what it has counted."""
    if name in ALWAYS:
        return True
    if name == "state":
        return not {clock.state, folded} <= GOES_ON
    return clock.state in ENDED


def _of_breaches(
    where: str, clock: Clock, standing: set[datetime], issue: Issue, now: datetime
) -> Iterator[Difference]:
    wanted = set()
    if clock.promised and clock.due_at and clock.state in (*GOES_ON, Watching.LATE):
        known = min(now - SWEEP_TAKES, issue.watch.data_up_to)
        if clock.state == Watching.LATE or clock.due_at <= known:
            wanted = {clock.due_at}
    for due in standing - wanted:
        if due != clock.due_at or not clock.promised or clock.state == Watching.MET:
            yield Difference(where, "a breach", due, "never was")
    for due in wanted - standing:
        if issue.watch.ended_at is None and due <= now - SWEEP_TAKES:
            yield Difference(where, "a breach", "not there", due)
