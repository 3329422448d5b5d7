"""Checks of what comes with the newest release: a unique tag, a bill of materials, and downloads."""

import re

from verification.checks.rules.link_reachability import PREDICATES, check_link
from verification.checks.rules.shared_reads import read_release, require_repository
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources

# The program prescribes no name for the file, and generators such as GitHub's, Syft, and cdxgen choose their own.
SBOM_FILE_PATTERN = re.compile(
    r"sbom|bill-of-materials|cyclonedx|(?:^|[._-])bom\.(?:json|xml)$"
    r"|\.(?:spdx|cdx)(?:\.(?:json|xml|ya?ml|rdf|gz)){0,2}$",
    re.I,
)
NO_RELEASE_SUMMARY = "The repository has no published release with a version tag."


@register_check("repository.tag_branch")
@require_repository
def check_tag_branch(subject: Subject, sources: Sources) -> Result:
    newest = read_release(subject, sources)
    if newest is None:
        # The check repository.release reports the missing release.
        return Result(Outcome.NOT_RUN, NO_RELEASE_SUMMARY)
    evidence = (Evidence("Release", newest.tag, newest.html_url),)
    inspected_revisions = (("repository", subject.repository), ("release", newest.tag))
    if sources.github.has_branch(subject.repository, newest.tag):
        return Result(
            Outcome.FAIL, f"A branch has the same name as the tag {newest.tag}.", evidence, inspected_revisions
        )
    return Result(Outcome.PASS, f"No branch is named {newest.tag}.", evidence, inspected_revisions)


@register_check("repository.sbom")
@require_repository
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


@register_check("release.download")
def check_download(subject: Subject, sources: Sources) -> Result:
    address = str(subject.find_answer("download"))
    if not address and subject.repository:
        newest = read_release(subject, sources)
        address = newest.assets[0].url if newest and newest.assets else ""
    if not address:
        summary = "No download URL entered, and no release has a file. Enter the URL, or attach the file to a release."
        return Result(Outcome.WARN, summary)
    link = check_link(sources, address)
    # Nomad Integration Program, 5. Release: "the plugin can be hosted anywhere", so a dead link proves nothing.
    outcome = Outcome.WARN if link.outcome == Outcome.FAIL else link.outcome
    return Result(outcome, f"The download URL {PREDICATES[link.outcome][0]}.", (link.evidence,))
