"""A provider registry on loopback that serves valid and faulty releases."""

import hashlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes.signed_releases import build_zip
from tests.verification.releases.artifacts.keyring import Keyring

NAMESPACE = "acme"
ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\x3e\x00" + bytes(44)
MANIFEST = {"version": 1, "metadata": {"protocol_versions": ["5.0"]}}
Platform = tuple[str, str]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass
class Release:
    """A release of acme/NAME, valid unless changed. Fields that are None are derived from the others."""

    name: str
    version: str = "1.0.0"
    signer: str = "good"
    sign_options: tuple[str, ...] = ()
    signed_at: str = "20260401T120000"
    keys: tuple[str, ...] = ("good",)
    protocols: Any = ("5.0",)
    platforms: tuple[Platform, ...] = (("linux", "amd64"),)
    members: dict[str, bytes] | None = None
    archive: bytes | None = None
    sums: bytes | None = None
    signature: bytes | Callable[[Keyring], bytes] | None = None
    signing_keys: list[dict[str, str]] | None = None
    manifest: dict[str, Any] | None = field(default_factory=lambda: MANIFEST)
    trust: str | Callable[[Keyring], str] = ""
    package: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, Any] = field(default_factory=dict)
    version_fields: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)  # answers to paths by their end
    change_files: Callable[["Release", dict[str, bytes]], None] | None = None  # changes the signed files

    @property
    def prefix(self) -> str:
        return f"terraform-provider-{self.name}_{self.version}"

    def get_archive_name(self, platform: Platform) -> str:
        return f"{self.prefix}_{platform[0]}_{platform[1]}.zip"

    def build_archive(self) -> bytes:
        members = {f"terraform-provider-{self.name}_v{self.version}": ELF} if self.members is None else self.members
        return build_zip(members) if self.archive is None else self.archive

    def build_files(self, keyring: Keyring) -> dict[str, bytes]:
        """Return the assets of the release by name."""
        assets = {self.get_archive_name(platform): self.build_archive() for platform in self.platforms}
        if self.manifest is not None:
            assets[f"{self.prefix}_manifest.json"] = json.dumps(self.manifest).encode()
        lines = "".join(f"{sha256(data)}  {name}\n" for name, data in assets.items())
        sums = lines.encode() if self.sums is None else self.sums
        signature = self.signature(keyring) if callable(self.signature) else self.signature
        if signature is None:
            signature = keyring.sign(self.signer, sums, *self.sign_options, at=self.signed_at)
        release_files = assets | {f"{self.prefix}_SHA256SUMS": sums, f"{self.prefix}_SHA256SUMS.sig": signature}
        if self.change_files is not None:
            self.change_files(self, release_files)
        return release_files


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, *_: Any) -> None:
        """Ignore clients that disconnect."""


class ReleaseRegistry:
    """A running registry. `routes` has the answer of each path, `requested_paths` every request.

    Only a registry with a keyring can publish releases.
    """

    def __init__(self, keyring: Keyring | None) -> None:
        self.keyring = keyring
        self.routes: dict[str, Any] = {}
        self.requested_paths: list[str] = []
        self.server = _Server(("127.0.0.1", 0), _build_handler(self))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.routes["/.well-known/terraform.json"] = {"providers.v1": "/v1/providers/"}

    def publish(self, release: Release) -> Release:
        """Serve the release and its files."""
        assert self.keyring is not None
        base = f"/v1/providers/{NAMESPACE}/{release.name}"
        platforms = [{"os": os, "arch": arch} for os, arch in release.platforms]
        version_entry = {"version": release.version, "protocols": list(release.protocols), "platforms": platforms}
        versions_document = self.routes.get(f"{base}/versions")
        others = versions_document["versions"] if isinstance(versions_document, dict) else []
        self.routes[f"{base}/versions"] = {
            "versions": [*others, version_entry | release.version_fields],
            **release.versions,
        }
        release_files = release.build_files(self.keyring)
        for name, data in release_files.items():
            self.routes[f"/files/{release.name}/{name}"] = data
        for platform in release.platforms:
            path = f"{base}/{release.version}/download/{platform[0]}/{platform[1]}"
            self.routes[path] = self._build_package(release, platform, self.keyring) | release.package
        for end, answer in release.answers.items():
            for path in [p for p in self.routes if f"/{release.name}/" in p and p.endswith(end)]:
                self.routes[path] = answer
        return release

    def _build_package(self, release: Release, platform: Platform, keyring: Keyring) -> dict[str, Any]:
        name = release.get_archive_name(platform)
        files = f"{self.url}/files/{release.name}"
        keys = release.signing_keys
        if keys is None:
            trust = release.trust if isinstance(release.trust, str) else release.trust(keyring)
            keys = [
                {
                    "key_id": keyring.fingerprint(key)[-16:],
                    "ascii_armor": keyring.export(key).decode(),
                    "trust_signature": trust,
                }
                for key in release.keys
            ]
        return {
            "protocols": list(release.protocols),
            "os": platform[0],
            "arch": platform[1],
            "filename": name,
            "download_url": f"{files}/{name}",
            "shasum": sha256(release.build_archive()),
            "shasums_url": f"{files}/{release.prefix}_SHA256SUMS",
            "shasums_signature_url": f"{files}/{release.prefix}_SHA256SUMS.sig",
            "signing_keys": {"gpg_public_keys": keys},
        }

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)


def _build_handler(registry: ReleaseRegistry) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or the body waits 40 ms for the client to acknowledge the headers

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            registry.requested_paths.append(path)
            status, body = encode_answer(registry.routes.get(path, 404))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def encode_answer(answer: Any) -> tuple[int, bytes]:
    """Return the status and body of an answer: a status (int), a body (bytes), a delay (float), or a JSON document."""
    if isinstance(answer, float):
        time.sleep(answer)
        return 200, b'{"versions": []}'
    if isinstance(answer, int):
        return answer, b"{}"
    return 200, answer if isinstance(answer, bytes) else json.dumps(answer).encode()
