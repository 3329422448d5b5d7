"""Pause rules: a clock pauses from a question of the partner until the reporter replies.

A question in a comment pauses the clock. A request without a question mark pauses it only together with a pause label.
A label alone, or a label added by a bot, doesn't pause the clock.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from integrations.sla.engine.comment_classifier import build_fingerprint, has_question, has_request, is_automatic_reply
from integrations.sla.engine.participants import EventTracker, ParticipantSide
from integrations.sla.engine.severity import normalize_label
from integrations.sla.engine.types import IssueEventKind, TimelineEvent, UncountedInterval
from portal.core.translation import gettext_noop

MIN_RESPONSE_TIME = timedelta(seconds=30)  # a faster reply is automatic
PAUSE_REASON = gettext_noop("Waiting for the reporter to answer a question")


@dataclass(slots=True, kw_only=True)
class PauseTracker(EventTracker):
    """Tracker that collects the pauses."""

    opened_at: datetime
    intervals: list[UncountedInterval] = field(default_factory=list)
    paused_at: datetime | None = None
    question: str = ""  # key of the comment with the open question
    request: str = ""  # key of a comment with an open request, without a question mark
    has_pause_label: bool = False
    is_locked: bool = False
    question_fingerprints: set[str] = field(default_factory=set)

    def handle_commented(self, event: TimelineEvent, side: ParticipantSide) -> None:
        if side == ParticipantSide.REPORTER:
            self.end_pause(event.at)
        elif side == ParticipantSide.PARTNER:
            self.record_question(event)

    def handle_comment_edited(self, event: TimelineEvent, side: ParticipantSide) -> None:
        writer_side = self.get_writer_side(event, side)
        is_open_request = event.comment in (self.question, self.request)
        # A maintainer can edit the reporter's comment too, but that isn't a reply by the reporter.
        if writer_side == ParticipantSide.REPORTER == side:
            self.end_pause(event.at)
        elif writer_side == ParticipantSide.PARTNER and not is_open_request:
            self.record_question(event)
        elif writer_side == ParticipantSide.PARTNER and not has_request(event.text):
            self.withdraw_question(
                event.at, gettext_noop("A question was removed by an edit. The pause ended with the edit.")
            )

    def handle_comment_deleted(self, event: TimelineEvent, side: ParticipantSide) -> None:
        if event.data.get("comment") in (self.question, self.request):
            self.withdraw_question(event.at, gettext_noop("A question was deleted. The pause ended with the deletion."))

    def withdraw_question(self, at: datetime, note: str) -> None:
        # A request without a pause label doesn't pause the clock.
        if self.paused_at is not None:
            self.notes.append(note)
        self.end_pause(at)

    def record_question(self, event: TimelineEvent) -> None:
        """Pause the clock if a partner comment asks a new question."""
        is_automatic = event.at < self.opened_at + MIN_RESPONSE_TIME or is_automatic_reply(event.text)
        if self.paused_at is not None or is_automatic or not has_request(event.text):
            return
        question_fingerprint = build_fingerprint(event.text)
        # Otherwise, one question, asked again after each reply, would pause the clock for good.
        if question_fingerprint in self.question_fingerprints:
            self.notes.append(gettext_noop("The partner repeated a question. The clock keeps running."))
            return
        self.question_fingerprints.add(question_fingerprint)
        if has_question(event.text):
            self.question = event.comment
            self.request = ""  # what happens to an earlier request doesn't end the pause of this question
        else:
            self.request = event.comment
        if self.question or self.has_pause_label:
            self.begin_pause(event)

    def begin_pause(self, event: TimelineEvent) -> None:
        # While the conversation is locked, GitHub lets only people with write access comment.
        if not self.is_locked:
            self.paused_at = event.at
            return
        self.question = self.request = ""
        self.notes.append(
            gettext_noop(
                "The conversation is locked, so the reporter can't answer the question. The clock keeps running."
            )
        )

    def end_pause(self, at: datetime) -> None:
        if self.paused_at is not None:
            self.intervals.append(self.build_interval(self.paused_at, at))
        self.paused_at = None
        self.question = ""
        self.request = ""

    def handle_labeled(self, event: TimelineEvent, side: ParticipantSide) -> None:
        if normalize_label(event.label) not in self.participants.policy.pause_labels:
            return
        if side == ParticipantSide.MACHINE:
            self.notes.append(gettext_noop("A bot added a pause label. The clock keeps running."))
            return
        self.has_pause_label = True
        if self.paused_at is None and self.request:
            self.begin_pause(event)
        elif self.paused_at is None:
            self.notes.append(gettext_noop("The pause label has no matching question. The clock keeps running."))

    def handle_unlabeled(self, event: TimelineEvent, side: ParticipantSide) -> None:
        if normalize_label(event.label) in self.participants.policy.pause_labels:
            self.has_pause_label = False
            self.end_pause(event.at)

    def handle_edited(self, event: TimelineEvent, side: ParticipantSide) -> None:
        if side == ParticipantSide.REPORTER:
            self.end_pause(event.at)

    handle_closed = handle_reopened = handle_edited

    def handle_locked(self, event: TimelineEvent, side: ParticipantSide) -> None:
        self.is_locked = event.kind == IssueEventKind.LOCKED
        if self.is_locked and self.paused_at is not None:
            self.end_pause(event.at)
            self.notes.append(gettext_noop("The conversation was locked during a pause. The pause ended."))

    handle_unlocked = handle_locked

    def build_interval(self, start: datetime, end: datetime | None) -> UncountedInterval:
        return UncountedInterval(start, end, PAUSE_REASON, self.question or self.request)

    def list_intervals(self) -> list[UncountedInterval]:
        """Return all pauses, including the current one."""
        return [*self.intervals, *([self.build_interval(self.paused_at, None)] if self.paused_at else [])]
