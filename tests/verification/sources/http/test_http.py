"""Tests of the HTTP client with a misbehaving server."""

import gzip
import hashlib
import io
import ssl
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tests.verification.sources.http.server import (
    GZIPPED_BODY,
    HEAD,
    Canary,
    Server,
    build_gzip_bomb,
    respond,
    send_nothing,
    send_raw,
    stream_forever,
)
from verification.sources.errors import (
    AccessDeniedError,
    RequestRefusedError,
    SourceNotFoundError,
    SourceUnavailableError,
)
from verification.sources.http import urls
from verification.sources.http.client import (
    ARCHIVE,
    JSON,
    MEGABYTE,
    SUMS,
    BrokenConnectionError,
    DeadlineExceededError,
    OutboundClient,
    ResponseTooLargeError,
)
from verification.sources.http.decoding import Decoder

SMALL = replace(JSON, limit=1000, seconds=0.6)
QUICK = replace(ARCHIVE, limit=4 * MEGABYTE, seconds=1)
CHUNKED_HEAD = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"

ErrorType = type[Exception] | tuple[type[Exception], ...]
MISBEHAVIORS: dict[str, tuple[Callable[..., None], ErrorType]] = {
    "sends nothing": (send_nothing, DeadlineExceededError),
    "stalls in the status line": (stream_forever(b"HTTP/1.1 2", b"", pause=30), DeadlineExceededError),
    "drips its headers": (stream_forever(HEAD + b"X: ", b"a", pause=0.05), DeadlineExceededError),
    "drips its body": (stream_forever(HEAD + b"Content-Length: 900\r\n\r\n", b"a", pause=0.05), DeadlineExceededError),
    "drips its chunks": (stream_forever(CHUNKED_HEAD, b"1\r\na\r\n", pause=0.05), DeadlineExceededError),
    "streams headers forever": (stream_forever(HEAD, b"X-Header: a\r\n"), BrokenConnectionError),
    "has an endless header": (
        stream_forever(HEAD + b"X: ", b"a" * 4096),
        (ResponseTooLargeError, BrokenConnectionError),
    ),
    "has 10,000 headers": (
        send_raw(HEAD, b"".join(b"X-%d: a\r\n" % n for n in range(10_000)), b"\r\n"),
        BrokenConnectionError,
    ),
    "sends 100 Continue forever": (stream_forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), BrokenConnectionError),
    "streams a body forever": (stream_forever(HEAD + b"\r\n", b" " * 4096), ResponseTooLargeError),
    "streams chunks forever": (stream_forever(CHUNKED_HEAD, b"100\r\n" + b" " * 256 + b"\r\n"), ResponseTooLargeError),
    "streams a chunk's extension": (
        stream_forever(CHUNKED_HEAD + b"1;", b"a" * 4096),
        (BrokenConnectionError, ResponseTooLargeError),
    ),
    "streams trailers forever": (stream_forever(CHUNKED_HEAD + b"1\r\na\r\n0\r\n", b"X: a\r\n"), ResponseTooLargeError),
    "announces more than it sends": (send_raw(HEAD, b"Content-Length: 100\r\n\r\nshort"), BrokenConnectionError),
    "announces more than allowed": (
        send_raw(HEAD, b"Content-Length: 1001\r\n\r\n", b" " * 1001),
        ResponseTooLargeError,
    ),
    "stops within a chunk": (send_raw(CHUNKED_HEAD + b"64\r\nshort"), BrokenConnectionError),
    "has an invalid chunk length": (send_raw(CHUNKED_HEAD + b"xx\r\na\r\n"), BrokenConnectionError),
    "closes the connection": (send_raw(b""), BrokenConnectionError),
    "doesn't speak HTTP": (send_raw(b"220 mail.acme.io ESMTP\r\n"), BrokenConnectionError),
    "sends a gzip bomb": (respond(build_gzip_bomb(64), b"Content-Encoding: gzip"), ResponseTooLargeError),
    "announces gzip and sends plain text": (respond(b"{}", b"Content-Encoding: gzip"), RequestRefusedError),
    "truncates its gzip": (respond(GZIPPED_BODY[:-6], b"Content-Encoding: gzip"), RequestRefusedError),
    "compresses with Brotli": (respond(b"\x8b\x00\x80{}\x03", b"Content-Encoding: br"), RequestRefusedError),
    "compresses twice": (respond(GZIPPED_BODY, b"Content-Encoding: gzip, gzip"), RequestRefusedError),
    "returns 404": (respond(b"", status=b"404 Not Found"), SourceNotFoundError),
    "returns 410": (respond(b"", status=b"410 Gone"), SourceNotFoundError),
    "returns 401": (respond(b"", status=b"401 Unauthorized"), AccessDeniedError),
    "returns 403": (respond(b"", status=b"403 Forbidden"), AccessDeniedError),
    "returns 429": (respond(b"", status=b"429 Too Many Requests"), SourceUnavailableError),
    "returns 503": (respond(b"", status=b"503 Service Unavailable"), SourceUnavailableError),
    "returns 304": (respond(b"", status=b"304 Not Modified"), SourceUnavailableError),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    answers = {f"/{number}": handler for number, (handler, _) in enumerate(MISBEHAVIORS.values())}
    answers |= {
        "/json": respond(b'{"a": 1}'),
        "/gzip": respond(GZIPPED_BODY, b"Content-Encoding: gzip"),
        "/members": respond(gzip.compress(b'{"a"') + gzip.compress(b": 1}"), b"Content-Encoding: gzip"),
        "/chunks": send_raw(CHUNKED_HEAD + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
        "/until-the-end": send_raw(HEAD, b"\r\nuntil the end"),
        "/closing": respond(b"x" * 900, b"Connection: close"),
        "/full": respond(b" " * 1000),
        "/archive": respond(b"z" * (3 * MEGABYTE)),
    }
    server = Server(answers)
    for path, location in {
        "/one": "/json",
        "/two": "/one",
        "/three": "/two",
        "/four": "/three",
        "/circle": "/circle",
        "/nowhere": "",
        "/private": "https://10.0.0.1/",
        "/metadata": "http://169.254.169.254/latest/meta-data/",
        "/file": "file:///etc/passwd",
        "/odd": "http://127.1/",
        "/far": "http://registry.terraform.io/",
        "/user": f"http://a:b@127.0.0.1:{server.port}/json",
        "/absolute": f"{server.url}/json",
    }.items():
        server.answers[path] = respond(b"", b"Location: " + location.encode(), status=b"302 Found")
    yield server
    server.stop()


CLIENT = OutboundClient(loopback=True)


@pytest.mark.parametrize("number", range(len(MISBEHAVIORS)), ids=list(MISBEHAVIORS))
def test_misbehaving_server_is_refused(server: Server, number: int) -> None:
    _, expected = list(MISBEHAVIORS.values())[number]
    with pytest.raises(expected) as refusal:
        CLIENT.get(f"{server.url}/{number}", SMALL)
    assert str(refusal.value).endswith(".")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/json", b'{"a": 1}'),
        ("/gzip", b'{"a": 1}'),
        ("/members", b'{"a": 1}'),
        ("/chunks", b"abcde"),
        ("/until-the-end", b"until the end"),
        ("/full", b" " * 1000),
        ("/closing", b"x" * 900),
        ("/one", b'{"a": 1}'),
        ("/three", b'{"a": 1}'),
        ("/absolute", b'{"a": 1}'),
    ],
)
def test_answer_is_read(server: Server, path: str, body: bytes) -> None:
    answer = CLIENT.get(server.url + path, SMALL)
    assert (answer.body, answer.size, answer.sha256) == (body, len(body), hashlib.sha256(body).hexdigest())


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_gzip_with_several_members_is_decoded_in_chunks_of_any_size(size: int) -> None:
    body = gzip.compress(b"one, ") + gzip.compress(b"two") + b"\0" * 8
    decoder = Decoder("gzip", is_gzip_allowed=True)
    chunks = (body[start : start + size] for start in range(0, len(body), size))
    assert b"".join(piece for chunk in chunks for piece in decoder.feed(chunk, 1000)) == b"one, two"
    decoder.finish()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/four", "more than 3 redirects"),
        ("/circle", "redirect loop"),
        ("/private", "private"),
        ("/metadata", "link-local"),
        ("/file", "not a valid URL"),
        ("/odd", "not a public host name"),
        ("/far", "Use https"),
        ("/user", "username"),
    ],
)
def test_redirect_is_refused(server: Server, path: str, reason: str) -> None:
    with pytest.raises(RequestRefusedError, match=reason):
        CLIENT.get(server.url + path, SMALL)


