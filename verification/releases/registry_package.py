"""Parser of a registry's replies about versions and packages, with the errors that Terraform reports."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from verification.sources.registry.protocol import RegistryReply
from verification.terraform import go_json
from verification.terraform.go_json import JsonReadError

T = TypeVar("T")
PACKAGE_TEXTS = ("os", "arch", "filename", "download_url", "shasum", "shasums_url", "shasums_signature_url")


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """One version in the list. `platforms` as "linux_amd64"."""

    version: str
    protocols: tuple[str, ...]
    platforms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Versions:
    """List of versions and the registry's warnings."""

    entries: tuple[VersionEntry, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SigningKey:
    """Signing key that the registry lists."""

    key_id: str
    ascii_armor: str
    trust_signature: str


@dataclass(frozen=True, slots=True)
class Package:
    """Package for one platform. URLs are as the registry writes them and can be relative."""

    protocols: tuple[str, ...]
    os: str
    arch: str
    filename: str
    download_url: str
    shasum: str
    shasums_url: str
    shasums_signature_url: str
    keys: tuple[SigningKey, ...]

    @property
    def platform(self) -> str:
        return f"{self.os}_{self.arch}"


@dataclass(frozen=True, slots=True)
class ParsedReply(Generic[T]):
    """Reply and its parsed value. An unreadable reply has no `value`; `misread` is then Terraform's message."""

    reply: RegistryReply
    value: T | None = None
    # Blank if the message can't be predicted, so only None means that nothing was misread.
    misread: str | None = None


def parse_reply(reply: RegistryReply, shape: Callable[[object], T]) -> ParsedReply[T]:
    """Parse a reply. An unreadable reply has no value."""
    # An error page isn't parsed, because Terraform decides by its status alone.
    if not reply.ok:
        return ParsedReply(reply)
    try:
        return ParsedReply(reply, shape(go_json.decode_json(reply.body)))
    except JsonReadError as error:
        return ParsedReply(reply, misread=str(error))


def parse_versions(raw: object) -> Versions:
    """Parse the list of versions. Raises JsonReadError."""
    # The field names are those of Terraform's structs, which its messages quote.
    document = go_json.expect_object(raw)
    return Versions(
        tuple(_parse_entry(item) for item in go_json.expect_objects(document.get("versions"))),
        go_json.expect_strings(document.get("warnings"), "ResponseBody.warnings"),
    )


def _parse_entry(raw: Mapping[str, object]) -> VersionEntry:
    version = go_json.expect_string(raw.get("version"), ".versions.version")
    return VersionEntry(
        version,
        go_json.expect_strings(raw.get("protocols"), ".versions.protocols"),
        _parse_platforms(raw.get("platforms")),
    )


def _parse_platforms(raw: object) -> tuple[str, ...]:
    """Return the platforms. Terraform doesn't read them, so malformed entries are ignored."""
    entries = raw if isinstance(raw, list) else []
    pairs = [(item.get("os"), item.get("arch")) for item in entries if isinstance(item, dict)]
    return tuple(dict.fromkeys(f"{os}_{arch}" for os, arch in pairs if isinstance(os, str) and isinstance(arch, str)))


def parse_package(raw: object) -> Package:
    """Parse a package. Raises JsonReadError."""
    document = go_json.expect_object(raw)
    protocols = go_json.expect_strings(document.get("protocols"), "ResponseBody.protocols")
    texts = {name: go_json.expect_string(document.get(name), f"ResponseBody.{name}") for name in PACKAGE_TEXTS}
    keys = go_json.expect_objects(go_json.expect_object(document.get("signing_keys")).get("gpg_public_keys"))
    return Package(protocols=protocols, keys=tuple(map(_parse_key, keys)), **texts)


def _parse_key(raw: Mapping[str, object]) -> SigningKey:
    names = ("key_id", "ascii_armor", "trust_signature")
    return SigningKey(*(go_json.expect_string(raw.get(name), f"SigningKey.{name}") for name in names))


def parse_manifest_protocols(body: bytes) -> tuple[str, ...] | None:
    """Return the protocol versions in a manifest, or None if the text is no manifest."""
    try:
        metadata = go_json.expect_object(go_json.expect_object(go_json.decode_json(body)).get("metadata"))
        protocols = go_json.expect_strings(metadata.get("protocol_versions"), "")
    except JsonReadError:
        return None
    # An empty list declares nothing, like a missing manifest.
    return protocols or None
