"""Is the repository what the program asks for? Public, named, released, in the right language."""

import re
from collections.abc import Sequence

from portal.core.translation import gettext_noop
from verification.checks.rules.shared_reads import resolve_recorded_number
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.errors import SourceNotFoundError
from verification.sources.github.client import GitHubRelease, GitHubRepository

RELEASE_TAG_PATTERN = re.compile(r"v\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?")
NO_REPOSITORY_RESULT = Result(Outcome.FAIL, "No repository is named yet.")


def build_repository_state(repository: GitHubRepository) -> tuple[tuple[str, str], ...]:
    id_pair = (("id", str(repository.id)),) if repository.id else ()
    return (("repository", repository.full_name), *id_pair)


def build_repository_evidence(repository: GitHubRepository) -> Evidence:
    return Evidence("Repository", repository.full_name, repository.html_url)


def read_repository(subject: Subject, sources: Sources) -> GitHubRepository | Result:
    """The repository, or the result that says why there is none. Raises Denied and Unavailable."""
    if not subject.repository:
        return NO_REPOSITORY_RESULT
    try:
        return sources.github.repository(subject.repository)
    except SourceNotFoundError as error:
        evidence = (Evidence("Address", subject.repository),)
        return Result(Outcome.FAIL, str(error), evidence, missing_item=f"the repository {subject.repository}")


@register_check(
    "repository.public",
    title=gettext_noop("Public repository"),
    advice=gettext_noop("Make the repository public in its settings, or correct its address here."),
    version=2,
)
def check_public(subject: Subject, sources: Sources) -> Result:
    """Visible to everyone, not archived, and still the one that was submitted.

    Where its number was not recorded at the start, the first look records it. Whose it is, is asked apart.
    """
    repository = read_repository(subject, sources)
    if isinstance(repository, Result):
        return repository
    evidence = (build_repository_evidence(repository),)
    submitted_id, observations = resolve_recorded_number(subject, "id", subject.repository_id, repository.id)
    if repository.id != submitted_id:
        return Result(
            Outcome.FAIL,
            f"Another repository stands under the name {subject.repository} than the one that was submitted.",
            (*evidence, Evidence("Submitted", str(submitted_id)), Evidence("Found", str(repository.id))),
            build_repository_state(repository),
            freeze_reason=f"Another repository stands under the name {subject.repository}; a person decides.",
        )
    if repository.archived:
        message = f"{repository.full_name} is archived, so nothing can be fixed."
        return Result(Outcome.FAIL, message, evidence, build_repository_state(repository), observations=observations)
    return Result(
        Outcome.PASS,
        f"{repository.full_name} is public.",
        evidence,
        build_repository_state(repository),
        observations=observations,
    )


@register_check(
    "repository.name",
    title=gettext_noop("Name of the repository"),
    advice=gettext_noop("Rename the repository as the program publishes it; GitHub redirects the old address."),
)
def check_repository_name(subject: Subject, sources: Sources) -> Result:
    """The name fits the program's pattern, as GitHub spells it."""
    if not subject.repository_pattern:
        return Result(Outcome.PASS, "This program asks for no particular name.")
    repository = read_repository(subject, sources)
    if isinstance(repository, Result):
        return repository
    evidence = (
        build_repository_evidence(repository),
        Evidence("Asked for", subject.repository_hint or subject.repository_pattern),
    )
    if re.fullmatch(subject.repository_pattern, repository.name):
        return Result(
            Outcome.PASS,
            f"{repository.name} is named as the program asks.",
            evidence,
            build_repository_state(repository),
        )
    hint = f": {subject.repository_hint}" if subject.repository_hint else ""
    return Result(
        Outcome.FAIL,
        f"{repository.name} is not named as the program asks{hint}.",
        evidence,
        build_repository_state(repository),
    )


@register_check(
    "repository.release",
    title=gettext_noop("Published release"),
    advice=gettext_noop("Publish a release from a tag such as v1.2.3, and not as a draft."),
)
def check_release_published(subject: Subject, sources: Sources) -> Result:
    """At least one release that is no draft and whose tag is a version."""
    repository = read_repository(subject, sources)
    if isinstance(repository, Result):
        return repository
    releases = [candidate for candidate in sources.github.releases(repository.full_name) if not candidate.draft]
    versions = [candidate for candidate in releases if RELEASE_TAG_PATTERN.fullmatch(candidate.tag)]
    requested_tag = subject.tag or (f"v{subject.version}" if subject.version else "")
    if requested_tag:
        return _check_requested_release(requested_tag, repository, releases)
    if versions:
        newest = next((candidate for candidate in versions if not candidate.prerelease), versions[0])
        evidence = (build_repository_evidence(repository), Evidence("Release", newest.tag, newest.html_url))
        state = (*build_repository_state(repository), ("release", newest.tag))
        if newest.prerelease:
            return Result(Outcome.WARN, f"{newest.tag} is published, as a pre-release only.", evidence, state)
        return Result(Outcome.PASS, f"{newest.tag} is published.", evidence, state)
    if releases:
        tags = ", ".join(candidate.tag for candidate in releases[:5])
        evidence = (build_repository_evidence(repository), Evidence("Tags of releases", tags))
        return Result(
            Outcome.FAIL,
            "No release has a version as its tag, such as v1.2.3.",
            evidence,
            build_repository_state(repository),
        )
    return Result(
        Outcome.FAIL,
        "No release is published yet.",
        (build_repository_evidence(repository),),
        build_repository_state(repository),
    )


def _check_requested_release(tag: str, repository: GitHubRepository, releases: Sequence[GitHubRelease]) -> Result:
    """Whether the release that was asked for is there."""
    release = next((candidate for candidate in releases if candidate.tag == tag), None)
    if release is None:
        evidence = (
            build_repository_evidence(repository),
            Evidence("Newest releases", ", ".join(candidate.tag for candidate in releases[:5]) or "none"),
        )
        return Result(Outcome.FAIL, f"No release {tag} is published.", evidence, build_repository_state(repository))
    evidence = (build_repository_evidence(repository), Evidence("Release", tag, release.html_url))
    return Result(
        Outcome.PASS, f"{tag} is published.", evidence, (*build_repository_state(repository), ("release", tag))
    )


@register_check(
    "repository.language",
    title=gettext_noop("Programming language"),
    advice=gettext_noop("The program accepts the languages that it names; ask its mailbox before porting."),
)
def check_language(subject: Subject, sources: Sources) -> Result:
    """GitHub's main language is among those that the program names."""
    if not subject.languages:
        return Result(Outcome.PASS, "This program asks for no particular language.")
    repository = read_repository(subject, sources)
    if isinstance(repository, Result):
        return repository
    languages = " or ".join(subject.languages)
    evidence = (
        build_repository_evidence(repository),
        Evidence("Language according to GitHub", repository.language or "none found"),
    )
    if not repository.language:
        return Result(
            Outcome.NOT_RUN,
            "A person decides: GitHub names no language yet.",
            evidence,
            build_repository_state(repository),
        )
    if repository.language in subject.languages:
        return Result(Outcome.PASS, f"Written in {repository.language}.", evidence, build_repository_state(repository))
    return Result(
        Outcome.FAIL,
        f"Written in {repository.language}, not in {languages}.",
        evidence,
        build_repository_state(repository),
    )
