"""Respond and resolve clocks of issues compared with an oracle that walks the rules step by step."""

from collections.abc import Iterator
from multiprocessing import Pool

from integrations.sla.engine.projection import project_issue_state
from integrations.sla.engine.types import (
    Actor,
    ClockState,
    IssueEventKind,
    ProjectionContext,
    SlaPolicy,
    TimelineEvent,
)
from tests.clock_oracle.cases import ZONES
from tests.clock_oracle.issue_cases import PEOPLE, STEP, TEXTS, Action, IssueCase, Meaning, draw_cases
from tests.clock_oracle.issue_oracle import Verdict, evaluate_issue
from tests.clock_oracle.minute_clock import EPOCH, MINUTE
from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport

REFERENCE = "Slow oracle that applies the published rules every 15 minutes"
SHORT_CASES = 400
CHUNK = 1000
LONG_CHUNKS = 100
CALENDARS = 4  # of a zone
KINDS = {
    Meaning.EDIT_TO_ANSWER: IssueEventKind.COMMENT_EDITED,
    Meaning.DELETE: IssueEventKind.COMMENT_DELETED,
    Meaning.EDIT_REPORT: IssueEventKind.EDITED,
    Meaning.LABEL_CRITICAL: IssueEventKind.LABELED,
    Meaning.UNLABEL_CRITICAL: IssueEventKind.UNLABELED,
    Meaning.CLOSE: IssueEventKind.CLOSED,
    Meaning.FIX: IssueEventKind.CLOSED,
    Meaning.REOPEN: IssueEventKind.REOPENED,
    Meaning.LOWER: IssueEventKind.SEVERITY_LOWERED,
    Meaning.EXCLUDE: IssueEventKind.NOT_AN_ISSUE,
}


def run(options: RunOptions) -> SuiteReport:
    """Compare both clocks of each case; the long form draws its cases in parallel."""
    if options.full:
        jobs = [(options.seed * 1_000_000 + number * CHUNK, CHUNK) for number in range(LONG_CHUNKS)]
        with Pool() as pool:
            differences = [each for found in pool.imap_unordered(compare_chunk, jobs) for each in found]
        count = LONG_CHUNKS * CHUNK
    else:
        count = SHORT_CASES
        differences = compare_chunk((options.seed, count))
    return SuiteReport(REFERENCE, count, tuple(differences), figures=(("Time zones", str(len(ZONES))), ("Clocks", "2")))


def compare_chunk(job: tuple[int, int]) -> list[Disagreement]:
    """Return the differences of the cases of a seed."""
    seed, count = job
    return [each for case in draw_cases(count, seed, CALENDARS) for each in compare_clocks(case)]


def compare_clocks(case: IssueCase) -> Iterator[Disagreement]:
    state = project_issue_state(list(build_events(case)), build_context(case))
    for clock, verdict in zip(state.clocks, evaluate_issue(case), strict=True):
        if read_verdict(clock) != verdict:
            yield Disagreement(f"{clock.target_type} of {case}", str(read_verdict(clock)), str(verdict))


def read_verdict(clock: ClockState) -> Verdict:
    """Return what the portal's clock says, in steps."""
    start, due, stopped, ideal_due = (
        None if moment is None else (moment - EPOCH) // MINUTE // STEP
        for moment in (clock.started_at, clock.due_at, clock.stopped_at, clock.ideal_due_at)
    )
    assert start is not None
    used = clock.counted // MINUTE // STEP
    return Verdict(
        str(clock.state),
        str(clock.severity),
        clock.is_committed,
        start,
        due,
        stopped,
        used,
        ideal_due,
        clock.is_ideal_missed,
    )


def build_context(case: IssueCase) -> ProjectionContext:
    labels = frozenset({"critical"})
    policy = SlaPolicy(
        case.sla,
        labels,
        frozenset(),
        frozenset({4}),
        bots=frozenset({10}),
        second_accounts={PEOPLE["second account"].id: 1},
    )
    now, known = (EPOCH + step * STEP * MINUTE for step in (case.now, case.known))
    return ProjectionContext(policy, case.calendar, now, known)


def build_events(case: IssueCase) -> Iterator[TimelineEvent]:
    opened_at = EPOCH + case.opened * STEP * MINUTE
    yield TimelineEvent("opened", IssueEventKind.OPENED, opened_at, case.opener, "It fails.")
    for action in case.actions:
        yield build_event(action)


def build_event(action: Action) -> TimelineEvent:
    at = EPOCH + action.at * STEP * MINUTE
    actor = PEOPLE.get(action.who, Actor(0, "portal"))
    comment = f"comment:{action.number}"
    if action.meaning in TEXTS:
        return TimelineEvent(comment, IssueEventKind.COMMENTED, at, actor, action.text)
    data: dict[str, object] = {"comment": comment} if action.number else {}
    data |= {"commit": "5f1c" if action.meaning == Meaning.FIX else "", "body": True}
    label = "critical" if action.meaning in (Meaning.LABEL_CRITICAL, Meaning.UNLABEL_CRITICAL) else ""
    return TimelineEvent(f"event:{action.at}", KINDS[action.meaning], at, actor, action.text, label, data)


SUITE = Suite("issue-clocks", "Respond and resolve clocks", run)
