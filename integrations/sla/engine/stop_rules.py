"""What stops a clock? The partner's first answer, and a closing that counts: since when, and until when it held.

An answer holds until it is deleted; a closing until the issue is reopened.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from integrations.sla.engine.comment_classifier import is_answer, tells
from integrations.sla.engine.participants import Cast, Side
from integrations.sla.engine.pause_rules import Wait, Waiting
from integrations.sla.engine.types import Happening, Kind

TOO_SWIFT = timedelta(seconds=30)  # nobody reads an issue and answers it sooner: an automatic reply
SILENCE = timedelta(days=14)  # of a reporter who was asked: then the partner may close
FLAPPING = timedelta(days=14)  # from the second time on, a closing of the partner that held less counts as open time
WORDS = {
    Side.PARTNER: "Closed by the partner",
    Side.REPORTER: "Closed by the reporter",
    Side.OTHER: "Closed",
    Side.MACHINE: "Closed by a machine",
}


@dataclass(slots=True)
class Closing:
    """A closing that lasts. `counts_from` is None while it does not count."""

    at: datetime
    key: str
    side: Side
    counts_from: datetime | None
    answers: bool  # it also answers: the reporter's own, or a fix


@dataclass(slots=True)
class Stops:
    """Reads an issue's happenings in order and finds what stopped its clocks."""

    cast: Cast
    opened_at: datetime
    waiting: Waiting
    telling: set[str] = field(default_factory=set)  # the answers that say something beside a question
    notes: list[str] = field(default_factory=list)
    answers: dict[str, Wait] = field(default_factory=dict)
    texts_by: dict[str, Side] = field(default_factory=dict)
    closing: Closing | None = None
    closed: list[tuple[Wait, bool]] = field(default_factory=list)  # those that did not hold; whether each answers
    did_not_hold: int = 0

    def read(self, happening: Happening) -> None:
        handler = HANDLERS.get(happening.kind)
        if handler:
            handler(self, happening)

    def commented(self, happening: Happening) -> None:
        side = self.texts_by[happening.comment] = self.cast.side(happening.actor)
        if side != Side.PARTNER:
            return
        if happening.data.get("unread"):
            self.notes.append("What a comment said before it was edited, nobody told us: it counts from the edit.")
        elif self.opened_at + TOO_SWIFT > happening.at:
            self.notes.append("An answer within seconds of the opening is an automatic one: it does not count.")
        else:
            self.answer(happening, happening.comment)

    def answer(self, happening: Happening, comment: str) -> None:
        if not is_answer(happening.text):
            self.notes.append("A comment of the partner that says nothing does not count as an answer.")
            return
        self.answers[comment] = Wait(happening.at, None, "Answered; the answer was taken back later", comment)
        if tells(happening.text):
            self.telling.add(comment)
        closing = self.closing
        if closing and closing.counts_from is None and closing.side in (Side.PARTNER, Side.OTHER):
            closing.counts_from = happening.at

    def comment_edited(self, happening: Happening) -> None:
        comment = happening.comment
        mine = self.texts_by.get(comment, self.cast.side(happening.actor)) == Side.PARTNER
        if mine and comment not in self.answers and is_answer(happening.text):
            self.notes.append("A comment became an answer when it was edited: it counts from then.")
            self.answer(happening, comment)

    def comment_deleted(self, happening: Happening) -> None:
        comment = happening.comment
        answer = self.answers.get(comment)
        if answer and answer.end is None:
            self.answers[comment] = Wait(answer.start, happening.at, answer.why, comment)
            self.notes.append("An answer was deleted: it does not count from then on.")

    @property
    def answered(self) -> bool:
        return any(answer.end is None for answer in self.answers.values())

    def only_asked(self, at: datetime) -> bool:
        """Whether all that stands is a question that the reporter has not had the time to answer."""
        since = self.waiting.since
        told = any(key in self.telling for key, answer in self.answers.items() if answer.end is None)
        return since is not None and at - since < SILENCE and not told

    def close(self, happening: Happening) -> None:
        if self.closing and self.closing.counts_from is not None:
            return
        side = self.cast.side(happening.actor)
        fix = bool(happening.data.get("commit")) and side == Side.PARTNER
        counts, note = self.judge(happening, side, fix)
        if note:
            self.notes.append(note)
        at = happening.at if counts else None
        self.closing = Closing(happening.at, happening.key, side, at, fix or side == Side.REPORTER)

    def judge(self, happening: Happening, side: Side, fix: bool) -> tuple[bool, str]:
        """Whether a closing counts, and what to say where it does not."""
        if side == Side.MACHINE:
            return False, "A machine closed the issue: that does not count."
        if not happening.actor.id:
            return False, "We do not know who closed the issue: that does not count."
        if side == Side.REPORTER or fix:
            return True, ""
        if self.only_asked(happening.at):
            return (
                False,
                "The issue was closed while the reporter was asked and nothing else said: that does not count.",
            )
        if self.answered:
            return True, ""
        return (
            False,
            "The issue was closed without an answer: that does not count before a person of the partner answers.",
        )

    def reopen(self, happening: Happening) -> None:
        closing, self.closing = self.closing, None
        if closing is None or closing.counts_from is None:
            return
        if closing.side != Side.REPORTER:
            self.did_not_hold += 1
            if self.did_not_hold > 1 and happening.at - closing.at < FLAPPING:
                self.notes.append("Closed and reopened again and again: the time between counts.")
                return
        why = f"{WORDS[closing.side]}; reopened later"
        self.closed.append((Wait(closing.counts_from, happening.at, why, closing.key), closing.answers))

    def of_respond(self) -> list[Wait]:
        """What stopped the first clock, in order."""
        lasting = [self._lasting(self.closing)] if self.closing and self.closing.answers else []
        answering = [wait for wait, answers in self.closed if answers]
        return sorted([*self.answers.values(), *answering, *filter(None, lasting)], key=_start)

    def of_resolve(self) -> list[Wait]:
        """What stopped the second clock, in order."""
        lasting = self._lasting(self.closing)
        return [*(wait for wait, _ in self.closed), *([lasting] if lasting else [])]

    @staticmethod
    def _lasting(closing: Closing | None) -> Wait | None:
        if closing is None or closing.counts_from is None:
            return None
        return Wait(closing.counts_from, None, WORDS[closing.side], closing.key)


def _start(wait: Wait) -> datetime:
    return wait.start


HANDLERS: dict[Kind, Callable[[Stops, Happening], None]] = {
    Kind.COMMENTED: Stops.commented,
    Kind.COMMENT_EDITED: Stops.comment_edited,
    Kind.COMMENT_DELETED: Stops.comment_deleted,
    Kind.CLOSED: Stops.close,
    Kind.REOPENED: Stops.reopen,
}
