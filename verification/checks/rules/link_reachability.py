"""Reachability of links, read through the restricted HTTP client."""

import time
from collections.abc import Sequence

from verification.outcomes import Evidence, Outcome, Result, get_worst_outcome
from verification.sources import Sources
from verification.sources.errors import RequestRefusedError, SourceUnavailableError
from verification.sources.http.client import PAGE, ResponseTooLargeError, SourceResponse

GONE_STATUSES = (404, 410)
TIME_LIMIT_SECONDS = 60.0  # limit for starting the requests of one check
# Each link is a request of up to 20 seconds to an external host, and all checks of a run share 150 seconds.
MAX_LINKS = 15
TRANSIENT_STATUSES = (408, 425, 429)  # a later request can succeed
LinkResult = tuple[Outcome, Evidence]
# What is true of one link, and of several
PREDICATES = {
    Outcome.PASS: ("works", "work"),
    Outcome.FAIL: ("is broken", "are broken"),
    Outcome.ERROR: ("didn't respond to us", "didn't respond to us"),
    Outcome.NOT_RUN: ("can't be checked", "can't be checked"),
    Outcome.WARN: ("refuses automated requests", "refuse automated requests"),
}


def check_link(sources: Sources, address: str) -> LinkResult:
    """Return the outcome for a URL, read once per run: ERROR after an outage, NOT_RUN if we don't request it."""
    try:
        response: SourceResponse = sources.read(f"page:{address}", lambda: sources.web.request(address, PAGE))
    except ResponseTooLargeError:
        return Outcome.PASS, Evidence("returned a large file", address, address)
    except RequestRefusedError as refusal:
        return Outcome.NOT_RUN, Evidence(f"not checked: {refusal}", address, address)
    except SourceUnavailableError as outage:
        return Outcome.ERROR, Evidence(str(outage), address, address)
    return _determine_outcome(response.status), Evidence(f"returned {response.status_line}", address, address)


def check_links(sources: Sources, addresses: Sequence[str], *, dead_outcome: Outcome = Outcome.FAIL) -> Result:
    """Return the result for the first MAX_LINKS of several URLs: the worst of theirs.

    URLs that we can't request in time count as an outage on our side.

    Args:
        dead_outcome: Outcome of a broken link.
    """
    deadline = time.monotonic() + TIME_LIMIT_SECONDS
    results: list[LinkResult] = [
        check_link(sources, address)
        if time.monotonic() < deadline
        else (Outcome.ERROR, Evidence("not requested yet because earlier links took too long", address, address))
        for address in addresses[:MAX_LINKS]
    ]
    if not results:
        return Result(Outcome.NOT_RUN, "No URLs found. After you add links, run the checks again.")
    outcomes = [outcome for outcome, _ in results]
    worst_outcome = get_worst_outcome(outcomes)
    evidence = [item for outcome, item in results if worst_outcome == Outcome.PASS or outcome != Outcome.PASS]
    outcome = dead_outcome if worst_outcome == Outcome.FAIL else worst_outcome
    summary = _describe_links(worst_outcome, outcomes.count(worst_outcome), len(results))
    if len(addresses) > MAX_LINKS:
        summary += f" We checked only {MAX_LINKS} of {len(addresses)} links."
    return Result(outcome, summary, tuple(evidence[:10]))


def is_refusal(status: int) -> bool:
    """Return whether the server exists but refuses automated clients, as it will the next time."""
    return 400 <= status < 500 and status not in (*GONE_STATUSES, *TRANSIENT_STATUSES)


def _determine_outcome(status: int) -> Outcome:
    if 200 <= status < 300:
        return Outcome.PASS
    if status in GONE_STATUSES:
        return Outcome.FAIL
    return Outcome.WARN if is_refusal(status) else Outcome.ERROR


def _describe_links(outcome: Outcome, count: int, total: int) -> str:
    everything = "Both links" if total == 2 else f"All {total} links"
    subject = everything if outcome == Outcome.PASS else f"{count} of {total} links"
    singular, plural = PREDICATES[outcome]
    return f"{'The only link' if total == 1 else subject} {singular if count == 1 else plural}."
