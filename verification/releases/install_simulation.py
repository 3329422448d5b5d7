"""Simulation of `terraform init` on a release: its checks in their order, and its messages.

The first failed check determines the message. Compared with Terraform 1.11.4, release by release.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from verification.releases.artifacts import checksums, file_names
from verification.releases.inspection import Platform, Release
from verification.releases.registry_package import Package, ParsedReply
from verification.sources.errors import RequestRefusedError
from verification.sources.registry.protocol import RegistryReply
from verification.terraform.messages import (
    ACCEPT_DECISION,
    TerraformDecision,
    build_refusal,
    build_unknown_decision,
    decode_hex,
    quote,
    render_message,
)
from verification.terraform.versions import MAX_VERSION_NUMBER, parse_constraint, parse_version, try_parse_version

SUPPORTED_PROTOCOLS = parse_constraint(">= 5, < 7")
RESPONSE_TIMEOUT_SECONDS = 10.0  # of Terraform, for each response of a registry


def simulate_installation(release: Release, platform: str) -> TerraformDecision:
    """Return whether Terraform would install the release on a platform, with its message if it would refuse."""
    for decision in _iterate_decisions(release, platform):
        if decision is not None and decision.accepts is not True:
            return decision
    return ACCEPT_DECISION


def _iterate_decisions(release: Release, name: str) -> Iterator[TerraformDecision | None]:
    """Yield Terraform's decisions in the order of its checks. None and acceptance continue with the next check."""
    # Terraform refuses such addresses before it sends a request.
    if not file_names.is_part(release.namespace):
        yield build_refusal("provider_namespace")
    if not file_names.is_provider(release.name):
        yield build_refusal("provider_type")
    unknown_provider = build_refusal("unknown_provider", host=release.host, ns=release.address)
    yield _check_status(release.versions.reply, release, unknown_provider)
    yield _check_parsing(release.versions, release)
    yield _check_version_list(release)
    platform = release.get_platform(name)
    if platform is None:
        yield build_unknown_decision("the platform is unknown.")
        return
    no_platform = build_refusal("no_platform", ns=release.address, version=release.version, platform=name)
    yield _check_status(platform.package_reply.reply, release, no_platform)
    yield _check_parsing(platform.package_reply, release)
    if platform.package is not None:
        yield from _check_package(platform, platform.package, release)


def _check_package(platform: Platform, package: Package, release: Release) -> Iterator[TerraformDecision | None]:
    yield _check_protocols(package, release)
    if package.platform != platform.name:
        yield build_refusal("target", platform=platform.name, found=package.platform)
    yield _check_url(platform, package.download_url, "download")
    yield _check_shasum(package, release)
    yield _check_url(platform, package.shasums_url, "SHASUMS")
    yield _check_file(platform.sums, release, "sums_unread")
    yield _check_url(platform, package.shasums_signature_url, "SHASUMS signature")
    yield _check_file(platform.signature, release, "signature_unread")
    yield _check_download(platform.archive_reply)
    # After the download, Terraform compares the list, then the archive, then the signature, then the trust signature.
    checksum_list = platform.sums.body if platform.sums else b""
    verdict = platform.verdict
    yield checksums.compare_with_registry(checksum_list, package.filename, package.shasum)
    archive_digest = platform.archive_reply.sha256 if platform.archive_reply else ""
    if archive_digest != package.shasum.lower():
        yield build_refusal("archive_other", found=archive_digest, expected=package.shasum.lower())
    yield verdict.terraform if verdict else None
    yield platform.trust.terraform if platform.trust else None
    yield platform.archive.terraform if platform.archive else None
    # The lock file is written last, from all lines of the list.
    yield checksums.predict_terraform_parsing(checksum_list)


def _refuse_query(release: Release, why: str) -> TerraformDecision:
    return build_refusal("failed_query", ns=release.address, why=why)


def _check_status(reply: RegistryReply, release: Release, missing: TerraformDecision) -> TerraformDecision | None:
    """Return Terraform's decision on the registry's status, or None for a timely 200."""
    if reply.ok and not _is_late(reply):
        return None
    if reply.status == 404:
        return _mark_cause(reply, missing)
    if reply.status in {401, 403}:
        return _mark_cause(reply, build_refusal("credentials", host=release.host))
    return _check_refused_request(reply) or _mark_cause(
        reply, _refuse_query(release, _describe_retry(reply) or _get_status_line(reply))
    )


def _check_file(reply: RegistryReply | None, release: Release, key: str) -> TerraformDecision | None:
    """Return Terraform's decision on a file of the release that can't be read, or None if it can."""
    if reply is None or (reply.ok and not _is_late(reply)):
        return None
    returned_status = render_message("returned", status=_get_status_line(reply), place=reply.host)
    return _check_refused_request(reply) or _mark_cause(
        reply, _refuse_query(release, render_message(key, why=_describe_retry(reply) or returned_status))
    )


