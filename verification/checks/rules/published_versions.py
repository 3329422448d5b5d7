"""Checks that the registry has what was released: every version, the newest one, its platforms, and its protocol."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from verification.checks.rules.publication import build_listing_evidence, build_listing_state, with_listing
from verification.checks.rules.release import read_report
from verification.checks.rules.shared_reads import find_newest_release, list_published_releases, read_code
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result, build_conflict_result
from verification.releases import install_layout
from verification.releases.artifacts import file_names
from verification.releases.registry_package import parse_manifest_protocols
from verification.sources import Sources
from verification.sources.errors import SourceNotFoundError, SourceUnavailableError
from verification.sources.github.responses import GitHubRelease
from verification.sources.published_versions import REGISTRY_DELAY, RegistryListing, parse_versions
from verification.sources.registry.protocol import RegistryReply
from verification.terraform.versions import parse_version, try_parse_version

# What the registry assumes for a release without a manifest (Publishing Providers).
DEFAULT_PROTOCOLS = ("5.0",)
INVALID_TAG_CAUSE = "The tag doesn't have the form v1.2.3."
NO_FILES_CAUSE = "The release has no files. Build, sign, and upload them, for example with GoReleaser."
UNKNOWN_CAUSE = (
    "The files look complete. The signature may not match a registered key, or the release webhook may be broken."
)


@dataclass(frozen=True, slots=True)
class MissingRelease:
    """A release that is missing from the registry. `is_certain`: the release itself shows the cause."""

    release: GitHubRelease
    cause: str
    is_certain: bool


def list_missing_releases(
    releases: Sequence[GitHubRelease], versions: tuple[str, ...], name: str
) -> tuple[MissingRelease, ...]:
    """Return the published releases that aren't versions in the registry, newest first in GitHub's order."""
    # Compared as versions, because the registry and a tag can spell the same version differently.
    published_versions = parse_versions(versions)
    return tuple(
        _explain_missing_release(release, name)
        for release in releases
        if not release.tag.startswith("v") or try_parse_version(release.tag[1:]) not in published_versions
    )


def _explain_missing_release(release: GitHubRelease, name: str) -> MissingRelease:
    if not file_names.TAG.fullmatch(release.tag):
        return MissingRelease(release, INVALID_TAG_CAUSE, True)
    if not release.assets:
        return MissingRelease(release, NO_FILES_CAUSE, True)
    filenames = {asset.name for asset in release.assets}
    remarks = file_names.list_remarks(filenames, name, release.tag[1:])
    failure = next((remark for remark in remarks if remark.outcome == Outcome.FAIL), None)
    return MissingRelease(release, failure.text if failure else UNKNOWN_CAUSE, failure is not None)


@register_check("registry.releases", with_listing)
def check_registry_releases(subject: Subject, sources: Sources, listing: RegistryListing) -> Result:
    github_releases = list_published_releases(subject, sources)
    missing_releases = list_missing_releases(github_releases, listing.versions, subject.provider)
    # Each missing release can cost a request for a branch of its name, so the number is limited here.
    missing_evidence = (_build_missing_release_evidence(release, subject, sources) for release in missing_releases[:10])
    evidence = (build_listing_evidence(subject, sources, listing), *missing_evidence)
    if not github_releases:
        return Result(Outcome.FAIL, "GitHub has no published release yet.", evidence)
    if not missing_releases:
        count = len(github_releases)
        releases = f"all of the newest {count} releases" if count > 1 else "the only release"
        return Result(Outcome.PASS, f"The registry has {releases}.", evidence)
    newest = find_newest_release(github_releases)
    if newest is None or newest.tag not in {missing.release.tag for missing in missing_releases}:
        counts = f"{len(missing_releases)} of the newest {len(github_releases)} releases"
        releases = counts if len(github_releases) > 1 else "The only release"
        verb = "is" if len(missing_releases) == 1 else "are"
        return Result(Outcome.WARN, f"{releases} {verb} missing from the registry.", evidence)
    if _is_recent(newest, subject):
        summary = f"{newest.tag} is less than an hour old. The registry hasn't imported it yet."
        return Result(Outcome.WARN, summary, evidence)
    return Result(Outcome.FAIL, f"The newest release, {newest.tag}, is missing from the registry.", evidence)


def _build_missing_release_evidence(missing_release: MissingRelease, subject: Subject, sources: Sources) -> Evidence:
    """Return a missing release and its cause. If the files show no cause, a branch with the tag's name may be it."""
    cause = missing_release.cause
    # The registry requires that no branch has the name of the tag (Publishing Providers).
    if not missing_release.is_certain and sources.github.has_branch(subject.repository, missing_release.release.tag):
        cause = f"A branch is also named {missing_release.release.tag}, so the registry can't resolve the tag."
    return Evidence(missing_release.release.tag, cause, missing_release.release.html_url)


def _is_recent(release: GitHubRelease, subject: Subject) -> bool:
    return release.published_at is not None and subject.now - release.published_at < REGISTRY_DELAY


