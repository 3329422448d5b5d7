"""Reachability of links, read through the restricted HTTP client."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verification.outcomes import Evidence, Outcome, Result, get_worst_outcome
from verification.sources import Sources
from verification.sources.errors import RequestRefusedError, SourceUnavailableError
from verification.sources.http.client import PAGE, ResponseTooLargeError, SourceResponse

GONE_STATUSES = (404, 410)
TIME_LIMIT_SECONDS = 60.0  # limit for starting the requests of one check
CLOSED_STATUSES = (401, 403, 405, 451)  # the server exists but refuses automated clients
SUMMARIES = {
    Outcome.PASS: "All {total} links work.",
    Outcome.FAIL: "{count} of {total} links are broken.",
    Outcome.ERROR: "{count} of {total} links didn't respond to us.",
    Outcome.NOT_RUN: "{count} of {total} links point to addresses that we don't request.",
    Outcome.WARN: "{count} of {total} links refuse automated requests.",
}


@dataclass(frozen=True, slots=True)
class LinkResult:
    """A URL and its result. `outcome` is ERROR after an outage, NOT_RUN if we don't request the URL."""

    address: str
    outcome: Outcome
    description: str

    @property
    def evidence(self) -> Evidence:
        return Evidence(self.description, self.address, self.address if self.address.startswith("https://") else "")


def check_link(sources: Sources, address: str) -> LinkResult:
    """Return the result for a URL, read once per run."""
    try:
        response: SourceResponse = sources.read(f"page:{address}", lambda: sources.web.ask(address, PAGE))
    except ResponseTooLargeError:
        return LinkResult(address, Outcome.PASS, "returned a large file")
    except RequestRefusedError as refusal:
        return LinkResult(address, Outcome.NOT_RUN, f"not requested: {refusal}")
    except SourceUnavailableError as outage:
        return LinkResult(address, Outcome.ERROR, str(outage))
    return LinkResult(address, _determine_outcome(response.status), f"returned {response.status_line}")


def check_links(sources: Sources, addresses: Iterable[str]) -> Iterator[LinkResult]:
    """Return the result for each URL. URLs that we can't request in time count as an outage on our side."""
    deadline = time.monotonic() + TIME_LIMIT_SECONDS
    for address in addresses:
        if time.monotonic() < deadline:
            yield check_link(sources, address)
        else:
            yield LinkResult(address, Outcome.ERROR, "not requested yet because earlier links took too long")


def _determine_outcome(status: int) -> Outcome:
    if status == 200:
        return Outcome.PASS
    if status in GONE_STATUSES:
        return Outcome.FAIL
    return Outcome.WARN if status in CLOSED_STATUSES else Outcome.ERROR


def summarize_links(link_results: Iterable[LinkResult], *, dead_outcome: Outcome = Outcome.FAIL) -> Result:
    """Return the result for several URLs: the worst of theirs.

    Args:
        dead_outcome: Outcome of a broken link.
    """
    results = list(link_results)
    if not results:
        return Result(Outcome.NOT_RUN, "There is no URL to check.")
    worst_outcome = get_worst_outcome(result.outcome for result in results)
    count = sum(result.outcome == worst_outcome for result in results)
    evidence = [
        result.evidence for result in results if worst_outcome == Outcome.PASS or result.outcome != Outcome.PASS
    ]
    outcome = dead_outcome if worst_outcome == Outcome.FAIL else worst_outcome
    return Result(outcome, SUMMARIES[worst_outcome].format(count=count, total=len(results)), tuple(evidence[:10]))
