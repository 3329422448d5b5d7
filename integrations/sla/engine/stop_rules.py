"""Stop rules: the partner's first reply and a valid closure stop a clock.

A reply lasts until it is deleted, a closure until the issue is reopened.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from integrations.sla.engine.comment_classifier import has_statement, is_answer
from integrations.sla.engine.participants import EventTracker, ParticipantSide
from integrations.sla.engine.pause_rules import MIN_RESPONSE_TIME, PauseTracker
from integrations.sla.engine.types import TimelineEvent, UncountedInterval
from portal.core.translation import gettext_noop

REPORTER_SILENCE_PERIOD = timedelta(days=14)  # then the partner can close an issue with an open question
MIN_CLOSURE_PERIOD = timedelta(days=14)  # from the second time on, a shorter closure of the partner counts as open time
DELETED_REPLY_REASON = gettext_noop("Answered; the reply was deleted later")
# Reasons of a lasting and of a reopened closure
CLOSURE_REASONS = {
    ParticipantSide.PARTNER: (
        gettext_noop("Closed by the partner"),
        gettext_noop("Closed by the partner; reopened later"),
    ),
    ParticipantSide.REPORTER: (
        gettext_noop("Closed by the reporter"),
        gettext_noop("Closed by the reporter; reopened later"),
    ),
    ParticipantSide.OTHER: (gettext_noop("Closed"), gettext_noop("Closed; reopened later")),
    ParticipantSide.MACHINE: (gettext_noop("Closed by a bot"), gettext_noop("Closed by a bot; reopened later")),
}


@dataclass(slots=True)
class IssueClosure:
    """Closure of an issue. It has no `counts_from` while it doesn't stop the clock."""

    at: datetime
    key: str
    side: ParticipantSide
    counts_from: datetime | None
    is_response: bool  # also counts as a first response: closed by the reporter or with a fix

    def list_intervals(self, reopened_at: datetime | None = None) -> list[UncountedInterval]:
        if self.counts_from is None:
            return []
        reason = CLOSURE_REASONS[self.side][reopened_at is not None]
        return [UncountedInterval(self.counts_from, reopened_at, reason, self.key)]