def test_redirect_without_a_location_is_an_outage(server: Server) -> None:
    with pytest.raises(SourceUnavailableError, match="returned status 302"):
        CLIENT.get(f"{server.url}/nowhere", SMALL)


def test_redirect_is_refused_if_none_is_allowed(server: Server) -> None:
    with pytest.raises(RequestRefusedError, match="more than 0 redirects"):
        CLIENT.request(f"{server.url}/one", SMALL, redirects=0)


def test_headers_of_the_caller_are_not_sent_to_a_redirect_target(server: Server) -> None:
    server.request_heads.clear()
    CLIENT.request(f"{server.url}/one", SMALL, {"Authorization": "Bearer secret"})
    assert ["secret" in head for head in server.request_heads] == [True, False]


def test_archives_are_requested_uncompressed(server: Server) -> None:
    server.request_heads.clear()
    CLIENT.request(f"{server.url}/json", ARCHIVE)
    assert "Accept-Encoding: identity" in server.request_heads[0]
    with pytest.raises(RequestRefusedError, match="didn't allow compression"):
        CLIENT.get(f"{server.url}/gzip", SUMS)


def test_loopback_http_requires_the_setting() -> None:
    canary = Canary()
    for address in (f"http://127.0.0.1:{canary.port}/", f"http://localhost:{canary.port}/"):
        with pytest.raises(RequestRefusedError):
            OutboundClient().get(address, JSON)
    assert canary.stop() == 0


