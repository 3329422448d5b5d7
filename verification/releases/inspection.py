"""Reader of a release: registry responses, checksums, signature, archives, and manifest, each read once."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import BinaryIO
from urllib.parse import urlsplit

from verification.releases import registry_package as shapes
from verification.releases.artifacts import archives, checksums as sums, file_names, key_trust, signatures
from verification.releases.artifacts.archives import Archive
from verification.releases.registry_package import Package, ParsedReply, VersionEntry, Versions
from verification.sources.http.client import JSON, SIGNATURE, SUMS
from verification.sources.registry.protocol import RegistryProtocol, RegistryReply
from verification.terraform.versions import parse_version, try_parse_version

# Each platform costs up to four requests. The checks report platforms above the limit as not checked.
MAX_PLATFORMS = 40


@dataclass(frozen=True, slots=True)
class Platform:
    """Data read for one platform. Fields derived from unread data are None."""

    name: str
    package_reply: ParsedReply[Package]
    sums: RegistryReply | None = None
    signature: RegistryReply | None = None
    verdict: signatures.Verdict | None = None
    trust: key_trust.Trust | None = None
    archive_reply: RegistryReply | None = None
    archive: Archive | None = None

    @property
    def package(self) -> Package | None:
        return self.package_reply.value


@dataclass(frozen=True, slots=True)
class Release:
    """Provider version as read from the registry. `version_entry` is None if it isn't listed."""

    namespace: str
    name: str
    host: str
    version: str
    requested_version: str
    versions: ParsedReply[Versions]
    version_entry: VersionEntry | None = None
    platforms: tuple[Platform, ...] = ()
    manifest: RegistryReply | None = None

    @property
    def address(self) -> str:
        return f"{self.host}/{self.namespace}/{self.name}"

    def get_platform(self, name: str) -> Platform | None:
        return next((platform for platform in self.platforms if platform.name == name), None)


@dataclass
class ReleaseReader:
    """Reader of one provider's releases. `now`, in seconds since 1970, determines what has expired.

    `known_archives` holds archives by URL that need no new download (verification.releases.unchanged_archives).
    """

    registry: RegistryProtocol
    namespace: str
    name: str
    now: float
    host: str = ""
    known_archives: Mapping[str, tuple[RegistryReply, Archive]] = field(default_factory=dict)
    _verdicts: dict[tuple[str, str, tuple[str, ...]], signatures.Verdict] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.namespace = file_names.normalize_part(self.namespace)
        self.name = file_names.normalize_part(self.name)

    def read(self, version: str = "", required_platform: str = "linux_amd64") -> Release:
        """Read a version, by default the newest release. `required_platform` is read even if it is not listed."""
        parsed_reply = shapes.parse_reply(self.registry.get_versions(self.namespace, self.name), shapes.parse_versions)
        version_entry = _choose_version(parsed_reply.value.entries if parsed_reply.value else (), version)
        release = Release(self.namespace, self.name, self.host or self.registry.host, version, version, parsed_reply)
        if version_entry is None:
            return release
        plain_version = str(parse_version(version_entry.version))  # as Terraform writes it in addresses
        platform_names = dict.fromkeys((*version_entry.platforms[:MAX_PLATFORMS], required_platform))
        platforms = tuple(self._read_platform(name, plain_version) for name in platform_names)
        return replace(
            release,
            version=plain_version,
            requested_version=version_entry.version,
            version_entry=version_entry,
            platforms=platforms,
            manifest=self._read_manifest(platforms, plain_version),
        )

    def _read_platform(self, name: str, version: str) -> Platform:
        os, _, arch = name.partition("_")
        reply = self.registry.get_package(self.namespace, self.name, version, os, arch)
        parsed_reply = shapes.parse_reply(reply, shapes.parse_package)
        if parsed_reply.value is None:
            return Platform(name, parsed_reply)
        package = parsed_reply.value
        checksums = self.registry.request(reply.resolve(package.shasums_url), SUMS)
        signature = self.registry.request(reply.resolve(package.shasums_signature_url), SIGNATURE)
        verdict = self._get_verdict(package, checksums, signature) if checksums.ok and signature.ok else None
        archive_reply, archive = self._read_archive(reply.resolve(package.download_url), version)
        trust = None
        # A trust signature is over the key that signed, so without one there is nothing to evaluate.
        if verdict is not None and verdict.certificate is not None:
            key = package.keys[verdict.key_index]
            fingerprint = verdict.certificate.primary.fingerprint
            trust = key_trust.evaluate_trust(fingerprint, key.ascii_armor.encode(), key.trust_signature, now=self.now)
        return Platform(name, parsed_reply, checksums, signature, verdict, trust, archive_reply, archive)

    def _get_verdict(self, package: Package, checksums: RegistryReply, signature: RegistryReply) -> signatures.Verdict:
        """Return the verdict on a signature. Platforms with the same list, signature, and keys share one verdict."""
        keys = tuple(key.ascii_armor for key in package.keys)
        cache_key = (checksums.address, signature.address, keys)
        if cache_key not in self._verdicts:
            self._verdicts[cache_key] = signatures.verify_signature(
                checksums.body, signature.body, list(map(str.encode, keys)), now=self.now
            )
        return self._verdicts[cache_key]

    def _read_archive(self, address: str, version: str) -> tuple[RegistryReply, Archive | None]:
        if address in self.known_archives:
            return self.known_archives[address]
        binary = file_names.build_binary_name(self.name, version)

        def inspect(file: BinaryIO, size: int) -> Archive:
            return archives.inspect_archive(file, size, self.name, binary)

        return self.registry.download_archive(address, inspect)

    def _read_manifest(self, platforms: tuple[Platform, ...], version: str) -> RegistryReply | None:
        """Read the manifest in the folder of the list of checksums. Return None if no list contains one."""
        # The registry protocol doesn't name the manifest, which is published beside the list of checksums.
        filename = file_names.build_manifest_name(self.name, version)
        for platform in platforms:
            checksums = platform.sums
            if checksums is not None and sums.find_digest(checksums.body, filename):
                parts = urlsplit(checksums.address)
                folder = parts.path.rpartition("/")[0]
                return self.registry.request(parts._replace(path=f"{folder}/{filename}", query="").geturl(), JSON)
        return None


def _choose_version(entries: tuple[VersionEntry, ...], version: str) -> VersionEntry | None:
    """Return the entry of a version, or of the newest release if `version` is blank. Return None without a match."""
    parsed_entries = [(parsed, entry) for entry in entries if (parsed := try_parse_version(entry.version)) is not None]
    if version:
        return next((entry for parsed, entry in parsed_entries if parsed == try_parse_version(version)), None)
    # Versions that differ only in build metadata have the same preference. The last one counts.
    preferred = max(reversed(parsed_entries), key=lambda pair: pair[0].preference, default=None)
    return preferred[1] if preferred else None