@register_check("registry.latest", with_listing)
def check_latest_version(subject: Subject, sources: Sources, listing: RegistryListing) -> Result:
    newest = find_newest_release(list_published_releases(subject, sources))
    evidence: tuple[Evidence, ...] = (build_listing_evidence(subject, sources, listing),)
    if newest is None or not listing.newest:
        place = "GitHub has no release with a version tag" if newest is None else "The registry has no version"
        return Result(Outcome.FAIL, f"{place}. There is nothing to compare.", evidence)
    evidence = (Evidence("GitHub", newest.tag, newest.html_url), *evidence)
    github_version = parse_version(newest.tag.removeprefix("v"))
    registry_version = parse_version(listing.newest)
    state = (*build_listing_state(listing), ("release", newest.tag))
    # As users get them: a release precedes every pre-release.
    if github_version.preference < registry_version.preference:
        # A deleted release and a delay on either side look the same, so a reviewer decides.
        github_evidence = Evidence("GitHub", newest.tag, newest.html_url, subject.now)
        registry_evidence = Evidence("the registry", listing.newest, evidence[-1].url, subject.now)
        return build_conflict_result(
            "the newest version", github_evidence, registry_evidence, inspected_revisions=state
        )
    if github_version == registry_version:
        return Result(Outcome.PASS, f"{newest.tag} is the newest version in both places.", evidence, state)
    if _is_recent(newest, subject):
        summary = f"{newest.tag} is less than an hour old. The registry still has {registry_version}."
        return Result(Outcome.WARN, summary, evidence, state)
    summary = f"GitHub has {newest.tag}, but the registry has {registry_version}."
    return Result(Outcome.FAIL, summary, evidence, state)


@register_check("registry.platforms", with_listing)
def check_registry_platforms(subject: Subject, sources: Sources, listing: RegistryListing) -> Result:
    if listing.platforms is None:
        return Result(Outcome.NOT_RUN, "The registry has no version with platforms to check.")
    platform_names = ", ".join(sorted(listing.platforms)) or "none"
    evidence = (build_listing_evidence(subject, sources, listing), Evidence("Platforms", platform_names))
    if install_layout.REQUIRED_PLATFORM not in listing.platforms:
        summary = f"{listing.newest} doesn't support {install_layout.REQUIRED_PLATFORM}, which HCP Terraform requires."
        return Result(Outcome.FAIL, summary, evidence)
    missing_platforms = [name for name in install_layout.RECOMMENDED_PLATFORMS if name not in listing.platforms]
    if missing_platforms:
        names = ", ".join(missing_platforms)
        summary = f"{listing.newest} doesn't support {names}. The registry recommends these platforms."
        return Result(Outcome.WARN, summary, evidence)
    return Result(Outcome.PASS, f"{listing.newest} supports every recommended platform.", evidence)


def _read_release_manifest(subject: Subject, sources: Sources, listing: RegistryListing) -> bytes | None:
    """Return the manifest among the files of the newest version, None without one. Raises SourceError."""
    # The registry reads this file. It is usually a copy of the one at the root, but a workflow can also write it.
    report = read_report(subject, sources)
    # Preflight can check an older release.
    if report.release.versions.value is not None and report.release.version != listing.newest:
        report = read_report(replace(subject, tag=f"v{listing.newest}"), sources)
    manifest = report.release.manifest
    if manifest is not None:
        return _get_manifest_body(manifest)
    # Only a list of checksums that was read can show that there is no manifest.
    if any(platform.sums is not None and platform.sums.ok for platform in report.release.platforms):
        return None
    if report.terraform.outage:
        raise SourceUnavailableError(report.terraform.message)
    if report.missing_item:
        raise SourceNotFoundError(report.missing_item)
    return None


def _get_manifest_body(manifest: RegistryReply) -> bytes | None:
    if manifest.is_inconclusive:
        raise SourceUnavailableError(manifest.error)
    if manifest.is_missing:
        raise SourceNotFoundError(manifest.error)
    return manifest.body if manifest.ok else None


@register_check("registry.protocols", with_listing)
def check_registry_protocols(subject: Subject, sources: Sources, listing: RegistryListing) -> Result:
    if not listing.protocols:
        return Result(Outcome.NOT_RUN, "The registry has no version with a protocol to check.")
    # The registry has read the manifest of its own newest version, which GitHub's newest release can be ahead of.
    code = read_code(subject, sources, f"v{listing.newest}")
    text = code.read_text("terraform-registry-manifest.json")
    manifest = _read_release_manifest(subject, sources, listing) if text is None else text.encode()
    manifest_protocols = DEFAULT_PROTOCOLS if manifest is None else parse_manifest_protocols(manifest)
    declared = ", ".join(manifest_protocols or ())
    place = "release" if text is None and manifest is not None else "commit"
    evidence = (
        build_listing_evidence(subject, sources, listing),
        Evidence("Registry", ", ".join(listing.protocols)),
        Evidence(
            f"Manifest in the {place}", "no manifest, default 5.0" if manifest is None else declared or "not readable"
        ),
    )
    outcome = Outcome.FAIL
    summary = "terraform-registry-manifest.json declares no protocol."
    if manifest_protocols is not None and set(manifest_protocols) == set(listing.protocols):
        outcome = Outcome.PASS
        summary = f"Protocol {declared} in both places."
    elif manifest is None:
        reported = ", ".join(listing.protocols)
        summary = f"The registry reports {reported}, but without a manifest, the protocol is {declared}."
    elif manifest_protocols is not None:
        summary = f"The registry reports {', '.join(listing.protocols)}, but the manifest declares {declared}."
    return Result(outcome, summary, evidence, (*build_listing_state(listing), ("commit", code.commit)))
