"""Independent oracle of both clocks of an issue: slow, and without code of the projection.

It follows docs/explanation/sla-clock.md step by step of a quarter of an hour: which steps are answered, closed, or
waiting for the reporter. The clock of tests.clock_oracle.minute_clock then counts the others.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from integrations.programs.sla_policy import SlaTarget, TargetType
from tests.clock_oracle.issue_cases import BOTS, DAY_STEPS, HOUR_STEPS, PEOPLE, STEP, TEXTS, Action, IssueCase, Meaning
from tests.clock_oracle.minute_clock import INFINITY, MinuteCounter, get_wall_clock

SILENCE_STEPS = 14 * DAY_STEPS
MARGIN_STEPS = 150 * DAY_STEPS  # longer than any target with its days off
REPORTERS = frozenset({"reporter", "second account"})
COLLABORATOR_ACTIONS = frozenset(
    {Meaning.LABEL_CRITICAL, Meaning.UNLABEL_CRITICAL, Meaning.CLOSE, Meaning.FIX, Meaning.REOPEN}
)


@dataclass(frozen=True)
class Verdict:
    """Expected state of a clock. Times and lengths are in steps."""

    state: str
    severity: str
    is_committed: bool
    start: int
    due: int | None
    stopped: int | None
    used: int
    ideal_due: int | None = None
    is_ideal_missed: bool = False


@dataclass
class IssueReplay:
    """State of an issue at a step, and the steps at which it was answered, closed, or waiting."""

    case: IssueCase
    partners: frozenset[str]
    replies: dict[int, Meaning] = field(default_factory=dict)  # comments that count and exist
    asked: set[str] = field(default_factory=set)
    question: int | None = None
    waiting_since: int = 0
    closer: str = ""
    closed_at: int = 0
    is_closure_counted: bool = False
    is_closure_reply: bool = False
    closure_steps: set[int] = field(default_factory=set)
    reopenings: int = 0
    answered: set[int] = field(default_factory=set)
    closed: set[int] = field(default_factory=set)
    replied_by_closing: set[int] = field(default_factory=set)
    waiting: set[int] = field(default_factory=set)

    def process_step(self, step: int, action: Action | None) -> None:
        """Apply an action, then mark the step."""
        if action:
            self.apply(action)
        if self.replies:
            self.answered.add(step)
        if self.is_closure_counted:
            self.closure_steps.add(step)
        if self.question is not None:
            self.waiting.add(step)

    def apply(self, action: Action) -> None:
        is_partner = action.who in self.partners
        is_reporter = action.who in REPORTERS
        if action.meaning in TEXTS and is_partner and action.at > self.case.opened:
            self.read_comment(action)
        elif action.meaning == Meaning.EDIT_TO_ANSWER and is_partner:
            self.add_reply(action, Meaning.ANSWER)
        elif action.meaning == Meaning.DELETE:
            self.replies.pop(action.number, None)
            self.question = None if self.question == action.number else self.question
        elif action.meaning in (Meaning.CLOSE, Meaning.FIX):
            self.close(action, is_partner=is_partner, is_reporter=is_reporter)
        elif action.meaning == Meaning.REOPEN:
            self.reopen(action.at)
        ends_waiting = set(Meaning) - {Meaning.DELETE, Meaning.LABEL_CRITICAL, Meaning.UNLABEL_CRITICAL}
        if is_reporter and action.meaning in ends_waiting:
            self.question = None

    def read_comment(self, action: Action) -> None:
        if action.meaning in (Meaning.ANSWER, Meaning.QUESTION):
            self.add_reply(action, action.meaning)
        if action.meaning == Meaning.QUESTION and self.question is None and action.text not in self.asked:
            self.asked.add(action.text)
            self.question = action.number
            self.waiting_since = action.at

    def add_reply(self, action: Action, meaning: Meaning) -> None:
        self.replies[action.number] = meaning
        if self.closer in self.partners:
            self.is_closure_counted = True

    def close(self, action: Action, *, is_partner: bool, is_reporter: bool) -> None:
        self.closer = action.who
        self.closed_at = action.at
        self.closure_steps = set()
        self.is_closure_reply = is_reporter or (is_partner and action.meaning == Meaning.FIX)
        is_silent = self.question is None or action.at - self.waiting_since >= SILENCE_STEPS
        is_answered = Meaning.ANSWER in self.replies.values() or (bool(self.replies) and is_silent)
        self.is_closure_counted = self.is_closure_reply or (is_partner and is_answered)

    def reopen(self, at: int) -> None:
        was_counted = self.is_closure_counted
        is_by_reporter = self.closer in REPORTERS
        if was_counted and not is_by_reporter:
            self.reopenings += 1
        is_short = self.reopenings > 1 and at - self.closed_at < SILENCE_STEPS and not is_by_reporter
        if was_counted and not is_short:
            self.keep_closure()
        self.closer = ""
        self.is_closure_counted = False
        self.closure_steps = set()

    def keep_closure(self) -> None:
        self.closed |= self.closure_steps
        if self.is_closure_reply:
            self.replied_by_closing |= self.closure_steps


def evaluate_issue(case: IssueCase) -> tuple[Verdict, Verdict]:
    """Return the verdicts on the respond and the resolve clock."""
    actions = [action for action in case.actions if action.at <= case.now]
    if case.opener in (PEOPLE[name] for name in BOTS) or any(a.meaning == Meaning.EXCLUDE for a in actions):
        nothing = Verdict("not_applicable", "other", False, case.opened, None, None, 0)
        return nothing, nothing
    helpers = {action.who for action in actions if action.meaning in COLLABORATOR_ACTIONS}
    partners = {"maintainer", "collaborator", "named"} | (helpers & {"helper"})
    replay = IssueReplay(case, frozenset(partners))
    by_step = {action.at: action for action in actions}
    for step in range(case.opened, case.now + 1):
        replay.process_step(step, by_step.get(step))
    if replay.is_closure_counted:
        replay.keep_closure()
    respond = ClockReference(case, actions, TargetType.RESPOND, replay.answered | replay.replied_by_closing, set())
    return respond.evaluate(), ClockReference(
        case, actions, TargetType.RESOLVE, replay.closed, replay.waiting
    ).evaluate()


@dataclass
class ClockReference:
    """Reference of one clock. `stopped` and `waiting` are the steps that it doesn't count."""

    case: IssueCase
    actions: list[Action]
    verb: TargetType
    stopped: set[int]
    waiting: set[int]

    @cached_property
    def stop(self) -> int | None:
        """The step since which the clock has been stopped without a break."""
        step = self.case.now + 1
        while step - 1 in self.stopped:
            step -= 1
        return step if step <= self.case.now else None

    def evaluate(self) -> Verdict:
        for lowering in (action.at for action in self.actions if action.meaning == Meaning.LOWER):
            verdict = self.measure(lowering - 1)
            is_missed = verdict.is_committed and verdict.due is not None and verdict.due <= lowering
            if is_missed and verdict.due is not None and (verdict.stopped or INFINITY) > verdict.due:
                return verdict  # it was missed before the program lowered the severity
        return self.measure(self.case.now if self.stop is None else self.stop)

    def find_critical_since(self, cutoff: int) -> int | None:
        since = None
        for action in self.actions:
            if action.at <= cutoff and action.meaning == Meaning.LOWER:
                since = None
            elif action.at <= cutoff and action.meaning == Meaning.LABEL_CRITICAL and since is None:
                since = self.case.opened if action.at - self.case.opened <= HOUR_STEPS else action.at
        return since

    def measure(self, cutoff: int) -> Verdict:
        """Measure with the severity at the cutoff."""
        since = self.find_critical_since(cutoff)
        sla = self.case.sla
        opened = self.case.opened
        critical, other = (sla.get_target(self.verb, severity) for severity in ("critical", "other"))
        results = []
        if since is not None:
            results.append(self.count_time("critical", critical, since if critical else opened))
        is_only_critical = since == opened and critical and not critical.is_ideal
        if since is None or (other and not is_only_critical):
            results.append(self.count_time("other", other, opened))
        # the earliest required target, else the earliest ideal one, else what is measured
        best = min(results, key=lambda each: (not each.is_committed, INFINITY if each.due is None else each.due))
        ideals = [each.due for each in results if not each.is_committed and each.due is not None]
        ideal_due = min(ideals, default=None)
        is_known = ideal_due is not None and min(self.case.now, self.case.known) >= ideal_due
        is_missed = ideal_due is not None and is_known and (self.stop or INFINITY) > ideal_due
        return replace(best, ideal_due=ideal_due, is_ideal_missed=is_missed)

    def count_time(self, severity: str, target: SlaTarget | None, start: int) -> Verdict:
        case = self.case
        end = self.case.now if self.stop is None else self.stop
        halted = {step for step in self.stopped | self.waiting if step < end or self.stop is None}
        is_waiting = self.stop is None and case.now in halted
        in_hours = target.hours is not None if target else severity == "critical"
        wall = get_wall_clock(case.calendar.zone, STEP)
        days = case.calendar
        counter = MinuteCounter(wall, days.workdays, days.days_off, start, list(find_runs(halted)), in_hours)
        allowed = INFINITY
        if target:
            allowed = target.hours * HOUR_STEPS if target.hours else (target.business_days or 0) * DAY_STEPS
        due, used = counter.count(allowed, end, end + (MARGIN_STEPS if target and not is_waiting else 0))
        is_committed = target is not None and not target.is_ideal
        state = self.name_state(due, is_waiting=is_waiting) if is_committed else "not_applicable"
        return Verdict(state, severity, is_committed, start, due, self.stop, used)

    def name_state(self, due: int | None, *, is_waiting: bool) -> str:
        now = self.case.now
        known = min(self.case.now, self.case.known)
        stop = self.stop
        if stop is not None and (due is None or stop <= due):
            return "met" if stop <= known else "data_incomplete"
        if due is None or now < due:
            return "paused" if is_waiting else "running"
        if known < due:
            return "data_incomplete"
        return "overdue" if stop is None else "late"


def find_runs(steps: Iterable[int]) -> Iterable[tuple[int, int]]:
    """Return the runs of consecutive steps as first step and end."""
    runs: list[tuple[int, int]] = []
    for step in sorted(steps):
        if runs and runs[-1][1] == step:
            runs[-1] = (runs[-1][0], step + 1)
        else:
            runs.append((step, step + 1))
    return runs
