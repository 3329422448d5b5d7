"""Is the repository what the program asks for? Public, named, released, in the right language."""

import re
from collections.abc import Sequence

from portal.core.translation import gettext_noop
from verification.checks.rules.shared_reads import entered
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.errors import NotFound
from verification.sources.github.client import Release, Repository

RELEASE_TAG = re.compile(r"v\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?")
NO_ADDRESS = Result(Outcome.FAIL, "No repository is named yet.")


def looked_at(repository: Repository) -> tuple[tuple[str, str], ...]:
    known = (("id", str(repository.id)),) if repository.id else ()
    return (("repository", repository.full_name), *known)


def shown(repository: Repository) -> Evidence:
    return Evidence("Repository", repository.full_name, repository.html_url)


def read(subject: Subject, sources: Sources) -> Repository | Result:
    """The repository, or the result that says why there is none. Raises Denied and Unavailable."""
    if not subject.repository:
        return NO_ADDRESS
    try:
        return sources.github.repository(subject.repository)
    except NotFound as answer:
        seen = (Evidence("Address", subject.repository),)
        return Result(Outcome.FAIL, str(answer), seen, absent=f"the repository {subject.repository}")


@check(
    "repository.public",
    title=gettext_noop("Public repository"),
    advice=gettext_noop("Make the repository public in its settings, or correct its address here."),
    version=2,
)
def public(subject: Subject, sources: Sources) -> Result:
    """Visible to everyone, not archived, and still the one that was submitted.

    Where its number was not recorded at the start, the first look records it. Whose it is, is asked apart.
    """
    found = read(subject, sources)
    if isinstance(found, Result):
        return found
    seen = (shown(found),)
    submitted, remember = entered(subject, "id", subject.repository_id, found.id)
    if found.id != submitted:
        return Result(
            Outcome.FAIL,
            f"Another repository stands under the name {subject.repository} than the one that was submitted.",
            (*seen, Evidence("Submitted", str(submitted)), Evidence("Found", str(found.id))),
            looked_at(found),
            freeze=f"Another repository stands under the name {subject.repository}; a person decides.",
        )
    if found.archived:
        said = f"{found.full_name} is archived, so nothing can be fixed."
        return Result(Outcome.FAIL, said, seen, looked_at(found), remember=remember)
    return Result(Outcome.PASS, f"{found.full_name} is public.", seen, looked_at(found), remember=remember)


@check(
    "repository.name",
    title=gettext_noop("Name of the repository"),
    advice=gettext_noop("Rename the repository as the program publishes it; GitHub redirects the old address."),
)
def name(subject: Subject, sources: Sources) -> Result:
    """The name fits the program's pattern, as GitHub spells it."""
    if not subject.repository_pattern:
        return Result(Outcome.PASS, "This program asks for no particular name.")
    found = read(subject, sources)
    if isinstance(found, Result):
        return found
    seen = (shown(found), Evidence("Asked for", subject.repository_hint or subject.repository_pattern))
    if re.fullmatch(subject.repository_pattern, found.name):
        return Result(Outcome.PASS, f"{found.name} is named as the program asks.", seen, looked_at(found))
    asked = f": {subject.repository_hint}" if subject.repository_hint else ""
    return Result(Outcome.FAIL, f"{found.name} is not named as the program asks{asked}.", seen, looked_at(found))


@check(
    "repository.release",
    title=gettext_noop("Published release"),
    advice=gettext_noop("Publish a release from a tag such as v1.2.3, and not as a draft."),
)
def release(subject: Subject, sources: Sources) -> Result:
    """At least one release that is no draft and whose tag is a version."""
    found = read(subject, sources)
    if isinstance(found, Result):
        return found
    published = [r for r in sources.github.releases(found.full_name) if not r.draft]
    versions = [r for r in published if RELEASE_TAG.fullmatch(r.tag)]
    wanted = subject.tag or (f"v{subject.version}" if subject.version else "")
    if wanted:
        return _chosen(wanted, found, published)
    if versions:
        newest = next((r for r in versions if not r.prerelease), versions[0])
        seen = (shown(found), Evidence("Release", newest.tag, newest.html_url))
        state = (*looked_at(found), ("release", newest.tag))
        if newest.prerelease:
            return Result(Outcome.WARN, f"{newest.tag} is published, as a pre-release only.", seen, state)
        return Result(Outcome.PASS, f"{newest.tag} is published.", seen, state)
    if published:
        tags = ", ".join(r.tag for r in published[:5])
        seen = (shown(found), Evidence("Tags of releases", tags))
        return Result(Outcome.FAIL, "No release has a version as its tag, such as v1.2.3.", seen, looked_at(found))
    return Result(Outcome.FAIL, "No release is published yet.", (shown(found),), looked_at(found))


def _chosen(tag: str, found: Repository, published: Sequence[Release]) -> Result:
    """Whether the release that was asked for is there."""
    release = next((r for r in published if r.tag == tag), None)
    if release is None:
        seen = (shown(found), Evidence("Newest releases", ", ".join(r.tag for r in published[:5]) or "none"))
        return Result(Outcome.FAIL, f"No release {tag} is published.", seen, looked_at(found))
    seen = (shown(found), Evidence("Release", tag, release.html_url))
    return Result(Outcome.PASS, f"{tag} is published.", seen, (*looked_at(found), ("release", tag)))


@check(
    "repository.language",
    title=gettext_noop("Programming language"),
    advice=gettext_noop("The program accepts the languages that it names; ask its mailbox before porting."),
)
def language(subject: Subject, sources: Sources) -> Result:
    """GitHub's main language is among those that the program names."""
    if not subject.languages:
        return Result(Outcome.PASS, "This program asks for no particular language.")
    found = read(subject, sources)
    if isinstance(found, Result):
        return found
    asked = " or ".join(subject.languages)
    seen = (shown(found), Evidence("Language according to GitHub", found.language or "none found"))
    if not found.language:
        return Result(Outcome.NOT_RUN, "A person decides: GitHub names no language yet.", seen, looked_at(found))
    if found.language in subject.languages:
        return Result(Outcome.PASS, f"Written in {found.language}.", seen, looked_at(found))
    return Result(Outcome.FAIL, f"Written in {found.language}, not in {asked}.", seen, looked_at(found))
