"""Cases of the signature suite: releases with one archive, as a registry would serve them."""

import base64
import hashlib
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.signed_releases import build_zip
from tests.verification.releases.release_registry import ELF

NAME = "rocket"
VERSION = "1.0.0"
FILENAME = f"terraform-provider-{NAME}_{VERSION}_linux_amd64.zip"
SUMS_NAME = f"terraform-provider-{NAME}_{VERSION}_SHA256SUMS"
ARCHIVE = build_zip({f"terraform-provider-{NAME}_v{VERSION}": ELF})


def format_sums(archive: bytes) -> bytes:
    return f"{hashlib.sha256(archive).hexdigest()}  {FILENAME}\n".encode()


SUMS = format_sums(ARCHIVE)


@dataclass(frozen=True)
class Case:
    """A release to evaluate. `package` overrides fields of the registry's answer."""

    name: str
    signature: bytes
    keys: tuple[str, ...]
    sums: bytes = SUMS
    archive: bytes = ARCHIVE
    trust_signature: str = ""
    package: dict[str, Any] = field(default_factory=dict)

    def build_responses(self, base_url: str, namespace: str) -> dict[str, Any]:
        """Return what a registry at `base_url` answers for this release, by path."""
        files = f"/files/{namespace}"
        keys = [{"key_id": "", "ascii_armor": key, "trust_signature": self.trust_signature} for key in self.keys]
        provider = f"/v1/providers/{namespace}/{NAME}"
        package = {
            "protocols": ["5.0"],
            "os": "linux",
            "arch": "amd64",
            "filename": FILENAME,
            "download_url": f"{base_url}{files}/{FILENAME}",
            "shasum": hashlib.sha256(self.archive).hexdigest(),
            "shasums_url": f"{base_url}{files}/{SUMS_NAME}",
            "shasums_signature_url": f"{base_url}{files}/{SUMS_NAME}.sig",
            "signing_keys": {"gpg_public_keys": keys},
        }
        platforms = [{"os": "linux", "arch": "amd64"}]
        return {
            f"{provider}/versions": {"versions": [{"version": VERSION, "protocols": ["5.0"], "platforms": platforms}]},
            f"{provider}/{VERSION}/download/linux/amd64": package | self.package,
            f"{files}/{FILENAME}": self.archive,
            f"{files}/{SUMS_NAME}": self.sums,
            f"{files}/{SUMS_NAME}.sig": self.signature,
        }

    def to_json(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults, as JSON values."""
        binary = {"sums": SUMS, "archive": ARCHIVE, "signature": None}
        fields: dict[str, Any] = {
            name: base64.b64encode(getattr(self, name)).decode()
            for name, default in binary.items()
            if getattr(self, name) != default
        }
        optional = {"trust_signature": self.trust_signature, "package": self.package}
        return {"name": self.name, "keys": list(self.keys)} | fields | {k: v for k, v in optional.items() if v}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Case":
        values = {**fields, "keys": tuple(fields["keys"])}
        values |= {name: base64.b64decode(fields[name]) for name in ("sums", "archive", "signature") if name in fields}
        return cls(**values)
