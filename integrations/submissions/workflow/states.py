"""Which states are there, and whose turn is it? Pure: plain values in, plain values out."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from integrations.programs.schema import ENDS, OPEN_STAGES, Stage

__all__ = [
    "ENDS",
    "OPEN_STAGES",
    "OUTAGE",
    "Facts",
    "Holder",
    "Process",
    "ReviewState",
    "Stage",
    "Standing",
    "Status",
    "Turn",
    "turn_of",
]


class Standing(StrEnum):
    """What a listed integration may say of itself: a second machine beside the stage."""

    NONE = "none"
    VERIFIED = "verified"
    NOTICE = "notice"
    SUSPENDED = "suspended"
    REMOVED = "removed"


class Process(StrEnum):
    """Where the due process of a standing is: who has to move before anything follows."""

    NONE = ""
    ASKED = "asked"  # a notice is suggested, or a reinstatement is asked for
    RUNNING = "running"  # the partner has until the due moment
    ENDED = "ended"  # the due moment has passed; nothing follows before a person decides
    ACTED = "acted"  # held: the partner acted after the notice
    APPEALED = "appealed"  # held: the partner appealed


class ReviewState(StrEnum):
    """Where a review round is: nobody asked, the program looks, the partner changes."""

    NONE = ""
    WAITING = "waiting"
    CHANGES = "changes"


class Status(StrEnum):
    """What has become of one requirement. The machine's outcomes stand here too."""

    OPEN = "open"
    GIVEN = "given"
    WAITING = "waiting"  # given by one side, the other side's part is open
    NOT_NEEDED = "not_needed"
    WAIVED = "waived"
    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    ERROR = "error"
    NOT_RUN = "not_run"
    STALE = "stale"


MET = frozenset({Status.GIVEN, Status.NOT_NEEDED, Status.PASS, Status.WARN})  # a waiver counts while unexpired


class Holder(StrEnum):
    """Who has the turn. Exactly one for every open integration."""

    PARTNER = "partner"
    PROGRAM = "program"
    MACHINE = "machine"
    THIRD_PARTY = "third_party"


OUTAGE = "outage"  # the machine's turn while it cannot look: kept apart in the history, ours and never the partner's


@dataclass(frozen=True, slots=True)
class Missing:
    """A requirement that is not met: its id, its title, who can move it, and the verb of what they do.

    `group`: the any-of group that it is one of, and `enough`: how many more of that group are; blank and 0 where it
    stands alone. `after_findings`: it is asked for when no finding waits for an answer.
    """

    id: str
    title: str
    holder: Holder
    verb: str = "Settle"
    group: str = ""
    enough: int = 0
    after_findings: bool = False

    @property
    def choice(self) -> str:
        """Said beside one of an any-of group; blank for what stands alone."""
        return "" if not self.enough else "one of these is enough" if self.enough == 1 else f"{self.enough} are enough"


def how_many(missing: Collection[Missing]) -> int:
    """How many of them have to be settled: of an any-of group as many as are enough."""
    groups = {item.group: item.enough for item in missing if item.group}
    return sum(not item.group for item in missing) + sum(groups.values())


@dataclass(frozen=True, slots=True)
class Facts:
    """What the turn depends on, as plain values.

    `missing`: requirements that block the next position, in the path's order; `next_stage`: the stage of the
    next position, None in support; `reasons`: further things the program has to do (a meeting to accept).
    """

    stage: Stage
    step: str
    next_step: str = ""
    next_stage: Stage | None = None
    hold: Holder | None = None
    hold_reason: str = ""
    review: ReviewState = ReviewState.NONE
    round: int = 0
    open_findings: int = 0
    fixed_findings: int = 0
    missing: tuple[Missing, ...] = ()
    asked: tuple[Missing, ...] = ()  # in review: what the program waits for the partner to answer
    tier_request: str = ""
    broken: tuple[Missing, ...] = ()  # in support: requirements that are no longer met
    renewals: tuple[Missing, ...] = ()  # in support: agreements whose next version one side has signed
    standing: Standing = Standing.NONE
    process: Process = Process.NONE
    standing_ask: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """Who holds an open integration, and the one sentence and button that follow from it.

    `target`: where the button leads: "requirement:ID", "step:NAME", "findings", "review" or "".
    """

    holder: Holder
    action: str
    target: str = ""


