"""Summaries of remarks about several platforms. A remark about all platforms appears once."""

from collections.abc import Callable, Iterable, Sequence

from verification.outcomes import Evidence, Outcome, Result
from verification.releases.artifacts.remarks import Remark, build_remark, get_outcome
from verification.releases.inspection import Platform, Release
from verification.sources.registry.protocol import RegistryReply

NOTHING_TO_CHECK = Result(Outcome.NOT_RUN, "There was nothing to check.")
MAX_LISTED_ITEMS = 6
MAX_EVIDENCE_ITEMS = 20


def list_platforms(release: Release) -> list[Platform]:
    """Return the platforms that are listed or have a package. Others were read only for Terraform's decision."""
    listed_names = release.version_entry.platforms if release.version_entry else ()
    return [platform for platform in release.platforms if platform.name in listed_names or platform.package is not None]


def check_each_platform(
    release: Release,
    part: Callable[[Platform], tuple[RegistryReply | None, object | None]],
    remarks: Callable[[Platform, Release], Iterable[Remark]],
    good: str,
    context: tuple[Evidence, ...] = (),
) -> Result:
    """Check every platform with `remarks` and merge equal remarks.

    `part` returns the reply to check and its parsed content, None for what was not read. `good` is the summary if there
    is no remark.
    """
    # Platforms share the list and its signature, so most remarks would otherwise appear once for each.
    names_by_remark: dict[Remark, list[str]] = {}
    unread_replies = []
    unchecked_names = []
    for platform in list_platforms(release):
        reply, value = part(platform)
        if reply is not None and not reply.ok:
            unread_replies.append(reply)
        elif value is None:
            unchecked_names.append(platform.name)
        else:
            for remark in remarks(platform, release):
                names_by_remark.setdefault(remark, []).append(platform.name)
    details = tuple(
        Evidence(", ".join(names[:MAX_LISTED_ITEMS]), remark.text) for remark, names in names_by_remark.items()
    )
    result = build_result(names_by_remark, good, (*context, *details[:MAX_EVIDENCE_ITEMS]), unread_replies)
    return report_unchecked_platforms(result, release, unchecked_names)


def report_unchecked_platforms(result: Result, release: Release, unchecked_names: Sequence[str] = ()) -> Result:
    """Return NOT_RUN instead of a pass if these platforms, or listed ones above the limit, were not checked."""
    if result.outcome in (Outcome.FAIL, Outcome.ERROR):
        return result
    # Nothing was read at all, for example because the version isn't listed, which another rule reports.
    if len(unchecked_names) == len(list_platforms(release)):
        return NOTHING_TO_CHECK
    listed_names = release.version_entry.platforms if release.version_entry else ()
    unchecked_names = (*unchecked_names, *(name for name in listed_names if release.get_platform(name) is None))
    if not unchecked_names:
        return result
    names = ", ".join(unchecked_names[:MAX_LISTED_ITEMS])
    return Result(Outcome.NOT_RUN, f"There was nothing to check for {names}.", result.evidence)


def build_result(
    remarks: Iterable[Remark],
    good: str,
    evidence: tuple[Evidence, ...] = (),
    unread_replies: Sequence[RegistryReply] = (),
) -> Result:
    """Build the result with the text of the worst remark and the number of others with the same outcome.

    An outage among the `unread_replies` is an error, and any other one a failure. If only missing files fail,
    the result names the first one as its missing item.
    """
    outages = [reply.error for reply in unread_replies if reply.is_inconclusive]
    unread = {
        build_remark("unread", message=reply.error): reply for reply in unread_replies if not reply.is_inconclusive
    }
    evidence += tuple(Evidence("Not read", reply.error, reply.address) for reply in unread_replies[:MAX_LISTED_ITEMS])
    distinct_remarks = dict.fromkeys([*remarks, *unread])
    outcome = get_outcome(distinct_remarks)
    # A failure is certain, whatever the outage hides. Anything else could change after it.
    if outages and outcome != Outcome.FAIL:
        return Result(Outcome.ERROR, f"We couldn't complete this check: {outages[0]}", evidence)
    texts = [remark.text for remark in distinct_remarks if remark.outcome == outcome]
    if not texts:
        return Result(outcome, good, evidence)
    more = len(texts) - 1
    failures = [remark for remark in distinct_remarks if remark.outcome == Outcome.FAIL]
    is_only_missing = all(remark in unread and unread[remark].is_missing for remark in failures)
    missing_item = texts[0] if failures and is_only_missing else ""
    return Result(outcome, texts[0] + (f" And {more} more." if more else ""), evidence, missing_item=missing_item)
