"""Checks of the repository: its visibility, name, owner, and language, and its newest release on GitHub."""

import re
from dataclasses import replace

from verification.checks.rules.shared_reads import (
    add_state,
    find_newest_release,
    read_release,
    require_repository,
    resolve_recorded_number,
    with_value,
)
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result
from verification.releases.artifacts import file_names
from verification.sources import Sources
from verification.sources.errors import SourceNotFoundError
from verification.sources.github.responses import GitHubRelease, GitHubRepository
from verification.terraform.versions import try_parse_version

# The name of this revision is also what `accepts` names in checks.yaml: with it, a reviewer can accept the owner.
NEW_OWNER = "new owner"
# The program prescribes no name for the file, and generators such as GitHub's, Syft, and cdxgen choose their own.
SBOM_FILE_PATTERN = re.compile(
    r"sbom|bill-of-materials|cyclonedx|(?:^|[._-])bom\.(?:json|xml)$"
    r"|\.(?:spdx|cdx)(?:\.(?:json|xml|ya?ml|rdf|gz)){0,2}$",
    re.I,
)
NO_RELEASE_SUMMARY = "The repository has no published release with a version tag."


def build_repository_state(repository: GitHubRepository) -> tuple[tuple[str, str], ...]:
    return (("repository", repository.full_name), ("id", str(repository.id)))


def build_repository_evidence(repository: GitHubRepository) -> Evidence:
    return Evidence("Repository", repository.full_name, repository.html_url)


@require_repository
def read_repository(subject: Subject, sources: Sources) -> GitHubRepository | Result:
    """Return the repository, or the result that explains why it can't be read.

    Raises:
        AccessDeniedError, SourceUnavailableError: GitHub refused the request or did not respond.
    """
    try:
        return sources.github.get_repository(subject.repository)
    except SourceNotFoundError as error:
        evidence = (Evidence("Repository", subject.repository),)
        return Result(Outcome.FAIL, str(error), evidence, missing_item=f"the repository {subject.repository}")


with_repository = with_value(read_repository, add_state(build_repository_state))


@register_check("repository.public", with_repository)
def check_public(subject: Subject, sources: Sources, repository: GitHubRepository) -> Result:
    evidence = (build_repository_evidence(repository),)
    # The name alone isn't enough: GitHub gives a freed name to any new repository.
    submitted_id, observations = resolve_recorded_number(subject, "id", subject.repository_id, repository.id)
    if repository.id != submitted_id:
        return Result(
            Outcome.FAIL,
            f"{subject.repository} is now a different repository than the submitted one.",
            (*evidence, Evidence("Submitted", str(submitted_id)), Evidence("Found", str(repository.id))),
            freeze_reason=f"{subject.repository} is now a different repository. A reviewer decides.",
        )
    # A person's GitHub access also reads private repositories, which users and the registry can't see.
    if repository.private:
        return Result(Outcome.FAIL, f"{repository.full_name} is private.", evidence, observations=observations)
    if repository.archived:
        message = f"{repository.full_name} is archived, so its maintainers can't fix anything."
        return Result(Outcome.FAIL, message, evidence, observations=observations)
    return Result(Outcome.PASS, f"{repository.full_name} is public.", evidence, observations=observations)


@register_check("repository.name")
def check_repository_name(subject: Subject, sources: Sources) -> Result:
    if not subject.repository_pattern:
        return Result(Outcome.PASS, "This program doesn't require a specific name.")
    return _check_required_name(subject, sources)


@with_repository
def _check_required_name(subject: Subject, sources: Sources, repository: GitHubRepository) -> Result:
    required_name = Evidence("Required name", subject.repository_hint or subject.repository_pattern)
    evidence = (build_repository_evidence(repository), required_name)
    # The registry finds a provider only under the exact form (Publishing Providers), so a similar name isn't enough.
    if re.fullmatch(subject.repository_pattern, repository.name):
        return Result(Outcome.PASS, f"{repository.name} has the required name.", evidence)
    hint = f": {subject.repository_hint}" if subject.repository_hint else ""
    return Result(Outcome.FAIL, f"{repository.name} doesn't have the required name{hint}.", evidence)


@register_check("repository.release", with_repository)
def check_release_published(subject: Subject, sources: Sources, repository: GitHubRepository) -> Result:
    # The registry imports no drafts, and only tags that are versions (Publishing Providers).
    releases = [candidate for candidate in sources.github.list_releases(repository.full_name) if not candidate.draft]
    versions = [candidate for candidate in releases if file_names.TAG.fullmatch(candidate.tag)]
    if subject.tag:
        release = read_release(replace(subject, repository=repository.full_name), sources)
        if release is not None:
            return _build_release_result(Outcome.PASS, f"{subject.tag} is published.", repository, release)
        tags = ", ".join(candidate.tag for candidate in releases[:5]) or "none"
        evidence = (build_repository_evidence(repository), Evidence("Newest releases", tags))
        return Result(Outcome.FAIL, f"The repository has no published release {subject.tag}.", evidence)
    if versions:
        # Terraform selects a pre-release only if a constraint names it, so a pre-release alone is a warning. The
        # version decides what is one: the registry doesn't read GitHub's mark, which many releases lack.
        newest = find_newest_release(versions) or versions[0]
        version = try_parse_version(newest.tag.removeprefix("v"))
        if version is not None and version.is_prerelease:
            summary = f"{newest.tag} is published, but only as a pre-release."
            return _build_release_result(Outcome.WARN, summary, repository, newest)
        return _build_release_result(Outcome.PASS, f"{newest.tag} is published.", repository, newest)
    if releases:
        tags = ", ".join(candidate.tag for candidate in releases[:5])
        evidence = (build_repository_evidence(repository), Evidence("Release tags", tags))
        return Result(Outcome.FAIL, "No release has a version tag, such as v1.2.3.", evidence)
    return Result(
        Outcome.FAIL, "The repository has no published release yet.", (build_repository_evidence(repository),)
    )