def turn_of(facts: Facts) -> Turn | None:
    """Whose turn it is; None for an integration that has ended."""
    if facts.stage in ENDS:
        return None
    if facts.hold is not None:
        return Turn(facts.hold, f"On hold: {facts.hold_reason}")
    if facts.stage == Stage.REVIEW:
        return _in_review(facts)
    if facts.stage == Stage.SUPPORT:
        return _in_support(facts)
    if facts.missing:
        return _for_missing(facts.missing)
    if facts.stage == Stage.RELEASE:
        return Turn(Holder.PROGRAM, "List the integration", "step:release")
    if facts.next_stage == Stage.REVIEW:
        return Turn(Holder.PARTNER, "Request the review", "step:request_review")
    return Turn(Holder.PARTNER, f"Complete {facts.step}", "step:advance")


def _in_review(facts: Facts) -> Turn:
    if facts.review == ReviewState.CHANGES:
        return _in_changes(facts)
    if facts.asked:
        return _for_missing(facts.asked)
    return Turn(Holder.PROGRAM, f"Review round {facts.round}", "review")


def _in_changes(facts: Facts) -> Turn:
    """The partner's own requirements come first, then the findings, what is asked after them, then the next round."""
    own = tuple(item for item in facts.missing if item.holder == Holder.PARTNER)
    first = tuple(item for item in own if not item.after_findings)
    if first:
        return _for_missing(first)
    if facts.open_findings:
        word = "finding" if facts.open_findings == 1 else "findings"
        return Turn(Holder.PARTNER, f"Answer {facts.open_findings} {word}", "findings")
    if own:
        return _for_missing(own)
    return Turn(Holder.PARTNER, "Request the review again", "step:request_again")


PROCESS_TURNS: dict[tuple[Standing, Process], tuple[Holder, str]] = {
    (Standing.NOTICE, Process.RUNNING): (Holder.PARTNER, "Answer the notice"),
    (Standing.NOTICE, Process.ENDED): (Holder.PROGRAM, "Decide on the suspension: the grace period has ended"),
    (Standing.NOTICE, Process.ACTED): (Holder.PROGRAM, "Look at what the partner did after the notice"),
    (Standing.NOTICE, Process.APPEALED): (Holder.PROGRAM, "Decide on the appeal against the notice"),
    (Standing.SUSPENDED, Process.RUNNING): (Holder.PARTNER, "Settle what the suspension rests on"),
    (Standing.SUSPENDED, Process.ENDED): (Holder.PROGRAM, "Decide on the removal: the period has ended"),
    (Standing.SUSPENDED, Process.ACTED): (Holder.PROGRAM, "Look at what the partner did after the suspension"),
    (Standing.SUSPENDED, Process.APPEALED): (Holder.PROGRAM, "Decide on the appeal against the suspension"),
}
AT_REST = {
    Standing.REMOVED: "Nothing to do: it was removed from the listing",
    Standing.NONE: "Nothing to do: its company no longer promises support",
}


def _of_standing(facts: Facts) -> Turn | None:
    """The turn that follows from the due process; None where the standing asks nothing of anybody."""
    if facts.process == Process.ASKED:
        return Turn(Holder.PROGRAM, f"Decide: {facts.standing_ask}", "standing")
    if (facts.standing, facts.process) in PROCESS_TURNS:
        return Turn(*PROCESS_TURNS[facts.standing, facts.process], "standing")
    if facts.standing in AT_REST:
        return Turn(Holder.MACHINE, AT_REST[facts.standing], "standing")
    return None


def _in_support(facts: Facts) -> Turn:
    of_standing = _of_standing(facts)
    if of_standing is not None:
        return of_standing
    if facts.broken:
        return _for_missing(facts.broken)
    if facts.renewals:
        return _for_missing(facts.renewals)
    if facts.tier_request:
        return Turn(Holder.PROGRAM, f"Decide on the tier {facts.tier_request}", "review")
    return Turn(Holder.MACHINE, "Nothing to do: the portal keeps watch")


def _for_missing(missing: tuple[Missing, ...]) -> Turn:
    """The partner's own items come first: while there is one, nothing else is worth waiting for."""
    for holder in (Holder.PARTNER, Holder.PROGRAM, Holder.MACHINE, Holder.THIRD_PARTY):
        for item in missing:
            if item.holder == holder:
                return Turn(holder, f"{item.verb}: {item.title}", f"requirement:{item.id}")
    raise AssertionError("a missing requirement without a holder")
