"""Summaries of remarks about several platforms. A remark about all platforms appears once."""

from collections.abc import Callable, Iterable

from verification.outcomes import Evidence, Outcome, Result
from verification.releases.artifacts.remarks import Remark, fail, outcome_of
from verification.releases.inspection import Platform, Release
from verification.sources.registry.protocol import RegistryReply

NOTHING = Result(Outcome.NOT_RUN, "There was nothing to check.")
MOST_TOLD = 6
MOST_EVIDENCE = 20


def list_platforms(release: Release) -> list[Platform]:
    """The platforms that the registry lists; those that it does not were read only to see what Terraform would say."""
    listed_names = release.version_entry.platforms if release.version_entry else ()
    return [platform for platform in release.platforms if platform.name in listed_names or platform.package is not None]


def check_each_platform(
    release: Release,
    part: Callable[[Platform], tuple[RegistryReply | None, object | None]],
    remarks: Callable[[Platform, Release], Iterable[Remark]],
    good: str,
    context: tuple[Evidence, ...] = (),
) -> Result:
    """The same question to every platform. `part` gives the reply it is about, and what was made of it or None."""
    names_by_remark: dict[Remark, list[str]] = {}
    troubles, unseen = [], []
    for platform in list_platforms(release):
        reply, value = part(platform)
        if reply is not None and not reply.ok:
            troubles.append(reply)
        elif value is None:
            unseen.append(platform.name)
        else:
            for remark in remarks(platform, release):
                names_by_remark.setdefault(remark, []).append(platform.name)
    details = tuple(Evidence(", ".join(names[:MOST_TOLD]), remark.text) for remark, names in names_by_remark.items())
    answer = build_result_with_troubles(list(names_by_remark), troubles, good, (*context, *details[:MOST_EVIDENCE]))
    return (
        answer if answer.outcome in (Outcome.FAIL, Outcome.ERROR) else _unseen(answer, unseen, list_platforms(release))
    )


def _unseen(answer: Result, unseen: list[str], every: list[Platform]) -> Result:
    """Silence is not a pass: what was not there to be looked at is said to be so."""
    if len(unseen) == len(every):
        return NOTHING
    if not unseen:
        return answer
    names = ", ".join(unseen[:MOST_TOLD])
    return Result(Outcome.NOT_RUN, f"There was nothing to check for {names}.", answer.evidence)


def build_result_with_troubles(
    remarks: list[Remark], troubles: list[RegistryReply], good: str, evidence: tuple[Evidence, ...]
) -> Result:
    """What was remarked, and what could not be read: an outage is an error of ours, anything else a failure."""
    if not troubles:
        return result(remarks, good, evidence)
    outages = [reply for reply in troubles if reply.is_inconclusive]
    missing = [fail("unread", reply.trouble) for reply in troubles if not reply.is_inconclusive]
    evidence += tuple(Evidence("Not read", reply.trouble, reply.address) for reply in troubles[:MOST_TOLD])
    summary = result([*remarks, *missing], good, evidence)
    if outages and summary.outcome != Outcome.FAIL:
        return Result(Outcome.ERROR, f"We couldn't complete this check: {outages[0].trouble}", evidence)
    return summary


def result(remarks: list[Remark], good: str, evidence: tuple[Evidence, ...] = ()) -> Result:
    """The worst of the remarks with its sentence, and how many more there are."""
    outcome = outcome_of(remarks)
    worst_first = [remark for remark in dict.fromkeys(remarks) if remark.outcome == outcome]
    if not worst_first:
        return Result(outcome, good, evidence)
    more = len(worst_first) - 1
    return Result(outcome, worst_first[0].text + (f" And {more} more." if more else ""), evidence)


def unread(reply: RegistryReply, what: str, evidence: tuple[Evidence, ...]) -> Result:
    if reply.ok:
        return Result(Outcome.FAIL, f"{what} has a format that Terraform can't read.", evidence)
    if reply.is_inconclusive:
        return Result(Outcome.ERROR, f"We couldn't complete this check: {reply.trouble}", evidence)
    return Result(Outcome.FAIL, f"{what} is not available: {reply.trouble}", evidence)
