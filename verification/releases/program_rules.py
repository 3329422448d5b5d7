"""Rules of the program for releases. Each function checks one rule and returns its evidence.

The rules are stricter than Terraform for expired and weak keys, changed files, and unusual archives.
An outage becomes an error; a problem that the publisher can fix becomes a failure.
"""

from datetime import UTC, datetime

from verification.outcomes import Evidence, Outcome, Result, format_count
from verification.releases.artifacts import checksums as sums, executables, file_names
from verification.releases.artifacts.key_trust import Level
from verification.releases.artifacts.remarks import Remark, build_remark, select_remarks
from verification.releases.inspection import Platform, Release
from verification.releases.install_layout import RECOMMENDED_PLATFORMS, REQUIRED_PLATFORM
from verification.releases.registry_package import parse_manifest_protocols
from verification.releases.summaries import (
    NOTHING_TO_CHECK,
    build_result,
    check_each_platform,
    list_platforms,
    report_unchecked_platforms,
)
from verification.sources.http import urls
from verification.sources.registry.protocol import RegistryReply
from verification.terraform.versions import is_strict

SECONDS_PER_DAY = 86400.0
# The first match counts, so the shortest period comes first. Terraform 1.6.0 refused expired keys, which broke the
# installation of several providers.
EXPIRY_WARNINGS = ((7, "within a week"), (30, "within 30 days"), (90, "within 90 days"))


def check_listing(release: Release, now: float) -> Result:
    """Check that the registry lists the version, and that it is a semantic version."""
    reply = release.versions.reply
    versions = release.versions.value
    evidence: tuple[Evidence, ...] = (Evidence("Requested URL", reply.address, reply.address),)
    if versions is None:
        return _build_unread_result(reply, evidence)
    evidence += tuple(Evidence("The registry warns", text) for text in versions.warnings)
    if release.version_entry is None:
        requested = f"version {release.requested_version}" if release.requested_version else "any version"
        return Result(Outcome.FAIL, f"The registry does not list {requested} of {release.address}.", evidence)
    # The registry requires Semantic Versioning (Publishing Providers), which Terraform's own parser doesn't.
    conditions = {"loose": not is_strict(release.version_entry.version), "warned": versions.warnings}
    remarks = select_remarks(conditions, version=release.requested_version)
    return build_result(remarks, f"The registry lists {release.version}.", evidence)


def _build_unread_result(reply: RegistryReply, evidence: tuple[Evidence, ...]) -> Result:
    if reply.is_missing:
        summary = f"The registry's list of versions is not available: {reply.error}"
        return Result(Outcome.FAIL, summary, evidence, missing_item=reply.error)
    problem = reply.error or "The registry's list of versions has a format that Terraform can't read."
    return Result(Outcome.ERROR, f"We couldn't complete this check: {problem}", evidence)


def check_packages(release: Release, now: float) -> Result:
    """Check that each listed platform has its own package with the expected file names."""
    if not release.platforms:
        return NOTHING_TO_CHECK
    remarks = []
    unread_replies = []
    for platform in list_platforms(release):
        if platform.package is None and platform.package_reply.reply.ok:
            remarks.append(build_remark("misread"))
        elif platform.package is None:
            unread_replies.append(platform.package_reply.reply)
        remarks += _check_names(platform, release)
    evidence = (Evidence("Platforms", ", ".join(platform.name for platform in list_platforms(release)) or "none"),)
    result = build_result(remarks, "Every listed platform has its package.", evidence, unread_replies)
    return report_unchecked_platforms(result, release)


def _check_names(platform: Platform, release: Release) -> list[Remark]:
    package = platform.package
    if package is None:
        return []
    os, _, arch = platform.name.partition("_")
    expected = file_names.build_archive_name(release.name, release.version, os, arch)
    conditions = {"target": package.platform != platform.name, "filename": package.filename != expected}
    names = {"platform": platform.name, "target": package.platform, "found": package.filename or "nothing"}
    remarks = select_remarks(conditions, expected=expected, **names)
    parts = (
        (package.shasums_url, file_names.build_sums_name),
        (package.shasums_signature_url, file_names.build_signature_name),
    )
    for address, name in parts:
        # Terraform requests any URL, so another name is only a warning.
        last = urls.get_file_name(address)
        expected_name = name(release.name, release.version)
        if last != expected_name:
            found = last[:80] or "A file without a name"
            remarks.append(build_remark("asset_name", found=found, expected=expected_name))
    return remarks


def check_platforms(release: Release, now: float) -> Result:
    """Check for the platforms that HCP Terraform requires and the registry recommends."""
    if not release.platforms:
        return NOTHING_TO_CHECK
    names = [platform.name for platform in list_platforms(release)]
    missing = [platform for platform in RECOMMENDED_PLATFORMS if platform not in names]
    # HCP Terraform can't run the provider without this platform. The others are recommendations.
    remarks = select_remarks({"needed": REQUIRED_PLATFORM in missing}, platform=REQUIRED_PLATFORM)
    others = [platform for platform in missing if platform != REQUIRED_PLATFORM]
    evidence = (
        Evidence("Platforms", ", ".join(names) or "none"),
        Evidence("Recommended, but missing", ", ".join(others)),
    )
    summary = f"The release has {format_count(len(names), 'platform')}."
    return build_result(remarks, summary, evidence if others else evidence[:1])


