"""Tests of timeouts of slow registries and downloads."""

import json
from collections.abc import Callable

from tests.verification.sources.http.server import Server, respond, send_nothing, stream_forever
from verification.releases import verify
from verification.releases.inspection import ReleaseReader
from verification.sources.http.client import OutboundClient
from verification.sources.registry.protocol import RegistryProtocol

Answers = dict[str, Callable[..., None]]  # by path
PROVIDER_PATH = "/v1/providers/acme/rocket"
PLATFORMS = [{"os": "linux", "arch": f"arch{number}"} for number in range(40)]
VERSIONS = {"versions": [{"version": "1.0.0", "protocols": ["5.0"], "platforms": PLATFORMS}]}
SLOW_DOWNLOAD = stream_forever(b"HTTP/1.1 200 OK\r\nContent-Length: 400000000\r\n\r\n", b"PK", pause=0.05)


def build_package(number: int, url: str) -> dict[str, object]:
    return {
        "os": "linux",
        "arch": f"arch{number}",
        "filename": "rocket.zip",
        "download_url": f"{url}/{number}.zip",
        "shasum": "0" * 64,
        "protocols": ["5.0"],
        "signing_keys": {"gpg_public_keys": []},
        "shasums_url": f"{url}/shasums_url",
        "shasums_signature_url": f"{url}/shasums_signature_url",
    }


def verify_slow_release(build_answers: Callable[[str], Answers], seconds: float) -> tuple[dict[str, str], int]:
    """Return the outcomes for acme/rocket on a server with these answers, and the number of requests."""
    server = Server()
    server.answers = {f"{PROVIDER_PATH}/versions": respond(json.dumps(VERSIONS).encode()), **build_answers(server.url)}
    try:
        protocol = RegistryProtocol(server.url, OutboundClient(loopback=True), seconds)
        report = verify(ReleaseReader(protocol, "acme", "rocket", 1_793_491_200.0))
        return {id: str(result.outcome) for id, result in report.results.items()}, len(server.request_heads)
    finally:
        server.stop()


def build_stalled_packages(url: str) -> Answers:
    return {f"{PROVIDER_PATH}/1.0.0/download/linux/arch{number}": send_nothing for number in range(40)}


def build_slow_downloads(url: str) -> Answers:
    packages = {
        f"{PROVIDER_PATH}/1.0.0/download/linux/arch{number}": respond(json.dumps(build_package(number, url)).encode())
        for number in range(40)
    }
    return packages | {f"/{number}.zip": SLOW_DOWNLOAD for number in range(40)}


def test_stalled_packages_end_at_the_timeout() -> None:
    outcomes, request_count = verify_slow_release(build_stalled_packages, seconds=0.5)
    assert request_count < 1 + len(PLATFORMS)
    assert outcomes["release.packages"] == "error"
    assert "fail" not in {outcomes[id] for id in ("release.archive", "release.signature", "release.terraform")}


def test_slow_downloads_end_at_the_timeout() -> None:
    outcomes, request_count = verify_slow_release(build_slow_downloads, seconds=1)
    assert request_count < 1 + 2 * len(PLATFORMS)
    assert outcomes["release.archive"] == "error"
