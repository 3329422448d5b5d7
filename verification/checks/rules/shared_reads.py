"""What do several checks read? The releases, the chosen one, and the code of its commit, each read once in a run."""

from collections.abc import Mapping, Sequence
from typing import Any

from verification.checks.types import Subject
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.errors import NotFound
from verification.sources.github.client import Release
from verification.sources.published_versions import versions_in
from verification.sources.repository_snapshot import Code

NO_ADDRESS = Result(Outcome.FAIL, "No repository is named yet.")


def entered(subject: Subject, what: str, recorded: int | None, now: int) -> tuple[int, Mapping[str, Any]]:
    """A number of the repository as it was entered, and what to remember of it.

    Where none was recorded at the start, the first successful look under that address counts.
    """
    if recorded is not None:
        return recorded, {}
    key, repository = f"entered.{what}", subject.repository.lower()
    known = subject.known.get(key) or {}
    number = int(known["number"]) if known.get("repository") == repository else now
    return number, {key: {"repository": repository, "number": number}}


def published_releases(subject: Subject, sources: Sources) -> tuple[Release, ...]:
    """The releases on GitHub that are no drafts. Raises Unreadable."""
    return tuple(release for release in sources.github.releases(subject.repository) if not release.draft)


def newest_of(found: Sequence[Release]) -> Release | None:
    """The newest release by its version, those that come before a release last; None where no tag is a version."""
    by_tag = {release.tag: release for release in found}
    parsed = versions_in(tuple(tag.removeprefix("v") for tag in by_tag if tag.startswith("v")))
    best = max(parsed, key=lambda v: (not v.is_prerelease, v.rank), default=None)
    return None if best is None else by_tag[f"v{parsed[best]}"]


def code_at(subject: Subject, sources: Sources, ref: str) -> Code:
    """The files of the commit that a tag or branch names. Raises Unreadable."""
    return sources.read(f"code:{subject.repository}@{ref}", lambda: sources.github.code(subject.repository, ref))


def ref_of(subject: Subject, sources: Sources) -> str:
    """The tag that is looked at: the one that is asked for, else the newest release's, else the default branch."""
    if subject.tag or subject.version:
        return subject.tag or f"v{subject.version}"
    newest = newest_of(published_releases(subject, sources))
    return newest.tag if newest else str(sources.github.repository(subject.repository).default_branch or "HEAD")


def code_of(subject: Subject, sources: Sources) -> Code | Result:
    """The code of the chosen release, or the result that says why there is none. Raises Unreadable."""
    if not subject.repository:
        return NO_ADDRESS
    try:
        return code_at(subject, sources, ref_of(subject, sources))
    except NotFound as answer:
        return Result(Outcome.FAIL, str(answer), (Evidence("Address", subject.repository),))


def state_of(code: Code) -> tuple[tuple[str, str], ...]:
    return (("repository", code.repository), ("commit", code.commit))


def link_to(code: Code, sources: Sources, path: str = "") -> str:
    """Where people see a file of the commit, or the commit itself."""
    base = str(sources.github.repository(code.repository).html_url)
    return f"{base}/blob/{code.commit}/{path}" if path else f"{base}/tree/{code.commit}"