def check_protocols(release: Release, now: float) -> Result:
    """Check that list, packages, and manifest have the same plugin protocols, and that Terraform supports one."""
    platforms = list_platforms(release)
    if release.version_entry is None or not any(platform.sums and platform.sums.ok for platform in platforms):
        return NOTHING_TO_CHECK
    by_list = frozenset(release.version_entry.protocols)
    remarks = [
        build_remark("package", platform=platform.name)
        for platform in platforms
        if platform.package is not None and frozenset(platform.package.protocols) != by_list
    ]
    if not any(text.split(".")[0] in {"5", "6"} for text in by_list):
        remarks.append(build_remark("spoken"))
    manifest = release.manifest
    by_manifest = None
    if manifest is None:
        remarks.append(build_remark("unlisted_manifest"))
    elif manifest.ok:
        by_manifest = parse_manifest_protocols(manifest.body)
        filename = file_names.build_manifest_name(release.name, release.version)
        # The signed lists decide: the manifest itself has no signature.
        lists = [each.sums.body for each in release.platforms if each.sums is not None and each.sums.ok]
        conditions = {
            "manifest_changed": manifest.sha256 not in {sums.find_digest(body, filename) for body in lists},
            "manifest_form": by_manifest is None,
            "manifest": by_manifest is not None and frozenset(by_manifest) != by_list,
        }
        remarks += select_remarks(conditions)
    evidence: tuple[Evidence, ...] = (Evidence("In the list of versions", ", ".join(sorted(by_list)) or "none"),)
    if by_manifest and manifest:
        evidence += (Evidence("In the manifest", ", ".join(by_manifest), manifest.address),)
    unread_replies = [manifest] if manifest is not None and not manifest.ok else []
    return build_result(remarks, "All sources name the same protocols.", evidence, unread_replies)


def check_checksums(release: Release, now: float) -> Result:
    """Check that the list of checksums is well-formed, contains every archive, and matches the registry."""
    summary = "The list of checksums is valid."
    return check_each_platform(release, lambda p: (p.sums, p.package), _check_platform_checksums, summary)


def _check_platform_checksums(platform: Platform, release: Release) -> list[Remark]:
    package = platform.package
    document = platform.sums.body if platform.sums else b""
    if package is None:
        return []
    remarks = list(sums.list_remarks(document, filter(None, (package.filename,))))
    digest = sums.find_digest(document, package.filename)
    if digest and digest != package.shasum.lower():
        remarks.append(build_remark("registry_differs", name=package.filename))
    return remarks


def check_signature(release: Release, now: float) -> Result:
    """Check that a valid registered key of the provider signed the list of checksums."""
    return check_each_platform(
        release,
        lambda p: (p.signature, p.verdict),
        lambda p, _: p.verdict.remarks if p.verdict else (),
        "Signed by a registered key.",
        _list_signer_evidence(release),
    )


def _list_signer_evidence(release: Release) -> tuple[Evidence, ...]:
    verdict = next((platform.verdict for platform in list_platforms(release) if platform.verdict), None)
    if verdict is None or verdict.signer is None or verdict.certificate is None or verdict.signature is None:
        return ()
    signed_on = datetime.fromtimestamp(verdict.signature.created_at or 0, UTC)
    return (
        Evidence("Key", f"{verdict.signer.label}, {verdict.certificate.primary.fingerprint}"),
        Evidence("Owner of the key", "; ".join(verdict.certificate.user_ids[:3]) or "none"),
        Evidence("Signature", f"{verdict.signature.digest.upper()} on {signed_on:%Y-%m-%d}"),
    )


def check_signing_key(release: Release, now: float) -> Result:
    """Check that the signing key doesn't expire soon and that its trust signature is valid."""
    platforms = [each for each in list_platforms(release) if each.verdict]
    # Without a signature that was read, nothing is known about its key.
    if not platforms:
        return NOTHING_TO_CHECK
    platform = next((each for each in platforms if each.verdict and each.verdict.certificate), None)
    verdict = platform.verdict if platform else None
    if platform is None or verdict is None or verdict.certificate is None:
        return Result(Outcome.NOT_RUN, "No registered key signed this release, so there is no key to check.")
    remarks = build_expiry_remarks("The key", verdict.expires_at, now)
    level = platform.trust.level if platform.trust else Level.SELF
    # Terraform refuses such a release, although it would accept one without any trust signature.
    if level == Level.BROKEN:
        remarks.append(build_remark("trust"))
    return build_result(remarks, f"The key is {level}.", (Evidence("Terraform's description", level),))


def build_expiry_remarks(name: str, end: datetime | None, now: float) -> list[Remark]:
    """Return a warning if a key has expired or expires within 90 days."""
    if end is None:
        return []
    days = (end.timestamp() - now) / SECONDS_PER_DAY
    day = f"{end:%Y-%m-%d}"
    soon = next((words for limit, words in EXPIRY_WARNINGS if days <= limit), "")
    return select_remarks({"expired": days <= 0, "expires": days > 0 and soon}, name=name, day=day, soon=soon)


def check_archives(release: Release, now: float) -> Result:
    """Check that each archive has its signed checksum, safe contents, and a program for its platform."""
    summary = "Every archive is valid."
    return check_each_platform(release, lambda p: (p.archive_reply, p.archive), _check_platform_archive, summary)


def _check_platform_archive(platform: Platform, release: Release) -> list[Remark]:
    package = platform.package
    contents = platform.archive
    digest = platform.archive_reply.sha256 if platform.archive_reply else ""
    if package is None or contents is None:
        return []
    remarks = list(contents.remarks)
    # The signed checksum outweighs the registry's own, which someone could have changed together with the archive.
    signed = sums.find_digest(platform.sums.body, package.filename) if platform.sums else ""
    if digest not in (package.shasum.lower(), signed) or (signed and digest != signed):
        remarks.append(build_remark("changed"))
    # Without a readable program, a remark about the archive already says so.
    if contents.platform is not None:
        os, _, arch = platform.name.partition("_")
        remarks += executables.list_remarks(contents.platform, os, arch)
    return remarks
