"""Stop rules: the partner's first reply and a valid closure stop a clock.

A reply lasts until it is deleted, a closure until the issue is reopened.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from integrations.sla.engine.comment_classifier import has_statement, is_answer
from integrations.sla.engine.participants import IssueParticipants, ParticipantSide
from integrations.sla.engine.pause_rules import PauseTracker, UncountedInterval
from integrations.sla.engine.types import IssueEventKind, TimelineEvent

MIN_RESPONSE_TIME = timedelta(seconds=30)  # a faster reply is automatic
REPORTER_SILENCE_PERIOD = timedelta(days=14)  # then the partner can close an issue with an open question
MIN_CLOSURE_PERIOD = timedelta(
    days=14
)  # from the second time on, a closing of the partner that held less counts as open time
CLOSURE_REASONS = {
    ParticipantSide.PARTNER: "Closed by the partner",
    ParticipantSide.REPORTER: "Closed by the reporter",
    ParticipantSide.OTHER: "Closed",
    ParticipantSide.MACHINE: "Closed by a bot",
}


@dataclass(slots=True)
class IssueClosure:
    """Current closure of an issue. It has no `counts_from` while it doesn't stop the clock."""

    at: datetime
    key: str
    side: ParticipantSide
    counts_from: datetime | None
    answers: bool  # also counts as a first response: closed by the reporter or with a fix


