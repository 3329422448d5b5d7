"""Reachability of links, read through the restricted HTTP client."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verification.outcomes import Evidence, Outcome
from verification.sources import Sources
from verification.sources.errors import RequestRefusedError, SourceUnavailableError
from verification.sources.http.client import PAGE, ResponseTooLargeError, SourceResponse

GONE_STATUSES = (404, 410)
TIME_LIMIT_SECONDS = 60.0  # limit for starting the requests of one check
CLOSED_STATUSES = (401, 403, 405, 451)  # the server exists but refuses automated clients


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


def summarize_links(
    link_results: Iterable[LinkResult], *, dead_outcome: Outcome = Outcome.FAIL
) -> tuple[Outcome, str, tuple[Evidence, ...]]:
    """Return the outcome, summary and evidence for several URLs.

    Args:
        dead_outcome: Outcome of a broken link.
    """
    results = list(link_results)
    results_by_outcome = {outcome: [result for result in results if result.outcome == outcome] for outcome in Outcome}
    evidence = tuple(result.evidence for result in results if result.outcome != Outcome.PASS)[:10]
    if not results:
        return Outcome.NOT_RUN, "There is no URL to check.", ()
    if results_by_outcome[Outcome.FAIL]:
        return (dead_outcome, f"{len(results_by_outcome[Outcome.FAIL])} of {len(results)} links are broken.", evidence)
    if results_by_outcome[Outcome.ERROR]:
        return (
            Outcome.ERROR,
            f"{len(results_by_outcome[Outcome.ERROR])} of {len(results)} links didn't respond to us.",
            evidence,
        )
    if results_by_outcome[Outcome.NOT_RUN]:
        return (
            Outcome.NOT_RUN,
            f"{len(results_by_outcome[Outcome.NOT_RUN])} of {len(results)} links point to addresses that we "
            "don't request.",
            evidence,
        )
    if results_by_outcome[Outcome.WARN]:
        return (
            Outcome.WARN,
            f"{len(results_by_outcome[Outcome.WARN])} of {len(results)} links refuse automated requests.",
            evidence,
        )
    return Outcome.PASS, f"All {len(results)} links work.", tuple(result.evidence for result in results)[:10]
