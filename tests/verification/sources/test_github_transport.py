"""Tests of slow, oversized, invalid, and redirecting responses of GitHub."""

import pytest

from tests.verification.sources.http.server import (
    GZIPPED_BODY,
    HEAD,
    Server,
    build_gzip_bomb,
    respond,
    send_raw,
    stream_forever,
)
from verification.sources.errors import LegallyWithheldError, SourceUnavailableError
from verification.sources.github.api import GitHubApi
from verification.sources.http import github_transport

PATH = "/repos/acme/rocket"


@pytest.fixture
def server():
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def api(server):
    api = GitHubApi(server.url, None)
    yield api
    api.close()


def build_gzip_response(body):
    return respond(body, b"Content-Encoding: gzip")


def build_redirect(server, to):
    headers = (f"Location: {server.url}{to}".encode(), b"Connection: close")
    return respond(b"{}", *headers, status=b"301 Moved Permanently")


def test_answer_is_read(server, api):
    server.answers[PATH] = build_gzip_response(GZIPPED_BODY)
    assert api.get(PATH, "it") == {"a": 1}


@pytest.mark.parametrize(
    "answer",
    [
        build_gzip_response(build_gzip_bomb(20)),
        stream_forever(HEAD + b"Content-Type: application/json\r\n\r\n", b"[" * 65536),
        build_gzip_response(GZIPPED_BODY[:-14]),
        respond(b'{"a": NaN}'),
        respond(b"[" * 100_000),
        respond(b"\xff\xfe{}"),
        send_raw(HEAD, b"Content-Length: 500\r\n\r\n", b"{}"),
        send_raw(b"SSH-2.0-OpenSSH_9.2\r\n"),
        send_raw(b""),
    ],
    ids=["bomb", "flood", "truncated-gzip", "nan", "deep", "not-utf8", "short", "not-http", "empty"],
)
def test_invalid_answer_is_an_outage(server, api, answer):
    server.answers[PATH] = answer
    with pytest.raises(SourceUnavailableError, match="Can't read"):
        api.get(PATH, "it")


def test_slow_response_ends_at_the_timeout(server, api, monkeypatch):
    monkeypatch.setattr(github_transport, "TIMEOUT_SECONDS", 0.5)
    server.answers[PATH] = stream_forever(HEAD + b"Content-Length: 5000\r\n\r\n", b" ", pause=0.02)
    with pytest.raises(SourceUnavailableError):
        api.get(PATH, "it")


def test_redirect_loop_ends_at_the_maximum(server, api):
    server.answers |= {PATH: build_redirect(server, "/b"), "/b": build_redirect(server, PATH)}
    with pytest.raises(SourceUnavailableError):
        api.get(PATH, "it")
    assert len(server.request_heads) == github_transport.MAX_HOPS


def test_status_451_is_legally_withheld(server, api):
    server.answers[PATH] = respond(b"{}", status=b"451 Unavailable For Legal Reasons")
    with pytest.raises(LegallyWithheldError, match="GitHub withholds it for legal reasons"):
        api.get(PATH, "it")


def test_renamed_repository_is_followed(server, api):
    server.answers |= {PATH: build_redirect(server, "/b"), "/b": respond(b'{"id": 1}', b"Connection: close")}
    assert [api.get(PATH, "it"), api.get(PATH, "it")] == [{"id": 1}] * 2


def test_redirect_to_another_host_is_not_followed(server, api):
    other = Server({"/b": respond(b"{}")})
    other_url = other.url.replace("127.0.0.1", "localhost")
    server.answers[PATH] = respond(b"{}", f"Location: {other_url}/b".encode(), status=b"301 Moved Permanently")
    try:
        with pytest.raises(SourceUnavailableError):
            api.get(PATH, "it")
        assert other.request_heads == []
    finally:
        other.stop()
