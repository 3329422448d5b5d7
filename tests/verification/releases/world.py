"""A provider registry on loopback whose releases can be wrong in every way that one wants."""

import hashlib
import io
import json
import threading
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.verification.releases.artifacts.keyring import Keyring

NAMESPACE = "acme"
ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\x3e\x00" + bytes(44)
MANIFEST = {"version": 1, "metadata": {"protocol_versions": ["5.0"]}}
Platform = tuple[str, str]


def build_zip(members: dict[str, bytes], mode: int = 0o755) -> bytes:
    """A ZIP archive of these members, the same at every run."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, (2026, 4, 1, 12, 0, 0))
            info.external_attr, info.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return into.getvalue()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass
class Release:
    """A release of acme/NAME, good unless changed. What is None is made from the rest."""

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
    signature: bytes | None = None
    signing_keys: list[dict[str, str]] | None = None
    manifest: dict[str, Any] | None = field(default_factory=lambda: MANIFEST)
    trust: str | Callable[[Keyring], str] = ""
    package: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, Any] = field(default_factory=dict)
    version_fields: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)  # what the last part of a path answers instead
    after: Callable[["Release", dict[str, bytes]], None] | None = None  # a change of the files once they are signed

    @property
    def prefix(self) -> str:
        return f"terraform-provider-{self.name}_{self.version}"

    def zip_name(self, platform: Platform) -> str:
        return f"{self.prefix}_{platform[0]}_{platform[1]}.zip"

    def content(self) -> bytes:
        members = {f"terraform-provider-{self.name}_v{self.version}": ELF} if self.members is None else self.members
        return build_zip(members) if self.archive is None else self.archive

    def files(self, keyring: Keyring) -> dict[str, bytes]:
        """Every asset of the release by its name."""
        assets = {self.zip_name(platform): self.content() for platform in self.platforms}
        if self.manifest is not None:
            assets[f"{self.prefix}_manifest.json"] = json.dumps(self.manifest).encode()
        lines = "".join(f"{sha256(data)}  {name}\n" for name, data in assets.items())
        sums = lines.encode() if self.sums is None else self.sums
        signature = self.signature
        if signature == b"KEY":
            signature = keyring.gpg("--export", "=good <good@acme.example>")
        if signature is None:
            signature = keyring.sign(self.signer, sums, *self.sign_options, at=self.signed_at)
        release_files = assets | {f"{self.prefix}_SHA256SUMS": sums, f"{self.prefix}_SHA256SUMS.sig": signature}
        if self.after is not None:
            self.after(self, release_files)
        return release_files


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, *_: Any) -> None:
        """A client that hung up is no news."""


class World:
    """The registry. `seen` are the paths asked for."""

    def __init__(self, keyring: Keyring | None) -> None:
        self.keyring, self.routes, self.requested_paths = keyring, {}, []
        self.server = _Server(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.routes["/.well-known/terraform.json"] = {"providers.v1": "/v1/providers/"}

    def publish(self, release: Release) -> Release:
        """Serve the release under its addresses."""
        base = f"/v1/providers/{NAMESPACE}/{release.name}"
        platforms = [{"os": os, "arch": arch} for os, arch in release.platforms]
        version_entry = {"version": release.version, "protocols": list(release.protocols), "platforms": platforms}
        versions_document = self.routes.get(f"{base}/versions")
        others = versions_document["versions"] if isinstance(versions_document, dict) else []
        self.routes[f"{base}/versions"] = {
            "versions": [*others, version_entry | release.version_fields],
            **release.versions,
        }
        release_files = release.files(self.keyring)
        for name, data in release_files.items():
            self.routes[f"/files/{release.name}/{name}"] = data
        for platform in release.platforms:
            path = f"{base}/{release.version}/download/{platform[0]}/{platform[1]}"
            self.routes[path] = self._package(release, platform, release_files) | release.package
        for end, answer in release.answers.items():
            for path in [p for p in self.routes if f"/{release.name}/" in p and p.endswith(end)]:
                self.routes[path] = answer
        return release

    def _package(self, release: Release, platform: Platform, release_files: dict[str, bytes]) -> dict[str, Any]:
        name, files = release.zip_name(platform), f"{self.url}/files/{release.name}"
        keys = release.signing_keys
        if keys is None:
            trust = release.trust if isinstance(release.trust, str) else release.trust(self.keyring)
            keys = [
                {
                    "key_id": self.keyring.fingerprint(key)[-16:],
                    "ascii_armor": self.keyring.export(key).decode(),
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
            "shasum": sha256(release.content()),
            "shasums_url": f"{files}/{release.prefix}_SHA256SUMS",
            "shasums_signature_url": f"{files}/{release.prefix}_SHA256SUMS.sig",
            "signing_keys": {"gpg_public_keys": keys},
        }

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)


def _handler(world: World) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or the body waits 40 ms for the client to acknowledge the headers

        def log_message(self, *_: Any) -> None:
            """Quiet."""

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            world.requested_paths.append(path)
            status, body = encode_answer(world.routes.get(path, 404))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def encode_answer(answer: Any) -> tuple[int, bytes]:
    """A route is a status, bytes, something for JSON, or a number of seconds to wait before nothing."""
    if isinstance(answer, float):
        time.sleep(answer)
        return 200, b'{"versions": []}'
    if isinstance(answer, int):
        return answer, b"{}"
    return 200, answer if isinstance(answer, bytes) else json.dumps(answer).encode()
