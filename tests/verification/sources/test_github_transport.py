"""Tests of GitHub responses that drip, flood, lie or redirect in circles."""

import pytest

from tests.verification.sources.http.server import GZIPPED_BODY, HEAD, Server, bomb, endless, plain, raw
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
    return plain(body, b"Content-Encoding: gzip")


def build_redirect(server, to):
    headers = (f"Location: {server.url}{to}".encode(), b"Connection: close")
    return plain(b"{}", *headers, status=b"301 Moved Permanently")


def test_answer_is_read(server, api):
    server.answers[PATH] = build_gzip_response(GZIPPED_BODY)
    assert api.get(PATH, "it") == {"a": 1}


@pytest.mark.parametrize(
    "answer",
    [
        build_gzip_response(bomb(20)),
        endless(HEAD + b"Content-Type: application/json\r\n\r\n", b"[" * 65536),
        build_gzip_response(GZIPPED_BODY[:-14]),
        plain(b'{"a": NaN}'),
        plain(b"[" * 100_000),
        plain(b"\xff\xfe{}"),
        raw(HEAD, b"Content-Length: 500\r\n\r\n", b"{}"),
        raw(b"SSH-2.0-OpenSSH_9.2\r\n"),
        raw(b""),
    ],
    ids=["bomb", "flood", "torn-gzip", "nan", "deep", "no-utf8", "short", "no-http", "nothing"],
)
def test_invalid_answer_is_an_outage(server, api, answer):
    server.answers[PATH] = answer
    with pytest.raises(SourceUnavailableError, match="Can't read"):
        api.get(PATH, "it")


def test_answer_that_drips_ends_in_time(server, api, monkeypatch):
    monkeypatch.setattr(github_transport, "TIMEOUT_SECONDS", 0.5)
    server.answers[PATH] = endless(HEAD + b"Content-Length: 5000\r\n\r\n", b" ", pause=0.02)
    with pytest.raises(SourceUnavailableError):
        api.get(PATH, "it")


def test_circle_of_redirects_is_left(server, api):
    server.answers |= {PATH: build_redirect(server, "/b"), "/b": build_redirect(server, PATH)}
    with pytest.raises(SourceUnavailableError):
        api.get(PATH, "it")
    assert len(server.heard) == github_transport.MAX_HOPS


def test_what_the_law_withholds_is_neither_absent_nor_an_outage(server, api):
    server.answers[PATH] = plain(b"{}", status=b"451 Unavailable For Legal Reasons")
    with pytest.raises(LegallyWithheldError, match="GitHub withholds it for legal reasons"):
        api.get(PATH, "it")


def test_renamed_repository_is_followed(server, api):
    server.answers |= {PATH: build_redirect(server, "/b"), "/b": plain(b'{"id": 1}', b"Connection: close")}
    assert [api.get(PATH, "it"), api.get(PATH, "it")] == [{"id": 1}] * 2


def test_redirect_to_another_host_is_not_followed(server, api):
    other = Server({"/b": plain(b"{}")})
    elsewhere = other.url.replace("127.0.0.1", "localhost")
    server.answers[PATH] = plain(b"{}", f"Location: {elsewhere}/b".encode(), status=b"301 Moved Permanently")
    try:
        with pytest.raises(SourceUnavailableError):
            api.get(PATH, "it")
        assert other.heard == []
    finally:
        other.stop()
