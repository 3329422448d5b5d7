"""What follows from everything that happened to an issue? A pure function: the same facts give the same state.

The order in which facts arrive, and how often, changes nothing. The rules, for all to read: docs/sla.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from integrations.programs.schema import Verb
from integrations.sla.engine.clock import Promise, measure, promises
from integrations.sla.engine.participants import Cast, Side, cast_of, is_machine, is_of_the_partner
from integrations.sla.engine.pause_rules import Wait, Waiting
from integrations.sla.engine.severity import severity_of, telling_of
from integrations.sla.engine.stop_rules import Stops
from integrations.sla.engine.types import DENIED, Asked, ClockState, Happening, IssueState, Kind, Severity, Watching
from portal.core.business_time import INSTANT

# of facts of one second, as GitHub tells the time: words before the act that they go with, closed before reopened
ORDER = {kind: n for n, kind in enumerate(Kind)} | {Kind.CLOSED: 50, Kind.REOPENED: 51}
ATTEMPTS = {
    Kind.TRANSFERRED: "The issue was transferred: its clocks go on.",
    Kind.DELETED: "The issue was deleted: its clocks go on.",
    Kind.LOCKED: "The conversation was locked: the clocks go on.",
}
UNKNOWN = "A webhook told of something that GitHub does not know: it does not count."
WORDS = (Kind.OPENED, Kind.COMMENTED)
BROKEN = (Watching.LATE, Watching.OVERDUE)
SPOKEN = frozenset({Kind.COMMENTED, Kind.COMMENT_EDITED, Kind.COMMENT_DELETED})


@dataclass(frozen=True, slots=True)
class Reading:
    """An issue read once, in order. `telling`: those of its happenings that say how severe it is."""

    happenings: list[Happening]
    telling: list[Happening]
    opened: Happening
    cast: Cast
    stops: Stops
    waiting: Waiting


def fold(happenings: Iterable[Happening], asked: Asked) -> IssueState:
    """The state of an issue at `asked.now`. Raises ValueError where the facts do not hold its opening."""
    happenings = list(happenings)
    reading = _read(in_order(happenings, asked.now), asked)
    severity, _ = severity_of(reading.telling, asked.policy, asked.now)
    covered = not is_machine(reading.opened.actor, asked.policy) and not _let_off(reading.happenings)
    found = [_clock(verb, reading, asked, covered) for verb in (Verb.RESPOND, Verb.RESOLVE)]
    clocks = respond, resolve = _begun(found, reading.happenings) if asked.segments else found
    spoke_last, spoke_last_at = _spoke_last(reading)
    return IssueState(
        severity=severity,
        is_open=_is_open(reading.happenings),
        covered=covered,
        respond=respond,
        resolve=resolve,
        spoke_last=spoke_last,
        spoke_last_at=spoke_last_at,
        notes=(*_notes(reading, asked, clocks), *([UNKNOWN] if denied_in(happenings) else [])),
    )


def in_order(happenings: Iterable[Happening], until: datetime) -> list[Happening]:
    """Each fact once, as they happened, up to a moment. An act told under two keys is one: that with a link is kept,
    and that which says more. A guess at who rewrote a report goes where somebody told. What is denied is left out,
    with all that was told of a comment that is not there.
    """
    happenings = list(happenings)
    known: dict[object, Happening] = {}
    guesses, denied = [], denied_in(happenings)
    for happening in happenings:
        if happening.at > until or (denied and _is_denied(happening, denied)):
            continue
        if "guessed" in happening.data:
            guesses.append(happening)
            continue
        name = _name(happening)
        other = known.get(name)
        if other is None or _rank(happening) > _rank(other):
            known[name] = happening
    if guesses:
        told = {h.text for h in known.values() if h.kind == Kind.EDITED and h.data.get("body")}
        known |= {guess.key: guess for guess in guesses if guess.text not in told}
    return sorted(known.values(), key=lambda h: (h.at, ORDER[h.kind], h.key))


def denied_in(happenings: Iterable[Happening]) -> set[object]:
    """The keys of the facts and comments that GitHub does not know."""
    denials = [happening.data for happening in happenings if DENIED in happening.data]
    return {key for data in denials for key in (data[DENIED], data.get("comment")) if key}


def _is_denied(happening: Happening, denied: set[object]) -> bool:
    comment = happening.comment if happening.kind in SPOKEN else ""
    return DENIED in happening.data or happening.key in denied or comment in denied


def _name(happening: Happening) -> object:
    """What two tellings of one fact share."""
    if happening.kind == Kind.COMMENTED:
        return happening.comment
    if happening.kind in SPOKEN:
        return happening.key
    return happening.kind, happening.at, happening.actor.id, happening.label


def _rank(happening: Happening) -> tuple[bool, bool, str]:
    return "unread" not in happening.data, happening.key.startswith("event:"), happening.key


def _read(happenings: list[Happening], asked: Asked) -> Reading:
    opened = next((h for h in happenings if h.kind == Kind.OPENED), None)
    if opened is None:
        raise ValueError("Nothing says when this issue was opened.")
    cast = cast_of(happenings, opened, asked.policy)
    telling = telling_of(happenings)
    waiting = Waiting(cast)
    reading = Reading(happenings, telling, opened, cast, Stops(cast, opened.at, waiting), waiting)
    for happening in happenings:
        reading.stops.read(happening)
        reading.waiting.read(happening)
    return reading


def _clock(verb: Verb, reading: Reading, asked: Asked, covered: bool) -> ClockState:
    opened = reading.opened.at
    if not covered:
        return ClockState(verb, False, Severity.OTHER, Watching.OFF, opened)
    stops = reading.stops.of_respond() if verb == Verb.RESPOND else reading.stops.of_resolve()
    waits = reading.waiting.found() if verb == Verb.RESOLVE else []
    broken = _broken_before_lowered(verb, reading, stops, waits, asked)
    if broken is not None:
        return broken
    found = _promises(verb, reading, asked, asked.now)
    state = measure(verb, found, stops, waits, asked)
    if state.stopped_at is None:
        return state
    at_the_stop = _promises(verb, reading, asked, state.stopped_at)  # a label put later changes nothing
    return state if at_the_stop == found else measure(verb, at_the_stop, stops, waits, asked)


def _begun(clocks: list[ClockState], happenings: list[Happening]) -> list[ClockState]:
    """The clocks, each time that counts with the key of the fact that began it; after a day off none did."""
    keys: dict[datetime, str] = {}
    for happening in happenings:
        keys.setdefault(happening.at, happening.key)
    named = (
        tuple(replace(s, key=keys.get(s.start, "")) if s.counted else s for s in clock.segments) for clock in clocks
    )
    return [replace(clock, segments=segments) for clock, segments in zip(clocks, named, strict=True)]


def _broken_before_lowered(
    verb: Verb, reading: Reading, stops: list[Wait], waits: list[Wait], asked: Asked
) -> ClockState | None:
    """The clock as it was broken before the program lowered the severity: that takes nothing back. Else None."""
    for lowered in (h.at for h in reading.telling if h.kind == Kind.SEVERITY_LOWERED):
        state = measure(verb, _promises(verb, reading, asked, lowered - INSTANT), stops, waits, asked)
        in_time = state.stopped_at and state.due_at and state.stopped_at <= state.due_at
        if state.promised and state.due_at and state.due_at <= lowered and not in_time:
            return state
    return None


def _promises(verb: Verb, reading: Reading, asked: Asked, until: datetime) -> list[Promise]:
    _, since = severity_of(reading.telling, asked.policy, until)
    return promises(asked.policy.sla, verb, reading.opened.at, since, asked.calendar)


def _let_off(happenings: Iterable[Happening]) -> bool:
    return any(happening.kind == Kind.NOT_AN_ISSUE for happening in happenings)


def _is_open(happenings: Iterable[Happening]) -> bool:
    acts = [h.kind for h in happenings if h.kind in (Kind.CLOSED, Kind.REOPENED, Kind.DELETED)]
    return not acts or acts[-1] == Kind.REOPENED


def _spoke_last(reading: Reading) -> tuple[str, datetime | None]:
    for happening in reversed(reading.happenings):
        side = reading.cast.side(happening.actor)
        if happening.kind in WORDS and side != Side.MACHINE:
            return str(side), happening.at
    return "", None


def _notes(reading: Reading, asked: Asked, clocks: list[ClockState]) -> tuple[str, ...]:
    """What was tried and does not count, and what is only ideal. Each sentence once."""
    acts = [ATTEMPTS[h.kind] for h in reading.happenings if h.kind in ATTEMPTS]
    notes = [
        *_about_the_opening(reading.opened, asked),
        *reading.stops.notes,
        *reading.waiting.notes,
        *acts,
        *_lowered_too_late(reading, clocks),
        *_ideal(reading, asked),
    ]
    return tuple(dict.fromkeys(notes))


def _about_the_opening(opened: Happening, asked: Asked) -> list[str]:
    if is_machine(opened.actor, asked.policy):
        return ["A machine opened this issue: no promise covers it."]
    if is_of_the_partner(opened, asked.policy):
        return ["The partner opened this issue itself: it is covered until the program lets it off."]
    return []


def _lowered_too_late(reading: Reading, clocks: list[ClockState]) -> list[str]:
    lowered = any(h.kind == Kind.SEVERITY_LOWERED for h in reading.telling)
    broken = any(c.severity == Severity.CRITICAL and c.promised and c.state in BROKEN for c in clocks)
    return ["The severity was lowered after the due moment: what was late stays late."] if lowered and broken else []


def _ideal(reading: Reading, asked: Asked) -> list[str]:
    severity, since = severity_of(reading.telling, asked.policy, asked.now)
    target = asked.policy.sla.critical
    if severity != Severity.CRITICAL or since is None or target is None or not target.ideally or target.hours is None:
        return []
    moment = since + timedelta(hours=target.hours)
    return [
        f"Critical: ideally within {target.hours} hours, by {moment:%a} {moment.day} {moment:%b}, {moment:%H:%M} UTC."
    ]
