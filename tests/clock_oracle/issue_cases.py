"""Random histories of issues from a seed, in steps of a quarter of an hour from the oracle's EPOCH.

A history says what people mean, not only what they write, so the oracle reads no text.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from integrations.programs.sla_policy import Binding, SeverityTargets, Sla, SlaTarget
from integrations.sla.engine.types import Actor
from portal.core.business_time import Calendar
from tests.clock_oracle.cases import ZONES, draw_calendar, list_offset_changes
from tests.clock_oracle.minute_clock import DAY

STEP = 15
HOUR_STEPS = 60 // STEP
DAY_STEPS = DAY // STEP
MAX_ACTIONS = 9
PEOPLE = {
    "reporter": Actor(1, "pat"),
    "maintainer": Actor(2, "dana", association="MEMBER"),
    "collaborator": Actor(3, "cory", association="COLLABORATOR"),
    "named": Actor(4, "nia"),  # the partner named this account
    "helper": Actor(5, "hugo"),  # belongs to the partner if it ever uses the rights of a collaborator
    "outsider": Actor(6, "robin", association="CONTRIBUTOR"),
    "bot": Actor(7, "stale[bot]", "Bot"),
    "second account": Actor(8, "pat-at-work"),  # of the reporter
    "bot user": Actor(9, "acme-bot", association="MEMBER"),
    "declared bot": Actor(10, "acmeservices", association="MEMBER"),
}
BOTS = frozenset({"bot", "bot user", "declared bot"})
WRITERS = (*PEOPLE, *("maintainer", "collaborator", "named") * 2)
CLOSERS = ("reporter", "second account", "maintainer", "maintainer", "named", "helper", "bot", "bot user")


class Meaning(StrEnum):
    """What an action means. The first group are comments."""

    ANSWER = "answer"
    QUESTION = "question"
    COURTESY = "courtesy"
    AUTOMATIC = "automatic"
    EDIT_TO_ANSWER = "edit to answer"
    DELETE = "delete"
    EDIT_REPORT = "edit report"
    LABEL_CRITICAL = "label critical"
    UNLABEL_CRITICAL = "unlabel critical"
    CLOSE = "close"
    FIX = "fix"  # closes by a commit
    REOPEN = "reopen"
    LOWER = "lower"
    EXCLUDE = "exclude"


TEXTS = {
    Meaning.ANSWER: ("The token is refreshed too late; a fix is on its way.", "Fixed in 1.2.3.", "Use `retry = 3`"),
    Meaning.QUESTION: (
        "Which version of the provider do you use?",
        "Does the plan fail, or only the apply?",
        "Where does the service run?",
    ),
    Meaning.COURTESY: ("Thanks!", "+1", "Hi, thank you very much for reporting this issue!"),
    Meaning.AUTOMATIC: (
        "This issue has been automatically marked as stale. Which version do you use?",
        "I'm out of office until May 4. Contact support@acme.example in urgent cases.",
    ),
}
OPEN_MEANINGS = (
    *(Meaning.ANSWER, Meaning.QUESTION, Meaning.COURTESY) * 2,
    *(Meaning.AUTOMATIC, Meaning.EDIT_TO_ANSWER, Meaning.DELETE, Meaning.EDIT_REPORT),
    *(Meaning.LABEL_CRITICAL, Meaning.LABEL_CRITICAL, Meaning.UNLABEL_CRITICAL, Meaning.LOWER),
    *(Meaning.CLOSE, Meaning.CLOSE, Meaning.FIX),
)
DUEL_MEANINGS = (Meaning.ANSWER, Meaning.QUESTION, Meaning.CLOSE, Meaning.CLOSE)  # the partner closes again and again
CLOSED_MEANINGS = (Meaning.REOPEN, Meaning.REOPEN, Meaning.ANSWER, Meaning.QUESTION, Meaning.COURTESY, Meaning.DELETE)


@dataclass(frozen=True)
class Action:
    """An action of a person. `number` identifies the comment that is written, edited, or deleted."""

    at: int
    who: str
    meaning: Meaning
    text: str = ""
    number: int = 0


@dataclass(frozen=True)
class IssueCase:
    """An issue, seen at `now` with data that is complete up to `known`."""

    calendar: Calendar
    sla: Sla
    opened: int
    opener: Actor
    actions: tuple[Action, ...]
    now: int
    known: int

    def __str__(self) -> str:
        story = [f"{each.at - self.opened} {each.who} {each.meaning} {each.number or ''}" for each in self.actions]
        targets = [f"{verb} {severity} {target}" for verb, severity, target in self.sla.list_targets()]
        seen = f"now {self.now - self.opened}, known {self.known - self.opened}"
        return f"{self.calendar.zone} from {self.opened}: {'; '.join([*story, seen, *targets])}"


def draw_cases(count: int, seed: int, calendars: int = 2) -> Iterator[IssueCase]:
    draw = random.Random(f"issues {seed}")
    for number in range(count):
        zone = ZONES[number % len(ZONES)]
        yield _draw_case(draw, zone, draw_calendar(zone, draw.randrange(calendars)))


def _draw_case(draw: random.Random, zone: str, days: Calendar) -> IssueCase:
    opened = draw.randrange(366 * DAY_STEPS, 6000 * DAY_STEPS)
    zone_changes = list_offset_changes(zone)
    if zone_changes and draw.random() < 0.3:
        opened = draw.choice(zone_changes) // STEP - draw.randrange(8 * DAY_STEPS)
    opener = PEOPLE["reporter"]
    if draw.random() < 0.1:
        opener = draw.choice((Actor(1, "pat", association="MEMBER"), PEOPLE["bot"]))
    actions = tuple(_draw_actions(draw, opened))
    last = actions[-1].at if actions else opened
    now = draw.choice((last, last + draw.randrange(20 * DAY_STEPS), opened + draw.randrange(last - opened + 1)))
    known = draw.choice((now, now, now + 1, draw.randrange(opened, now + 1)))
    return IssueCase(days, _draw_sla(draw), opened, opener, actions, now, known)


def _draw_sla(draw: random.Random) -> Sla:
    published = SeverityTargets(SlaTarget(hours=48), SlaTarget(business_days=5))
    verbs = [
        published if draw.random() < 0.3 else SeverityTargets(_draw_target(draw), _draw_target(draw)) for _ in range(2)
    ]
    respond, resolve = (None if draw.random() < 0.2 else targets for targets in verbs)
    return Sla("", respond, resolve)


def _draw_target(draw: random.Random) -> SlaTarget | None:
    binding: Binding = draw.choice(("required", "required", "ideal"))
    roll = draw.random()
    if roll < 0.15:
        return None
    if roll < 0.55:
        return SlaTarget(hours=draw.choice((1, 4, 24, 48, 72)), binding=binding)
    return SlaTarget(business_days=draw.choice((1, 2, 5, 5, 8)), binding=binding)


def _draw_actions(draw: random.Random, opened: int) -> Iterator[Action]:
    """Yield actions that GitHub allows, at different times, except that the first can come within 30 seconds."""
    at = opened - 1
    is_open = True
    comments: list[Action] = []
    is_duel = draw.random() < 0.15
    open_meanings, closed_meanings = (DUEL_MEANINGS, (Meaning.REOPEN,)) if is_duel else (OPEN_MEANINGS, CLOSED_MEANINGS)
    for number in range(1, draw.randrange(MAX_ACTIONS) + 1):
        at += _draw_pause(draw, is_long=is_duel)
        meaning = draw.choice(open_meanings if is_open else closed_meanings)
        if meaning in TEXTS:
            action = Action(at, draw.choice(WRITERS), meaning, draw.choice(TEXTS[meaning]), number)
            comments.append(action)
        elif meaning in (Meaning.EDIT_TO_ANSWER, Meaning.DELETE):
            candidates = [each for each in comments if meaning == Meaning.DELETE or _is_editable(each)]
            if not candidates:
                continue
            comment = draw.choice(candidates)
            comments.remove(comment)
            if meaning == Meaning.EDIT_TO_ANSWER:
                comments.append(Action(comment.at, comment.who, Meaning.ANSWER, number=comment.number))
            action = Action(at, comment.who, meaning, TEXTS[Meaning.ANSWER][0], comment.number)
        else:
            action = _draw_change(draw, at, meaning)
        if meaning in (Meaning.CLOSE, Meaning.FIX, Meaning.REOPEN):
            is_open = meaning == Meaning.REOPEN
        yield action


def _draw_pause(draw: random.Random, *, is_long: bool) -> int:
    """Return the steps to the next action, often near the 14 days of the rules."""
    if is_long and draw.random() < 0.4:
        return 14 * DAY_STEPS + draw.choice((-DAY_STEPS, -1, 0, 1))
    return draw.choice((1, 2, HOUR_STEPS, draw.randrange(1, DAY_STEPS), draw.randrange(1, 9 * DAY_STEPS)))


def _is_editable(comment: Action) -> bool:
    return comment.meaning in (Meaning.COURTESY, Meaning.AUTOMATIC)


def _draw_change(draw: random.Random, at: int, meaning: Meaning) -> Action:
    """Return a change of the issue by someone who may make it."""
    if meaning == Meaning.EDIT_REPORT:
        return Action(at, draw.choice(("reporter", "reporter", "maintainer", "second account")), meaning)
    if meaning == Meaning.LOWER:
        return Action(at, "program", Meaning.EXCLUDE if draw.random() < 0.1 else meaning)
    if meaning == Meaning.FIX:
        return Action(at, draw.choice(("maintainer", "named")), meaning)
    return Action(at, draw.choice(CLOSERS), meaning)
