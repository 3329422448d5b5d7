"""Pause rules: a clock pauses from a question of the partner until the reporter replies.

A question in a comment pauses the clock. A request without a question mark pauses it only together with a pause label.
A label alone, or a label added by a bot, doesn't pause the clock.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from integrations.sla.engine.comment_classifier import build_fingerprint, has_question, has_request
from integrations.sla.engine.participants import IssueParticipants, ParticipantSide
from integrations.sla.engine.severity import normalize_label
from integrations.sla.engine.types import IssueEventKind, TimelineEvent


@dataclass(frozen=True, slots=True)
class UncountedInterval:
    """Uncounted interval with its reason and the key of the event that started it. An open one has no `end`."""

    start: datetime
    end: datetime | None
    why: str
    key: str


@dataclass(slots=True)
class PauseTracker:
    """Tracker that reads an issue's events in order and collects the pauses."""

    participants: IssueParticipants
    waits: list[UncountedInterval] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    paused_at: datetime | None = None
    question: str = ""  # key of the comment with the open question
    request: str = ""  # key of a comment with an open request, without a question mark
    has_pause_label: bool = False
    is_locked: bool = False
    question_fingerprints: set[str] = field(default_factory=set)
    sides_by_comment: dict[str, ParticipantSide] = field(default_factory=dict)

    def read(self, event: TimelineEvent) -> None:
        handler = HANDLERS.get(event.kind)
        if handler:
            handler(self, event, self.participants.get_side(event.actor))

    def handle_comment(self, event: TimelineEvent, side: ParticipantSide) -> None:
        self.sides_by_comment[event.comment] = side
        if side == ParticipantSide.REPORTER:
            self.end_pause(event.at)
        elif side == ParticipantSide.PARTNER:
            self.record_question(event, event.comment)

    def handle_comment_edit(self, event: TimelineEvent, side: ParticipantSide) -> None:
        comment = event.comment
        writer_side = self.sides_by_comment.get(comment, side)
        if writer_side == ParticipantSide.REPORTER == side:
            self.end_pause(event.at)
        elif (
            writer_side == ParticipantSide.PARTNER
            and comment in (self.question, self.request)
            and not has_request(event.text)
        ):
            self.end_pause(event.at)
            self.notes.append("A question was removed by an edit. The pause ended with the edit.")
        elif writer_side == ParticipantSide.PARTNER and comment not in (self.question, self.request):
            self.record_question(event, comment)

    def handle_comment_deletion(self, event: TimelineEvent, side: ParticipantSide) -> None:
        if event.data.get("comment") in (self.question, self.request):
            self.end_pause(event.at)
            self.notes.append("A question was deleted. The pause ended with the deletion.")

    def record_question(self, event: TimelineEvent, comment: str) -> None:
        """Pause the clock if a partner comment asks a new question."""
        if self.paused_at is not None or not has_request(event.text):
            return
        question_fingerprint = build_fingerprint(event.text)
        if question_fingerprint in self.question_fingerprints:
            self.notes.append("The partner repeated a question. The clock keeps running.")
            return
        self.question_fingerprints.add(question_fingerprint)
        if has_question(event.text):
            self.question = comment
        else:
            self.request = comment
        if self.question or self.has_pause_label:
            self.begin_pause(event)

    def begin_pause(self, event: TimelineEvent) -> None:
        if self.is_locked:
            self.notes.append(
                "The conversation is locked, so the reporter can't answer the question. The clock keeps running."
            )
            self.question = self.request = ""
            return
        self.paused_at = event.at

    def end_pause(self, at: datetime) -> None:
        if self.paused_at is not None:
            why = "Waiting for the reporter to answer a question"
            self.waits.append(UncountedInterval(self.paused_at, at, why, self.question or self.request))
        self.paused_at, self.question, self.request = None, "", ""

    def handle_label(self, event: TimelineEvent, side: ParticipantSide) -> None:
        if normalize_label(event.label) not in self.participants.policy.pause_labels:
            return
        if side == ParticipantSide.MACHINE:
            self.notes.append("A bot added a pause label. The clock keeps running.")
            return
        self.has_pause_label = True
        if self.paused_at is None and self.request:
            self.begin_pause(event)
        elif self.paused_at is None:
            self.notes.append("The pause label has no matching question. The clock keeps running.")

    def handle_unlabel(self, event: TimelineEvent, side: ParticipantSide) -> None:
        if normalize_label(event.label) in self.participants.policy.pause_labels:
            self.has_pause_label = False
            self.end_pause(event.at)

    def handle_reporter_action(self, event: TimelineEvent, side: ParticipantSide) -> None:
        if side == ParticipantSide.REPORTER:
            self.end_pause(event.at)

    def handle_lock(self, event: TimelineEvent, side: ParticipantSide) -> None:
        self.is_locked = event.kind == IssueEventKind.LOCKED
        if self.is_locked and self.paused_at is not None:
            self.end_pause(event.at)
            self.notes.append("The conversation was locked during a pause. The pause ended.")

    def list_intervals(self) -> list[UncountedInterval]:
        """Return all pauses, including the current one."""
        if self.paused_at is None:
            return list(self.waits)
        why = "Waiting for the reporter to answer a question"
        return [*self.waits, UncountedInterval(self.paused_at, None, why, self.question or self.request)]


HANDLERS: dict[IssueEventKind, Callable[[PauseTracker, TimelineEvent, ParticipantSide], None]] = {
    IssueEventKind.COMMENTED: PauseTracker.handle_comment,
    IssueEventKind.COMMENT_EDITED: PauseTracker.handle_comment_edit,
    IssueEventKind.COMMENT_DELETED: PauseTracker.handle_comment_deletion,
    IssueEventKind.LABELED: PauseTracker.handle_label,
    IssueEventKind.UNLABELED: PauseTracker.handle_unlabel,
    IssueEventKind.EDITED: PauseTracker.handle_reporter_action,
    IssueEventKind.CLOSED: PauseTracker.handle_reporter_action,
    IssueEventKind.REOPENED: PauseTracker.handle_reporter_action,
    IssueEventKind.LOCKED: PauseTracker.handle_lock,
    IssueEventKind.UNLOCKED: PauseTracker.handle_lock,
}
