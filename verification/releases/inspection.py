"""What was found of a release? Everything is read once: answers, list of checksums, signature, archives, manifest."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import BinaryIO
from urllib.parse import urlsplit

from verification.releases import registry_package as shapes
from verification.releases.artifacts import archives, file_names, key_trust, signatures
from verification.releases.artifacts import checksums as sums
from verification.releases.artifacts.archives import Archive
from verification.releases.registry_package import Listed, Package, Told, Versions
from verification.sources.registry.protocol import RegistryProtocol, RegistryReply
from verification.terraform.versions import InvalidVersionError, Version, parse_version

MOST_PLATFORMS = 40


@dataclass(frozen=True, slots=True)
class Platform:
    """All that was read for one platform. What follows from something unread is None."""

    name: str
    told: Told[Package]
    sums: RegistryReply | None = None
    signature: RegistryReply | None = None
    verdict: signatures.Verdict | None = None
    vouched: key_trust.Trust | None = None
    archive_reply: RegistryReply | None = None
    archive: Archive | None = None

    @property
    def package(self) -> Package | None:
        return self.told.value


@dataclass(frozen=True, slots=True)
class Release:
    """A version of a provider, as it was found. `listed` is None where the registry does not list it."""

    namespace: str
    name: str
    host: str
    version: str
    asked: str
    versions: Told[Versions]
    listed: Listed | None = None
    platforms: tuple[Platform, ...] = ()
    manifest: RegistryReply | None = None

    @property
    def address(self) -> str:
        return f"{self.host}/{self.namespace}/{self.name}"

    def platform(self, name: str) -> Platform | None:
        return next((platform for platform in self.platforms if platform.name == name), None)


@dataclass
class Reader:
    """Reads one provider. `now` in seconds since 1970 decides what has expired.

    `seen`: archives, by their address, that need not be fetched again (verification.releases.unchanged_archives).
    """

    registry: RegistryProtocol
    namespace: str
    name: str
    now: float
    host: str = ""
    seen: Mapping[str, tuple[RegistryReply, Archive]] = field(default_factory=dict)
    _verdicts: dict[tuple[str, str, tuple[str, ...]], signatures.Verdict] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.namespace, self.name = file_names.normalize_part(self.namespace), file_names.normalize_part(self.name)

    def read(self, version: str = "", judged: str = "linux_amd64") -> Release:
        """The version, the newest release where none is named. `judged` is a platform that is asked for in any case."""
        told = shapes.told(self.registry.versions(self.namespace, self.name), shapes.versions)
        listed = _chosen(told.value.listed if told.value else (), version)
        host, found = self.host or self.registry.host, listed.version if listed else version
        if listed is None:
            return Release(self.namespace, self.name, host, version, version, told)
        wanted = tuple(dict.fromkeys((*listed.platforms[:MOST_PLATFORMS], judged)))
        platforms = tuple(self._platform(platform, _plain(found)) for platform in wanted)
        manifest = self._manifest(platforms, _plain(found))
        return Release(self.namespace, self.name, host, _plain(found), found, told, listed, platforms, manifest)

    def _platform(self, name: str, version: str) -> Platform:
        os, _, arch = name.partition("_")
        reply = self.registry.package(self.namespace, self.name, version, os, arch)
        told = shapes.told(reply, shapes.package)
        if told.value is None:
            return Platform(name, told)
        package = told.value
        listed = self.registry.sums(reply.resolve(package.shasums_url))
        signature = self.registry.signature(reply.resolve(package.shasums_signature_url))
        verdict = self._verdict(package, listed, signature) if listed.ok and signature.ok else None
        archive_reply, archive = self._archive(reply.resolve(package.download_url), version)
        vouched = self._trust(package, verdict) if verdict else None
        return Platform(name, told, listed, signature, verdict, vouched, archive_reply, archive)

    def _verdict(self, package: Package, listed: RegistryReply, signature: RegistryReply) -> signatures.Verdict:
        """The same list, signature and keys are judged once for all platforms."""
        keys = tuple(key.ascii_armor for key in package.keys)
        known = (listed.address, signature.address, keys)
        if known not in self._verdicts:
            armoured = [key.encode() for key in keys]
            self._verdicts[known] = signatures.judge(listed.body, signature.body, armoured, now=self.now)
        return self._verdicts[known]

    def _trust(self, package: Package, verdict: signatures.Verdict) -> key_trust.Trust | None:
        if verdict.certificate is None:
            return None
        key = package.keys[verdict.at]
        fingerprint = verdict.certificate.primary.fingerprint
        return key_trust.judge(fingerprint, key.ascii_armor.encode(), key.trust_signature, now=self.now)

    def _archive(self, address: str, version: str) -> tuple[RegistryReply, Archive | None]:
        if address in self.seen:
            return self.seen[address]
        binary = file_names.binary(self.name, version)

        def look(file: BinaryIO, size: int) -> Archive:
            return archives.judge(file, size, self.name, binary)

        return self.registry.archive(address, look)

    def _manifest(self, platforms: tuple[Platform, ...], version: str) -> RegistryReply | None:
        """The manifest beside the list of checksums, where the list names one."""
        wanted = file_names.manifest(self.name, version)
        for platform in platforms:
            listed = platform.sums
            if listed is not None and sums.digest_of(listed.body, wanted):
                parts = urlsplit(listed.address)
                folder = parts.path.rpartition("/")[0]
                return self.registry.document(parts._replace(path=f"{folder}/{wanted}", query="").geturl())
        return None


def _chosen(listed: tuple[Listed, ...], version: str) -> Listed | None:
    """The version that is asked for, however it is written; the newest release where none is."""
    readable = [(parsed, one) for one in listed if (parsed := _parsed(one.version)) is not None]
    if version:
        return next((one for parsed, one in readable if parsed == _parsed(version)), None)
    rank = [((not parsed.is_prerelease, parsed.rank), at) for at, (parsed, _) in enumerate(readable)]
    return readable[max(rank)[1]][1] if rank else None


def _parsed(text: str) -> Version | None:
    try:
        return parse_version(text)
    except InvalidVersionError:
        return None


def _plain(text: str) -> str:
    """The version as Terraform writes it in addresses."""
    return str(parse_version(text))