@dataclass(slots=True, kw_only=True)
class StopTracker(EventTracker):
    """Tracker that collects the stops of both clocks."""

    opened_at: datetime
    pause_tracker: PauseTracker
    answers: dict[str, UncountedInterval] = field(default_factory=dict)
    statement_keys: set[str] = field(default_factory=set)  # replies with content apart from questions
    closure: IssueClosure | None = None
    reopened_closures: list[tuple[UncountedInterval, bool]] = field(default_factory=list)  # with `is_response`
    reopened_count: int = 0

    def handle_commented(self, event: TimelineEvent, side: ParticipantSide) -> None:
        if side != ParticipantSide.PARTNER:
            return
        if event.data.get("unread"):
            self.notes.append(gettext_noop("We don't have the original text of this comment. It counts from the edit."))
        elif self.opened_at + MIN_RESPONSE_TIME > event.at:
            self.notes.append(
                gettext_noop("A reply came within 30 seconds. It counts as automatic and doesn't stop the clock.")
            )
        else:
            self.record_answer(event)

    def record_answer(self, event: TimelineEvent) -> None:
        if not is_answer(event.text):
            self.notes.append(
                gettext_noop("A partner comment has no content that answers the issue. It doesn't stop the clock.")
            )
            return
        self.answers[event.comment] = UncountedInterval(event.at, None, DELETED_REPLY_REASON, event.comment)
        if has_statement(event.text):
            self.statement_keys.add(event.comment)
        self.count_pending_closure(event.at)

    def count_pending_closure(self, at: datetime) -> None:
        """Let a closure without a reply, or with only an open question, count from a reply on."""
        closure = self.closure
        if closure and closure.counts_from is None and closure.side in (ParticipantSide.PARTNER, ParticipantSide.OTHER):
            closure.counts_from = at

    def handle_comment_edited(self, event: TimelineEvent, side: ParticipantSide) -> None:
        if self.get_writer_side(event, side) != ParticipantSide.PARTNER or not is_answer(event.text):
            return
        if event.comment not in self.answers:
            self.notes.append(gettext_noop("An edit turned a comment into a reply. It counts from the edit."))
            self.record_answer(event)
        elif event.comment not in self.statement_keys and has_statement(event.text):
            self.statement_keys.add(event.comment)
            self.count_pending_closure(event.at)

    def handle_comment_deleted(self, event: TimelineEvent, side: ParticipantSide) -> None:
        answer = self.answers.get(event.comment)
        if answer and answer.end is None:
            self.answers[event.comment] = replace(answer, end=event.at)
            self.notes.append(gettext_noop("A reply was deleted. It doesn't count after the deletion."))

    def list_lasting_answers(self) -> list[str]:
        """Return the keys of the replies that were not deleted."""
        return [key for key, answer in self.answers.items() if answer.end is None]

    def has_only_questions(self, at: datetime) -> bool:
        """Return whether the only replies are questions that the reporter still has time to answer."""
        paused_at = self.pause_tracker.paused_at
        has_statements = not self.statement_keys.isdisjoint(self.list_lasting_answers())
        return paused_at is not None and at - paused_at < REPORTER_SILENCE_PERIOD and not has_statements

    def handle_closed(self, event: TimelineEvent, side: ParticipantSide) -> None:
        if self.closure and self.closure.counts_from is not None:
            return
        is_fix = bool(event.data.get("commit")) and side == ParticipantSide.PARTNER
        is_response = is_fix or side == ParticipantSide.REPORTER
        note = self.explain_uncounted_closure(event, side, is_response=is_response)
        if note:
            self.notes.append(note)
        self.closure = IssueClosure(event.at, event.key, side, None if note else event.at, is_response)

    def explain_uncounted_closure(self, event: TimelineEvent, side: ParticipantSide, *, is_response: bool) -> str:
        """Return why a closure doesn't stop the clock, or an empty string."""
        if side == ParticipantSide.MACHINE:
            return gettext_noop("A bot closed the issue. This doesn't stop the clock.")
        if not event.actor.id:
            return gettext_noop("We don't know who closed the issue. This doesn't stop the clock.")
        if is_response:
            return ""
        if self.has_only_questions(event.at):
            return gettext_noop(
                "The issue was closed with an open question and without another reply. This doesn't stop the clock."
            )
        if self.list_lasting_answers():
            return ""
        return gettext_noop("The issue was closed without a reply. This counts only after the partner replies.")

    def handle_reopened(self, event: TimelineEvent, side: ParticipantSide) -> None:
        closure = self.closure
        self.closure = None
        if closure is None or closure.counts_from is None:
            return
        if closure.side != ParticipantSide.REPORTER:
            self.reopened_count += 1
            if self.reopened_count > 1 and event.at - closure.at < MIN_CLOSURE_PERIOD:
                self.notes.append(
                    gettext_noop("The issue was closed and reopened repeatedly. The time in between counts.")
                )
                return
        intervals = closure.list_intervals(event.at)
        self.reopened_closures += [(interval, closure.is_response) for interval in intervals]

    def list_respond_stops(self) -> list[UncountedInterval]:
        """Return the stops of the first response clock, in order."""
        closures = [interval for interval, is_response in self._list_closures() if is_response]
        return sorted([*self.answers.values(), *closures], key=lambda interval: interval.start)

    def list_resolve_stops(self) -> list[UncountedInterval]:
        """Return the stops of the resolution clock, in order."""
        return [interval for interval, _ in self._list_closures()]

    def _list_closures(self) -> list[tuple[UncountedInterval, bool]]:
        closure = self.closure
        lasting_closures = [(interval, closure.is_response) for interval in closure.list_intervals()] if closure else []
        return self.reopened_closures + lasting_closures