def test_refused_connection_is_an_outage() -> None:
    with pytest.raises(BrokenConnectionError, match=r"The connection to 127\.0\.0\.1:1 failed"):
        CLIENT.get("http://127.0.0.1:1/", SMALL)


def test_stalling_resolver_exceeds_the_deadline() -> None:
    def resolve(_host: str, _port: int) -> list[str]:
        time.sleep(2)
        return ["93.184.216.34"]

    client = OutboundClient(resolve=resolve)
    with pytest.raises(DeadlineExceededError, match="took more than"):
        client.get("https://slow.acme.io/", replace(JSON, seconds=0.2))


@pytest.mark.parametrize("answer", [[], ["no address"]])
def test_unresolved_name_is_an_outage(answer: list[str]) -> None:
    with pytest.raises(SourceUnavailableError, match="Can't resolve"):
        OutboundClient(resolve=lambda *_: answer).get("https://nowhere.acme.io/", JSON)


def test_download_is_written_to_the_file(server: Server) -> None:
    file = io.BytesIO()
    answer = CLIENT.get(f"{server.url}/archive", QUICK, into=file)
    assert (answer.body, answer.size, len(file.getvalue())) == (b"", 3 * MEGABYTE, 3 * MEGABYTE)
    assert answer.sha256 == hashlib.sha256(file.getvalue()).hexdigest()


@pytest.mark.parametrize(
    "misbehavior", ["streams a body forever", "streams chunks forever", "streams headers forever", "sends a gzip bomb"]
)
def test_response_above_the_limit_uses_little_memory(server: Server, misbehavior: str) -> None:
    number = list(MISBEHAVIORS).index(misbehavior)
    tracemalloc.start()
    try:
        for _ in range(3):
            with pytest.raises((ResponseTooLargeError, BrokenConnectionError)):
                CLIENT.get(f"{server.url}/{number}", replace(JSON, limit=MEGABYTE, seconds=10))
        assert tracemalloc.get_traced_memory()[1] < 6 * MEGABYTE
    finally:
        tracemalloc.stop()


def test_certificate_must_match_the_requested_name(
    tls: tuple[Server, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection goes to the resolved address but uses the name in the request and for the certificate."""
    server, client_context = tls
    monkeypatch.setattr(urls, "PORTS", frozenset({server.port}))
    client = OutboundClient(loopback=True, resolve=lambda *_: ["127.0.0.1"], context=client_context)
    answer = client.get(f"https://registry.acme.io:{server.port}/json", SMALL)
    assert answer.body == b"{}"
    assert f"Host: registry.acme.io:{server.port}" in server.request_heads[0]
    with pytest.raises(RequestRefusedError, match="certificate"):
        client.get(f"https://other.acme.io:{server.port}/json", SMALL)
    with pytest.raises(RequestRefusedError, match="certificate"):
        client.get(f"https://127.0.0.1:{server.port}/json", SMALL)
    with pytest.raises(RequestRefusedError, match="certificate"):
        OutboundClient(loopback=True, resolve=client.resolve).get(f"https://registry.acme.io:{server.port}/json", SMALL)
