"""When does an issue wait for its reporter? After a real question of the partner, until the reporter's word.

A question in a comment pauses by itself; so does a request without a question mark where the partner also puts a pause
label. The label alone pauses nothing, a machine's neither.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from integrations.sla.engine.comment_classifier import asks, fingerprint, requests
from integrations.sla.engine.participants import Cast, Side
from integrations.sla.engine.severity import plain
from integrations.sla.engine.types import Happening, Kind


@dataclass(frozen=True, slots=True)
class Wait:
    """A time that does not count, why, and the key of what began it; `end` None while it lasts."""

    start: datetime
    end: datetime | None
    why: str
    key: str


@dataclass(slots=True)
class Waiting:
    """Reads an issue's happenings in order and finds the waits."""

    cast: Cast
    waits: list[Wait] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    since: datetime | None = None
    question: str = ""  # key of the comment that asks
    request: str = ""  # key of a comment that wants something, without a question mark
    label: bool = False
    locked: bool = False
    asked: set[str] = field(default_factory=set)
    writers: dict[str, Side] = field(default_factory=dict)

    def read(self, happening: Happening) -> None:
        handler = HANDLERS.get(happening.kind)
        if handler:
            handler(self, happening, self.cast.side(happening.actor))

    def commented(self, happening: Happening, side: Side) -> None:
        self.writers[happening.comment] = side
        if side == Side.REPORTER:
            self.end(happening.at)
        elif side == Side.PARTNER:
            self.ask(happening, happening.comment)

    def comment_edited(self, happening: Happening, side: Side) -> None:
        comment = happening.comment
        writer = self.writers.get(comment, side)
        if writer == Side.REPORTER == side:
            self.end(happening.at)
        elif writer == Side.PARTNER and comment in (self.question, self.request) and not requests(happening.text):
            self.end(happening.at)
            self.notes.append("A question was edited away: the pause ended then.")
        elif writer == Side.PARTNER and comment not in (self.question, self.request):
            self.ask(happening, comment)

    def comment_deleted(self, happening: Happening, side: Side) -> None:
        if happening.data.get("comment") in (self.question, self.request):
            self.end(happening.at)
            self.notes.append("A question was deleted: the pause ended then.")

    def ask(self, happening: Happening, comment: str) -> None:
        """A comment of the partner: does it ask something that was not asked before?"""
        if self.since is not None or not requests(happening.text):
            return
        said = fingerprint(happening.text)
        if said in self.asked:
            self.notes.append("The same question was asked again: it pauses nothing.")
            return
        self.asked.add(said)
        if asks(happening.text):
            self.question = comment
        else:
            self.request = comment
        if self.question or self.label:
            self.begin(happening)

    def begin(self, happening: Happening) -> None:
        if self.locked:
            self.notes.append("A question in a locked conversation pauses nothing: the reporter cannot answer.")
            self.question = self.request = ""
            return
        self.since = happening.at

    def end(self, at: datetime) -> None:
        if self.since is not None:
            why = "Waiting for the reporter to answer a question"
            self.waits.append(Wait(self.since, at, why, self.question or self.request))
        self.since, self.question, self.request = None, "", ""

    def labeled(self, happening: Happening, side: Side) -> None:
        if plain(happening.label) not in self.cast.policy.pause_labels:
            return
        if side == Side.MACHINE:
            self.notes.append("A machine put a pause label: it pauses nothing.")
            return
        self.label = True
        if self.since is None and self.request:
            self.begin(happening)
        elif self.since is None:
            self.notes.append("A pause label was put without a question: it pauses nothing.")

    def unlabeled(self, happening: Happening, side: Side) -> None:
        if plain(happening.label) in self.cast.policy.pause_labels:
            self.label = False
            self.end(happening.at)

    def reporter_acts(self, happening: Happening, side: Side) -> None:
        if side == Side.REPORTER:
            self.end(happening.at)

    def lock(self, happening: Happening, side: Side) -> None:
        self.locked = happening.kind == Kind.LOCKED
        if self.locked and self.since is not None:
            self.end(happening.at)
            self.notes.append("The conversation was locked while the reporter was asked: the pause ended then.")

    def found(self) -> list[Wait]:
        """The waits so far, the one that lasts included."""
        if self.since is None:
            return list(self.waits)
        why = "Waiting for the reporter to answer a question"
        return [*self.waits, Wait(self.since, None, why, self.question or self.request)]


HANDLERS: dict[Kind, Callable[[Waiting, Happening, Side], None]] = {
    Kind.COMMENTED: Waiting.commented,
    Kind.COMMENT_EDITED: Waiting.comment_edited,
    Kind.COMMENT_DELETED: Waiting.comment_deleted,
    Kind.LABELED: Waiting.labeled,
    Kind.UNLABELED: Waiting.unlabeled,
    Kind.EDITED: Waiting.reporter_acts,
    Kind.CLOSED: Waiting.reporter_acts,
    Kind.REOPENED: Waiting.reporter_acts,
    Kind.LOCKED: Waiting.lock,
    Kind.UNLOCKED: Waiting.lock,
}
