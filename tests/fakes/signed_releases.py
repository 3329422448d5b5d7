"""Builds signed releases in memory: archives with programs, checksums, manifest, and signature.

No gpg is needed. The keys are RSA with 2048 bits and are generated once per process and owner.
"""

import hashlib
import io
import json
import struct
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pysequoia import Cert, CipherSuite, SignatureMode, Tsk, sign

PROTOCOLS = ("5.0",)
ELF_MACHINES = {"386": 3, "arm": 40, "amd64": 62, "arm64": 183, "s390x": 22}
MACH_MACHINES = {"amd64": 0x01000007, "arm64": 0x0100000C}
PE_MACHINES = {"386": 0x014C, "amd64": 0x8664, "arm64": 0xAA64}
VALIDITY_SECONDS = 3 * 365 * 86400


@cache
def build_key(owner: str = "Acme Releases <releases@acme.example>", seconds: int = VALIDITY_SECONDS) -> Tsk:
    """Return the key of an owner, valid for this time from now."""
    return Tsk.generate(owner, cipher_suite=CipherSuite.RSA2k, validity_seconds=seconds)


def export_public_key(owner: Tsk) -> str:
    """Return the armored public key as the registry stores it."""
    return str(owner.extract_certificate())


def revoke_key(owner: Tsk) -> str:
    """Return the armored public key with its revocation."""
    certificate = owner.extract_certificate()
    return str(Cert.from_bytes(bytes(certificate) + bytes(certificate.revoke(owner.certifier()))))


def build_program_header(os: str, arch: str) -> bytes:
    """Return the header of a program for a platform, which is never started."""
    if os == "darwin":
        return struct.pack("<LL", 0xFEEDFACF, MACH_MACHINES[arch]) + bytes(56)
    if os == "windows":
        return b"MZ" + bytes(58) + struct.pack("<L", 64) + b"PE\0\0" + struct.pack("<H", PE_MACHINES[arch]) + bytes(18)
    return b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00" + struct.pack("<H", ELF_MACHINES[arch]) + bytes(44)


def build_zip(members: dict[str, bytes]) -> bytes:
    """Return a ZIP archive of executable members with the same bytes in each run."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, (2026, 4, 1, 12, 0, 0))
            info.external_attr = (0o100755) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()


@dataclass
class SignedRelease:
    """A release of a provider. `files` are by name; `keys` are those that the registry lists."""

    name: str
    version: str
    files: dict[str, bytes]
    keys: tuple[str, ...]
    protocols: tuple[str, ...] = PROTOCOLS
    package: dict[str, Any] = field(default_factory=dict)  # overridden fields of the registry's response

    @property
    def prefix(self) -> str:
        return f"terraform-provider-{self.name}_{self.version}"

    def build_package_response(self, base: str, platform: str) -> dict[str, Any]:
        """Return the registry's response for a platform; the files are below `base`."""
        os, arch = platform.split("_")
        archive = f"{self.prefix}_{platform}.zip"
        keys = [{"key_id": "", "ascii_armor": armored_key, "trust_signature": ""} for armored_key in self.keys]
        return {
            "protocols": list(self.protocols),
            "os": os,
            "arch": arch,
            "filename": archive,
            "download_url": f"{base}/{archive}",
            "shasum": hashlib.sha256(self.files.get(archive, b"")).hexdigest(),
            "shasums_url": f"{base}/{self.prefix}_SHA256SUMS",
            "shasums_signature_url": f"{base}/{self.prefix}_SHA256SUMS.sig",
            "signing_keys": {"gpg_public_keys": keys},
            **self.package,
        }


def build_release(
    name: str,
    version: str,
    *,
    platforms: Sequence[str] = ("linux_amd64",),
    protocols: tuple[str, ...] = PROTOCOLS,
    signer: Tsk | None = None,
    keys: Sequence[Tsk] | None = None,
    manifest: bool = True,
    programs: dict[str, bytes] | None = None,
) -> SignedRelease:
    """Build a release with archives, manifest, checksums, and signature. `programs` are executables by platform."""
    owner = signer or build_key()
    prefix = f"terraform-provider-{name}_{version}"
    files = {}
    for platform in platforms:
        os, arch = platform.split("_")
        binary = f"terraform-provider-{name}_v{version}{'.exe' if os == 'windows' else ''}"
        files[f"{prefix}_{platform}.zip"] = build_zip(
            {binary: (programs or {}).get(platform) or build_program_header(os, arch)}
        )
    if manifest:
        manifest_document = {"version": 1, "metadata": {"protocol_versions": list(protocols)}}
        files[f"{prefix}_manifest.json"] = json.dumps(manifest_document).encode()
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {file}\n" for file, data in files.items()).encode()
    files[f"{prefix}_SHA256SUMS"] = sums
    files[f"{prefix}_SHA256SUMS.sig"] = sign(owner.signer(), sums, mode=SignatureMode.DETACHED, armor=False)
    registered_keys = [owner] if keys is None else keys
    return SignedRelease(name, version, files, tuple(map(export_public_key, registered_keys)), protocols)