def _build_release_result(
    outcome: Outcome, summary: str, repository: GitHubRepository, release: GitHubRelease
) -> Result:
    evidence = (build_repository_evidence(repository), Evidence("Release", release.tag, release.html_url))
    return Result(outcome, summary, evidence, (*build_repository_state(repository), ("release", release.tag)))


@register_check("repository.language")
def check_language(subject: Subject, sources: Sources) -> Result:
    if not subject.licenses.languages:
        return Result(Outcome.PASS, "This program accepts any language.")
    return _check_accepted_language(subject, sources)


@with_repository
def _check_accepted_language(subject: Subject, sources: Sources, repository: GitHubRepository) -> Result:
    language = repository.language
    accepted_languages = subject.licenses.languages
    evidence = (
        build_repository_evidence(repository),
        Evidence("Language according to GitHub", language or "none found"),
    )
    if not language:
        # GitHub detects languages with a delay, and none in a repository without code.
        return Result(Outcome.NOT_RUN, "GitHub hasn't detected a language yet. A reviewer decides.", evidence)
    if language in accepted_languages:
        return Result(Outcome.PASS, f"The repository is written in {language}.", evidence)
    summary = f"The repository is written in {language}, not in {' or '.join(accepted_languages)}."
    return Result(Outcome.FAIL, summary, evidence)


@register_check("repository.owner", with_repository)
def check_owner(subject: Subject, sources: Sources, repository: GitHubRepository) -> Result:
    owner_name = repository.full_name.partition("/")[0]
    inspected_revisions = (("repository", repository.full_name), ("owner", str(repository.owner_id)))
    evidence: tuple[Evidence, ...] = (Evidence("Owner", f"{owner_name} ({repository.owner_id})", repository.html_url),)
    # By number, because GitHub lets others take a name that its owner gave up.
    recorded_owner_id, observations = resolve_recorded_number(
        subject, "owner", subject.repository_owner_id, repository.owner_id
    )
    if observations and observations != {key: subject.known.get(key) for key in observations}:
        summary = f"The owner wasn't recorded before. We recorded {owner_name} as the owner."
        return Result(Outcome.WARN, summary, evidence, inspected_revisions, observations=observations)
    if repository.owner_id == recorded_owner_id:
        summary = f"{owner_name} owns the repository, as at submission."
        return Result(Outcome.PASS, summary, evidence, inspected_revisions, observations=observations)
    evidence += (Evidence("Owner at submission", str(recorded_owner_id)),)
    if str(repository.owner_id) == subject.get_accepted_value("repository.owner"):
        summary = f"{owner_name} owns the repository. The program accepted this owner."
        return Result(Outcome.PASS, summary, evidence, inspected_revisions)
    inspected_revisions = (("repository", repository.full_name), (NEW_OWNER, str(repository.owner_id)))
    summary = f"The repository now belongs to {owner_name}."
    reason = f"{subject.repository} now belongs to {owner_name}. A reviewer must confirm the new owner."
    return Result(Outcome.FAIL, summary, evidence, inspected_revisions, freeze_reason=reason)


@register_check("repository.renamed", with_repository)
def check_repository_name_unchanged(subject: Subject, sources: Sources, repository: GitHubRepository) -> Result:
    evidence = (build_repository_evidence(repository),)
    # Only a warning: GitHub redirects the old name until someone creates another repository with it.
    if repository.full_name.lower() == subject.repository.lower():
        return Result(Outcome.PASS, f"The repository is still named {repository.full_name}.", evidence)
    return Result(Outcome.WARN, f"{subject.repository} is now named {repository.full_name}.", evidence)


@register_check("repository.tag_branch", require_repository)
def check_tag_branch(subject: Subject, sources: Sources) -> Result:
    newest = read_release(subject, sources)
    if newest is None:
        # The check repository.release reports the missing release.
        return Result(Outcome.NOT_RUN, NO_RELEASE_SUMMARY)
    evidence = (Evidence("Release", newest.tag, newest.html_url),)
    inspected_revisions = (("repository", subject.repository), ("release", newest.tag))
    if sources.github.has_branch(subject.repository, newest.tag):
        summary = f"A branch has the same name as the tag {newest.tag}."
        return Result(Outcome.FAIL, summary, evidence, inspected_revisions)
    return Result(Outcome.PASS, f"No branch is named {newest.tag}.", evidence, inspected_revisions)


@register_check("repository.sbom", require_repository)
def check_sbom(subject: Subject, sources: Sources) -> Result:
    newest = read_release(subject, sources)
    if newest is None:
        return Result(Outcome.FAIL, NO_RELEASE_SUMMARY)
    sbom_assets = [asset for asset in newest.assets if SBOM_FILE_PATTERN.search(asset.name)]
    inspected_revisions = (("repository", subject.repository), ("release", newest.tag))
    if sbom_assets:
        evidence = tuple(Evidence("File", asset.name, asset.url) for asset in sbom_assets[:5])
        return Result(Outcome.PASS, f"{newest.tag} includes {sbom_assets[0].name}.", evidence, inspected_revisions)
    evidence = (Evidence("Release", newest.tag, newest.html_url),)
    summary = f"None of the {len(newest.assets)} files of {newest.tag} is named like a bill of materials."
    return Result(Outcome.FAIL, summary, evidence, inspected_revisions)
