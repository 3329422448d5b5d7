"""Do addresses answer? Each is asked through the guarded client, and what no answer told stays untold."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from verification.outcomes import Evidence, Outcome
from verification.sources import Sources
from verification.sources.errors import RequestRefusedError, SourceUnavailableError
from verification.sources.http.client import PAGE, ResponseTooLargeError, SourceResponse

GONE_STATUSES = (404, 410)
LINKS_MAX_AGE = timedelta(days=7)  # a page elsewhere that is down for a weekend takes nobody's standing
TIME_LIMIT_SECONDS = 60.0  # in which the addresses of one check are begun
CLOSED_STATUSES = (401, 403, 405, 451)  # somebody is there who does not speak to machines


@dataclass(frozen=True, slots=True)
class LinkResult:
    """An address and what came of it. `outcome` is ERROR after an outage, NOT_RUN where we do not ask it."""

    address: str
    outcome: Outcome
    description: str

    @property
    def evidence(self) -> Evidence:
        return Evidence(self.description, self.address, self.address if self.address.startswith("https://") else "")


def check_link(sources: Sources, address: str) -> LinkResult:
    """What the address answers; read once in a run."""
    try:
        response: SourceResponse = sources.read(f"page:{address}", lambda: sources.web.ask(address, PAGE))
    except ResponseTooLargeError:
        return LinkResult(address, Outcome.PASS, "answers with a large file")
    except RequestRefusedError as refusal:
        return LinkResult(address, Outcome.NOT_RUN, f"not asked: {refusal}")
    except SourceUnavailableError as outage:
        return LinkResult(address, Outcome.ERROR, str(outage))
    return LinkResult(address, _determine_outcome(response.status), f"answered {response.status_line}")


def check_links(sources: Sources, addresses: Iterable[str]) -> Iterator[LinkResult]:
    """What each address answers. Those whose turn does not come in time count as our outage."""
    deadline = time.monotonic() + TIME_LIMIT_SECONDS
    for address in addresses:
        if time.monotonic() < deadline:
            yield check_link(sources, address)
        else:
            yield LinkResult(address, Outcome.ERROR, "not asked yet: the ones before took so long")


def _determine_outcome(status: int) -> Outcome:
    if status == 200:
        return Outcome.PASS
    if status in GONE_STATUSES:
        return Outcome.FAIL
    return Outcome.WARN if status in CLOSED_STATUSES else Outcome.ERROR


def summarize_links(
    link_results: Iterable[LinkResult], *, dead_outcome: Outcome = Outcome.FAIL
) -> tuple[Outcome, str, tuple[Evidence, ...]]:
    """Outcome, sentence and evidence for a number of addresses; `dead_outcome` is what one that is gone counts as."""
    results = list(link_results)
    results_by_outcome = {outcome: [result for result in results if result.outcome == outcome] for outcome in Outcome}
    evidence = tuple(result.evidence for result in results if result.outcome != Outcome.PASS)[:10]
    if not results:
        return Outcome.NOT_RUN, "There is no address that could be asked.", ()
    if results_by_outcome[Outcome.FAIL]:
        return (
            dead_outcome,
            f"{len(results_by_outcome[Outcome.FAIL])} of {len(results)} addresses lead nowhere.",
            evidence,
        )
    if results_by_outcome[Outcome.ERROR]:
        return (
            Outcome.ERROR,
            f"{len(results_by_outcome[Outcome.ERROR])} of {len(results)} addresses did not answer us.",
            evidence,
        )
    if results_by_outcome[Outcome.NOT_RUN]:
        return (
            Outcome.NOT_RUN,
            f"{len(results_by_outcome[Outcome.NOT_RUN])} of {len(results)} addresses are not asked by us.",
            evidence,
        )
    if results_by_outcome[Outcome.WARN]:
        return (
            Outcome.WARN,
            f"{len(results_by_outcome[Outcome.WARN])} of {len(results)} addresses do not answer machines.",
            evidence,
        )
    return Outcome.PASS, f"All {len(results)} addresses answer.", tuple(result.evidence for result in results)[:10]
