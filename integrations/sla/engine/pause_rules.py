"""When does an issue wait for its reporter? After a real question of the partner, until the reporter's word.

A question in a comment pauses by itself; so does a request without a question mark where the partner also puts a pause
label. The label alone pauses nothing, a machine's neither.
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
    """A time that does not count, why, and the key of what began it; `end` None while it lasts."""

    start: datetime
    end: datetime | None
    why: str
    key: str


@dataclass(slots=True)
class PauseTracker:
    """Reads an issue's happenings in order and finds the waits."""

    participants: IssueParticipants
    waits: list[UncountedInterval] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    paused_at: datetime | None = None
    question: str = ""  # key of the comment that asks
    request: str = ""  # key of a comment that wants something, without a question mark
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
            self.notes.append("A question was edited away: the pause ended then.")
        elif writer_side == ParticipantSide.PARTNER and comment not in (self.question, self.request):
            self.record_question(event, comment)

    def handle_comment_deletion(self, event: TimelineEvent, side: ParticipantSide) -> None:
        if event.data.get("comment") in (self.question, self.request):
            self.end_pause(event.at)
            self.notes.append("A question was deleted: the pause ended then.")

    def record_question(self, event: TimelineEvent, comment: str) -> None:
        """A comment of the partner: does it ask something that was not asked before?"""
        if self.paused_at is not None or not has_request(event.text):
            return
        question_fingerprint = build_fingerprint(event.text)
        if question_fingerprint in self.question_fingerprints:
            self.notes.append("The same question was asked again: it pauses nothing.")
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
            self.notes.append("A question in a locked conversation pauses nothing: the reporter cannot answer.")
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
            self.notes.append("A machine put a pause label: it pauses nothing.")
            return
        self.has_pause_label = True
        if self.paused_at is None and self.request:
            self.begin_pause(event)
        elif self.paused_at is None:
            self.notes.append("A pause label was put without a question: it pauses nothing.")

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
            self.notes.append("The conversation was locked while the reporter was asked: the pause ended then.")

    def list_intervals(self) -> list[UncountedInterval]:
        """The waits so far, the one that lasts included."""
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
