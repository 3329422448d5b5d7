"""Do addresses answer? Each is asked through the guarded client, and what no answer told stays untold."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from verification.outcomes import Evidence, Outcome
from verification.sources import Sources
from verification.sources.errors import Refused, Unavailable
from verification.sources.http.client import PAGE, Answer, TooLong

GONE = (404, 410)
LINKS_FRESH = timedelta(days=7)  # a page elsewhere that is down for a weekend takes nobody's standing
SECONDS = 60.0  # in which the addresses of one check are begun
CLOSED = (401, 403, 405, 451)  # somebody is there who does not speak to machines


@dataclass(frozen=True, slots=True)
class Asked:
    """An address and what came of it. `outcome` is ERROR after an outage, NOT_RUN where we do not ask it."""

    address: str
    outcome: Outcome
    said: str

    @property
    def evidence(self) -> Evidence:
        return Evidence(self.said, self.address, self.address if self.address.startswith("https://") else "")


def ask(sources: Sources, address: str) -> Asked:
    """What the address answers; read once in a run."""
    try:
        answer: Answer = sources.read(f"page:{address}", lambda: sources.web.ask(address, PAGE))
    except TooLong:
        return Asked(address, Outcome.PASS, "answers with a large file")
    except Refused as refusal:
        return Asked(address, Outcome.NOT_RUN, f"not asked: {refusal}")
    except Unavailable as outage:
        return Asked(address, Outcome.ERROR, str(outage))
    return Asked(address, _outcome(answer.status), f"answered {answer.status_line}")


def ask_all(sources: Sources, addresses: Iterable[str]) -> Iterator[Asked]:
    """What each address answers. Those whose turn does not come in time count as our outage."""
    until = time.monotonic() + SECONDS
    for address in addresses:
        if time.monotonic() < until:
            yield ask(sources, address)
        else:
            yield Asked(address, Outcome.ERROR, "not asked yet: the ones before took so long")


def _outcome(status: int) -> Outcome:
    if status == 200:
        return Outcome.PASS
    if status in GONE:
        return Outcome.FAIL
    return Outcome.WARN if status in CLOSED else Outcome.ERROR


def judged(asked: Iterable[Asked], *, dead: Outcome = Outcome.FAIL) -> tuple[Outcome, str, tuple[Evidence, ...]]:
    """Outcome, sentence and evidence for a number of addresses; `dead` is what one that is gone counts as."""
    rows = list(asked)
    by = {outcome: [row for row in rows if row.outcome == outcome] for outcome in Outcome}
    seen = tuple(row.evidence for row in rows if row.outcome != Outcome.PASS)[:10]
    if not rows:
        return Outcome.NOT_RUN, "There is no address that could be asked.", ()
    if by[Outcome.FAIL]:
        return dead, f"{len(by[Outcome.FAIL])} of {len(rows)} addresses lead nowhere.", seen
    if by[Outcome.ERROR]:
        return Outcome.ERROR, f"{len(by[Outcome.ERROR])} of {len(rows)} addresses did not answer us.", seen
    if by[Outcome.NOT_RUN]:
        return Outcome.NOT_RUN, f"{len(by[Outcome.NOT_RUN])} of {len(rows)} addresses are not asked by us.", seen
    if by[Outcome.WARN]:
        return Outcome.WARN, f"{len(by[Outcome.WARN])} of {len(rows)} addresses do not answer machines.", seen
    return Outcome.PASS, f"All {len(rows)} addresses answer.", tuple(row.evidence for row in rows)[:10]