def _check_download(reply: RegistryReply | None) -> TerraformDecision | None:
    if reply is None or reply.ok:
        return None
    if reply.response is None:
        return build_unknown_decision(reply.error)
    return _mark_cause(reply, build_refusal("archive_unread", place=reply.host, code=reply.status))


def _mark_cause(reply: RegistryReply, refusal: TerraformDecision) -> TerraformDecision:
    """Return the refusal with what causes it: an outage, or a missing resource."""
    return replace(refusal, outage=reply.is_inconclusive or _is_late(reply), missing=reply.is_missing)


def _check_refused_request(reply: RegistryReply) -> TerraformDecision | None:
    """Return an unknown decision if the portal refused a request that Terraform would send, else None."""
    is_refused = isinstance(reply.refusal, RequestRefusedError)
    return build_unknown_decision(reply.error) if is_refused else None


def _describe_retry(reply: RegistryReply) -> str:
    """Return Terraform's message after a timeout or its second attempt, blank if it doesn't retry."""
    if reply.response is None or _is_late(reply):
        return render_message("too_slow")
    # Terraform's HTTP client repeats such requests once.
    retries = reply.status == 429 or (reply.status >= 500 and reply.status != 501)
    return render_message("retried", status=_get_status_line(reply), place=reply.host) if retries else ""


def _is_late(reply: RegistryReply) -> bool:
    return reply.response is not None and reply.response.seconds > RESPONSE_TIMEOUT_SECONDS


def _get_status_line(reply: RegistryReply) -> str:
    return reply.response.status_line if reply.response else ""


def _check_parsing(parsed_reply: ParsedReply[Any], release: Release) -> TerraformDecision | None:
    if parsed_reply.misread is None:
        return None
    # The registry writes these replies, so no publisher can fix them.
    return replace(_refuse_query(release, parsed_reply.misread), outage=True)


def _check_version_list(release: Release) -> TerraformDecision | None:
    """Select the version from the list. One invalid version in it makes Terraform refuse; None continues."""
    entries = release.versions.value.entries if release.versions.value else ()
    bad = next((entry.version for entry in entries if try_parse_version(entry.version) is None), None)
    if bad is not None:
        return _refuse_version(bad, release)
    if not entries:
        return build_refusal("no_versions", ns=release.address)
    # Terraform's library uses 0.0.0 for a missing version, so this version is never selected.
    is_chosen = release.version_entry is not None and not parse_version(release.version).is_unspecified
    return None if is_chosen else build_refusal("no_match", version=release.requested_version)


def _refuse_version(text: str, release: Release) -> TerraformDecision:
    large = next((number for number in re.findall(r"[0-9]+", text) if int(number[:30]) > MAX_VERSION_NUMBER), "")
    if large and text[:1].isdigit():
        return build_refusal("crash_number", text=quote(large))
    key = "version_form" if text[:1].isalpha() else "version_text"
    if text.startswith("v"):
        key = "version_v"
    return _refuse_query(release, render_message(key, text=quote(text)))


def _check_protocols(package: Package, release: Release) -> TerraformDecision | None:
    """Refuse a package without a supported protocol. The message depends on whether another version has one."""
    bad = next((text for text in package.protocols if try_parse_version(text) is None), None)
    if bad is not None:
        return _refuse_version(bad, release)
    if not package.protocols or _has_supported_protocol(package.protocols):
        return None
    entries = release.versions.value.entries if release.versions.value else ()
    if not any(_has_supported_protocol(entry.protocols) for entry in entries):
        return build_refusal("no_compatible", ns=release.address)
    return build_refusal("incompatible", quoted_ns=quote(release.address), version=release.version)


def _has_supported_protocol(protocols: tuple[str, ...]) -> bool:
    versions = map(try_parse_version, protocols)
    return any(version is not None and SUPPORTED_PROTOCOLS.allows(version) for version in versions)


def _check_url(platform: Platform, address: str, which: str) -> TerraformDecision | None:
    try:
        # Go refuses URLs with control characters, which urlsplit() removes silently.
        scheme = urlsplit(platform.package_reply.reply.resolve(address)).scheme if address.isprintable() else None
    except ValueError:
        scheme = None
    if scheme is None:
        return build_refusal("url", which=which)
    return None if scheme in {"http", "https"} else build_refusal("url_scheme", which=which)


def _check_shasum(package: Package, release: Release) -> TerraformDecision | None:
    text = package.shasum.encode()
    if len(text) != 64:
        return _refuse_query(release, render_message("shasum_length", text=quote(text)))
    _, error, _ = decode_hex(text)
    return _refuse_query(release, render_message("shasum_hex", text=quote(text), why=error)) if error else None
