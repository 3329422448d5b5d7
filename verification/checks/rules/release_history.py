"""Has a release changed since it was first seen? Its files, its tag, and whether the registry steps back."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

from portal.core.translation import gettext_noop
from verification.checks.rules.release import NO_PROVIDER, PUBLISHING, finished, report_of
from verification.checks.rules.shared_reads import code_at, newest_of, published_releases
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.releases.artifacts.remarks import Remark, fail, warn
from verification.releases.inspection import Release
from verification.releases.registry_package import Versions
from verification.releases.summaries import NOTHING, offered, result
from verification.sources import Sources
from verification.sources.errors import NotFound
from verification.sources.registry.protocol import Reply
from verification.terraform.versions import BadVersion, Version, parse

DIGESTS, NEWEST, TAGS = "release.digests", "release.newest", "release.tags"  # what the next run finds in known
MOST_VERSIONS = 20  # of which digests and tags are remembered


@check(
    "release.unchanged",
    title=gettext_noop("Files as they were published"),
    advice=gettext_noop(
        "Publish a new version with the new files: users who have the old checksums can no longer install this one."
    ),
    help=PUBLISHING,
)
def unchanged(subject: Subject, sources: Sources) -> Result:
    """The files of a version are those that were seen when it was first looked at."""
    if not (subject.namespace and subject.provider):
        return NO_PROVIDER
    report = report_of(subject, sources)
    release, now = report.release, digests_of(report.release)
    if not now:
        return finished(NOTHING, report)
    every = _mapping(subject.known.get(DIGESTS))
    before = _mapping(every.get(release.version))
    changed = {name: digest for name, digest in now.items() if before.get(name, digest) != digest}
    found = [_replaced(name) for name in changed]
    seen = tuple(
        Evidence(name, f"{before[name][:12]} when it was first seen, now {new[:12]}") for name, new in changed.items()
    )
    count = f"All {len(now)} files are" if len(now) > 1 else "The one file is"
    good = f"{count} as first seen." if before else f"{count} remembered from now on."
    remembered = _newest({**every, release.version: {**now, **before}})
    return replace(finished(result(found, good, seen), report), remember={DIGESTS: remembered})


def _replaced(name: str) -> Remark:
    if name.endswith(".sig"):
        return warn("signed_again", f"{name} was replaced: the same list was signed again.")
    return fail("replaced", f"{name} was replaced after it was published: other bytes under the same version.")


def digests_of(release: Release) -> dict[str, str]:
    """The SHA-256 of every file of the release that was read, by its name."""
    found: dict[str, str] = {}
    for platform in offered(release):
        for reply in (platform.sums, platform.signature, platform.archive_reply):
            found |= _digest(reply)
    return found | _digest(release.manifest)


def _digest(reply: Reply | None) -> dict[str, str]:
    if reply is None or not reply.ok or reply.answer is None:
        return {}
    return {unquote(urlsplit(reply.address).path.rpartition("/")[2])[:200]: reply.answer.sha256}


@check(
    "release.tag",
    title=gettext_noop("Tag that stays"),
    advice=gettext_noop("Put the tag back on the commit that was released, and release what changed as a new version."),
)
def tag(subject: Subject, sources: Sources) -> Result:
    """The release's tag names the commit that it named when it was first looked at."""
    if not subject.repository:
        return NO_PROVIDER
    released = newest_of(published_releases(subject, sources))
    chosen = subject.tag or (released.tag if released else "")
    if not chosen:
        return Result(Outcome.NOT_RUN, "There is no release yet, so there is no tag to look at.")
    try:
        commit = code_at(subject, sources, chosen).commit
    except NotFound:
        return Result(Outcome.FAIL, f"The tag {chosen} does not exist in the repository.", absent=f"the tag {chosen}")
    every = _mapping(subject.known.get(TAGS))
    before, state = str(every.get(chosen, commit)), (("tag", chosen), ("commit", commit))
    remember = {TAGS: _newest({**every, chosen: before})}
    if before == commit:
        return Result(Outcome.PASS, f"{chosen} is the commit {commit[:7]}.", looked_at=state, remember=remember)
    seen = (Evidence("First seen", before), Evidence("Now", commit))
    return Result(Outcome.FAIL, f"{chosen} was moved to another commit.", seen, state, remember=remember)


@check(
    "release.newest",
    title=gettext_noop("No step back"),
    advice=gettext_noop(
        "Never take a version back: publish a newer one. Tell the program if the registry is at fault."
    ),
)
def newest(subject: Subject, sources: Sources) -> Result:
    """The registry's newest version is not older than the newest that was ever seen there."""
    if not (subject.namespace and subject.provider):
        return NO_PROVIDER
    report = report_of(subject, sources)
    listed = report.release.versions.value
    if listed is None:
        return next(answered.result for answered in report.checks if answered.id == "release.listed")
    highest, known = _highest(listed), str(subject.known.get(NEWEST, ""))
    mark = _read(known)
    if mark is not None and (highest is None or highest.rank < mark.rank):
        summary = f"The registry's newest version is {highest or 'none'}, and it was {known}."
        seen = (Evidence("Highest ever seen", known), Evidence("Now", str(highest or "none")))
        return Result(Outcome.FAIL, summary, seen, absent=f"the version {known}")
    if highest is None:
        return Result(Outcome.FAIL, "The registry lists no version.")
    good = f"{highest} is the newest version, and none newer was ever seen."
    return Result(Outcome.PASS, good, looked_at=(("version", str(highest)),), remember={NEWEST: str(highest)})


def _highest(listed: Versions) -> Version | None:
    """The highest version that is listed, releases before pre-releases."""
    every = [version for one in listed.listed if (version := _read(one.version)) is not None]
    return max(every, key=lambda v: (not v.is_prerelease, v.rank), default=None)


def _read(text: str) -> Version | None:
    try:
        return parse(text) if text else None
    except BadVersion:
        return None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _newest(every: dict[str, Any]) -> dict[str, Any]:
    """The entries that were written last."""
    return dict(list(every.items())[-MOST_VERSIONS:])
