"""Tests of time limits for slow registries and files."""

import json

from tests.verification.sources.http.server import Server, respond, send_nothing, stream_forever
from verification.releases import verify
from verification.releases.inspection import Reader
from verification.sources.http.client import OutboundClient
from verification.sources.registry.protocol import RegistryProtocol

PLACE = "/v1/providers/acme/rocket"
PLATFORMS = [{"os": "linux", "arch": f"arch{number}"} for number in range(40)]
VERSIONS = {"versions": [{"version": "1.0.0", "protocols": ["5.0"], "platforms": PLATFORMS}]}
DRIP = stream_forever(b"HTTP/1.1 200 OK\r\nContent-Length: 400000000\r\n\r\n", b"PK", pause=0.05)


def package(number, url):
    parts = {name: f"{url}/{name}" for name in ("shasums_url", "shasums_signature_url")}
    keys = {"gpg_public_keys": []}
    return {
        "os": "linux",
        "arch": f"arch{number}",
        "filename": "rocket.zip",
        "download_url": f"{url}/{number}.zip",
        "shasum": "0" * 64,
        "protocols": ["5.0"],
        "signing_keys": keys,
        **parts,
    }


def read(answers, seconds):
    """The report on acme/rocket of such a server, and how many requests it got."""
    server = Server()
    server.answers = {f"{PLACE}/versions": respond(json.dumps(VERSIONS).encode()), **answers(server.url)}
    try:
        protocol = RegistryProtocol(server.url, OutboundClient(loopback=True), seconds)
        report = verify(Reader(protocol, "acme", "rocket", 1_793_491_200.0))
        return report, len(server.request_heads)
    finally:
        server.stop()


def outcomes(report):
    return {check.id: str(check.result.outcome) for check in report.checks}


def stalling(url):
    return {f"{PLACE}/1.0.0/download/linux/arch{number}": send_nothing for number in range(40)}


def dripping(url):
    packages = {
        f"{PLACE}/1.0.0/download/linux/arch{number}": respond(json.dumps(package(number, url)).encode())
        for number in range(40)
    }
    return packages | {f"/{number}.zip": DRIP for number in range(40)}


def test_registry_that_stalls_for_each_platform():
    report, requests = read(stalling, seconds=0.5)
    assert requests < 1 + len(PLATFORMS)
    assert outcomes(report)["release.packages"] == "error"
    assert "fail" not in {outcomes(report)[id] for id in ("release.archive", "release.signature", "release.terraform")}


def test_archives_that_drip():
    report, requests = read(dripping, seconds=1)
    assert requests < 1 + 2 * len(PLATFORMS)
    assert outcomes(report)["release.archive"] == "error"
