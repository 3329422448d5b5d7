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
TRANSIENT_STATUSES = (408, 425, 429)  # a later request can succeed
# What is true of one link, and of several
PREDICATES = {
    Outcome.PASS: ("works", "work"),
    Outcome.FAIL: ("is broken", "are broken"),
    Outcome.ERROR: ("didn't respond to us", "didn't respond to us"),
    Outcome.NOT_RUN: ("points to an address that we don't request", "point to addresses that we don't request"),
    Outcome.WARN: ("refuses automated requests", "refuse automated requests"),
}


@dataclass(frozen=True, slots=True)
class LinkResult:
    """A URL and its result. `outcome` is ERROR after an outage, NOT_RUN if we don't request the URL."""

    address: str
    outcome: Outcome
    description: str

    @property
    def evidence(self) -> Evidence:
        return Evidence(self.description, self.address, self.address)


def check_link(sources: Sources, address: str) -> LinkResult:
    """Return the result for a URL, read once per run."""
    try:
        response: SourceResponse = sources.read(f"page:{address}", lambda: sources.web.request(address, PAGE))
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


def is_refusal(status: int) -> bool:
    """Return whether the server exists but refuses automated clients, as it will the next time."""
    return 400 <= status < 500 and status not in (*GONE_STATUSES, *TRANSIENT_STATUSES)


def _determine_outcome(status: int) -> Outcome:
    if 200 <= status < 300:
        return Outcome.PASS
    if status in GONE_STATUSES:
        return Outcome.FAIL
    return Outcome.WARN if is_refusal(status) else Outcome.ERROR


def summarize_links(link_results: Iterable[LinkResult], *, dead_outcome: Outcome = Outcome.FAIL) -> Result:
    """Return the result for several URLs: the worst of theirs.

    Args:
        dead_outcome: Outcome of a broken link.
    """
    results = list(link_results)
    if not results:
        return Result(Outcome.NOT_RUN, "No URLs found. After you add links, run the checks again.")
    worst_outcome = get_worst_outcome(result.outcome for result in results)
    count = sum(result.outcome == worst_outcome for result in results)
    evidence = [
        result.evidence for result in results if worst_outcome == Outcome.PASS or result.outcome != Outcome.PASS
    ]
    outcome = dead_outcome if worst_outcome == Outcome.FAIL else worst_outcome
    return Result(outcome, _describe_links(worst_outcome, count, len(results)), tuple(evidence[:10]))


def _describe_links(outcome: Outcome, count: int, total: int) -> str:
    subject = f"All {total} links" if outcome == Outcome.PASS else f"{count} of {total} links"
    return f"{'The only link' if total == 1 else subject} {PREDICATES[outcome][count > 1]}."