@dataclass(slots=True)
class StopTracker:
    """Tracker that reads an issue's events in order and collects the stops of its clocks."""

    participants: IssueParticipants
    opened_at: datetime
    pause_tracker: PauseTracker
    statement_keys: set[str] = field(default_factory=set)  # replies with content apart from questions
    notes: list[str] = field(default_factory=list)
    answers: dict[str, UncountedInterval] = field(default_factory=dict)
    sides_by_comment: dict[str, ParticipantSide] = field(default_factory=dict)
    closing: IssueClosure | None = None
    ended_closures: list[tuple[UncountedInterval, bool]] = field(
        default_factory=list
    )  # reopened closures, and whether each counts as a response
    reopened_count: int = 0

    def read(self, event: TimelineEvent) -> None:
        handler = HANDLERS.get(event.kind)
        if handler:
            handler(self, event)

    def handle_comment(self, event: TimelineEvent) -> None:
        side = self.sides_by_comment[event.comment] = self.participants.get_side(event.actor)
        if side != ParticipantSide.PARTNER:
            return
        if event.data.get("unread"):
            self.notes.append("We don't have the original text of this comment. It counts from the edit.")
        elif self.opened_at + MIN_RESPONSE_TIME > event.at:
            self.notes.append("A reply came within 30 seconds. It counts as automatic and doesn't stop the clock.")
        else:
            self.record_answer(event, event.comment)

    def record_answer(self, event: TimelineEvent, comment: str) -> None:
        if not is_answer(event.text):
            self.notes.append("A partner comment has no content that answers the issue. It doesn't stop the clock.")
            return
        self.answers[comment] = UncountedInterval(event.at, None, "Answered; the reply was deleted later", comment)
        if has_statement(event.text):
            self.statement_keys.add(comment)
        closing = self.closing
        if closing and closing.counts_from is None and closing.side in (ParticipantSide.PARTNER, ParticipantSide.OTHER):
            closing.counts_from = event.at

    def handle_comment_edit(self, event: TimelineEvent) -> None:
        comment = event.comment
        is_partner_comment = (
            self.sides_by_comment.get(comment, self.participants.get_side(event.actor)) == ParticipantSide.PARTNER
        )
        if is_partner_comment and comment not in self.answers and is_answer(event.text):
            self.notes.append("An edit turned a comment into a reply. It counts from the edit.")
            self.record_answer(event, comment)

    def handle_comment_deletion(self, event: TimelineEvent) -> None:
        comment = event.comment
        answer = self.answers.get(comment)
        if answer and answer.end is None:
            self.answers[comment] = UncountedInterval(answer.start, event.at, answer.why, comment)
            self.notes.append("A reply was deleted. It doesn't count after the deletion.")

    @property
    def has_answer(self) -> bool:
        return any(answer.end is None for answer in self.answers.values())

    def has_only_questions(self, at: datetime) -> bool:
        """Return whether the only replies are questions that the reporter still has time to answer."""
        paused_at = self.pause_tracker.paused_at
        has_statements = any(key in self.statement_keys for key, answer in self.answers.items() if answer.end is None)
        return paused_at is not None and at - paused_at < REPORTER_SILENCE_PERIOD and not has_statements

    def handle_close(self, event: TimelineEvent) -> None:
        if self.closing and self.closing.counts_from is not None:
            return
        side = self.participants.get_side(event.actor)
        is_fix = bool(event.data.get("commit")) and side == ParticipantSide.PARTNER
        is_counted, note = self.judge_closure(event, side, is_fix)
        if note:
            self.notes.append(note)
        counts_from = event.at if is_counted else None
        self.closing = IssueClosure(event.at, event.key, side, counts_from, is_fix or side == ParticipantSide.REPORTER)

    def judge_closure(self, event: TimelineEvent, side: ParticipantSide, is_fix: bool) -> tuple[bool, str]:
        """Return whether a closure stops the clock, and a note if it doesn't."""
        if side == ParticipantSide.MACHINE:
            return False, "A bot closed the issue. This doesn't stop the clock."
        if not event.actor.id:
            return False, "We don't know who closed the issue. This doesn't stop the clock."
        if side == ParticipantSide.REPORTER or is_fix:
            return True, ""
        if self.has_only_questions(event.at):
            return (
                False,
                "The issue was closed with an open question and without another reply. This doesn't stop the clock.",
            )
        if self.has_answer:
            return True, ""
        return (
            False,
            "The issue was closed without a reply. This counts only after the partner replies.",
        )

    def handle_reopen(self, event: TimelineEvent) -> None:
        closing, self.closing = self.closing, None
        if closing is None or closing.counts_from is None:
            return
        if closing.side != ParticipantSide.REPORTER:
            self.reopened_count += 1
            if self.reopened_count > 1 and event.at - closing.at < MIN_CLOSURE_PERIOD:
                self.notes.append("The issue was closed and reopened repeatedly. The time in between counts.")
                return
        why = f"{CLOSURE_REASONS[closing.side]}; reopened later"
        self.ended_closures.append(
            (UncountedInterval(closing.counts_from, event.at, why, closing.key), closing.answers)
        )

    def list_respond_stops(self) -> list[UncountedInterval]:
        """Return the stops of the first response clock, in order."""
        lasting_intervals = (
            [self._build_lasting_interval(self.closing)] if self.closing and self.closing.answers else []
        )
        answering_intervals = [wait for wait, counts_as_answer in self.ended_closures if counts_as_answer]
        return sorted([*self.answers.values(), *answering_intervals, *filter(None, lasting_intervals)], key=_get_start)

    def list_resolve_stops(self) -> list[UncountedInterval]:
        """Return the stops of the resolution clock, in order."""
        lasting_interval = self._build_lasting_interval(self.closing)
        return [*(wait for wait, _ in self.ended_closures), *([lasting_interval] if lasting_interval else [])]

    @staticmethod
    def _build_lasting_interval(closing: IssueClosure | None) -> UncountedInterval | None:
        if closing is None or closing.counts_from is None:
            return None
        return UncountedInterval(closing.counts_from, None, CLOSURE_REASONS[closing.side], closing.key)


def _get_start(wait: UncountedInterval) -> datetime:
    return wait.start


HANDLERS: dict[IssueEventKind, Callable[[StopTracker, TimelineEvent], None]] = {
    IssueEventKind.COMMENTED: StopTracker.handle_comment,
    IssueEventKind.COMMENT_EDITED: StopTracker.handle_comment_edit,
    IssueEventKind.COMMENT_DELETED: StopTracker.handle_comment_deletion,
    IssueEventKind.CLOSED: StopTracker.handle_close,
    IssueEventKind.REOPENED: StopTracker.handle_reopen,
}
