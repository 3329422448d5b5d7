import hashlib
import io
import time
import tracemalloc
from dataclasses import replace

import pytest

from tests.verification.sources.http.server import GZIPPED_BODY, HEAD, Canary, Server, bomb, endless, plain, raw, silent
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

SMALL = replace(JSON, limit=1000, seconds=0.6)
QUICK = replace(ARCHIVE, limit=4 * MEGABYTE, seconds=1)
CHUNKED_HEAD = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"

MISBEHAVIORS = {
    "says nothing": (silent, DeadlineExceededError),
    "stalls in the status line": (endless(b"HTTP/1.1 2", b"", pause=30), DeadlineExceededError),
    "drips its headers": (endless(HEAD + b"X: ", b"a", pause=0.05), DeadlineExceededError),
    "drips its body": (endless(HEAD + b"Content-Length: 900\r\n\r\n", b"a", pause=0.05), DeadlineExceededError),
    "drips its chunks": (endless(CHUNKED_HEAD + b"", b"1\r\na\r\n", pause=0.05), DeadlineExceededError),
    "streams headers for ever": (endless(HEAD, b"X-Header: a\r\n"), BrokenConnectionError),
    "has one header without end": (endless(HEAD + b"X: ", b"a" * 4096), (ResponseTooLargeError, BrokenConnectionError)),
    "has 10,000 headers": (
        raw(HEAD, b"".join(b"X-%d: a\r\n" % n for n in range(10_000)), b"\r\n"),
        BrokenConnectionError,
    ),
    "says continue for ever": (endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), ResponseTooLargeError),
    "streams a body for ever": (endless(HEAD + b"\r\n", b" " * 4096), ResponseTooLargeError),
    "streams chunks for ever": (endless(CHUNKED_HEAD + b"", b"100\r\n" + b" " * 256 + b"\r\n"), ResponseTooLargeError),
    "streams a chunk's extension": (
        endless(CHUNKED_HEAD + b"1;", b"a" * 4096),
        (BrokenConnectionError, ResponseTooLargeError),
    ),
    "streams trailers for ever": (endless(CHUNKED_HEAD + b"1\r\na\r\n0\r\n", b"X: a\r\n"), ResponseTooLargeError),
    "promises more than there is": (raw(HEAD, b"Content-Length: 100\r\n\r\nshort"), BrokenConnectionError),
    "promises more than may be": (raw(HEAD, b"Content-Length: 1001\r\n\r\n", b" " * 1001), ResponseTooLargeError),
    "breaks off in a chunk": (raw(CHUNKED_HEAD + b"64\r\nshort"), BrokenConnectionError),
    "has no number as a chunk's length": (raw(CHUNKED_HEAD + b"xx\r\na\r\n"), BrokenConnectionError),
    "hangs up": (raw(b""), BrokenConnectionError),
    "speaks no HTTP": (raw(b"220 mail.acme.io ESMTP\r\n"), BrokenConnectionError),
    "sends a gzip bomb": (plain(bomb(64), b"Content-Encoding: gzip"), ResponseTooLargeError),
    "says gzip and sends none": (plain(b"{}", b"Content-Encoding: gzip"), RequestRefusedError),
    "cuts its gzip short": (plain(GZIPPED_BODY[:-6], b"Content-Encoding: gzip"), RequestRefusedError),
    "packs with brotli": (plain(b"\x8b\x00\x80{}\x03", b"Content-Encoding: br"), RequestRefusedError),
    "packs twice": (plain(GZIPPED_BODY, b"Content-Encoding: gzip, gzip"), RequestRefusedError),
    "is not there": (plain(b"", status=b"404 Not Found"), SourceNotFoundError),
    "is gone": (plain(b"", status=b"410 Gone"), SourceNotFoundError),
    "asks who we are": (plain(b"", status=b"401 Unauthorized"), AccessDeniedError),
    "forbids": (plain(b"", status=b"403 Forbidden"), AccessDeniedError),
    "is overrun": (plain(b"", status=b"429 Too Many Requests"), SourceUnavailableError),
    "is down": (plain(b"", status=b"503 Service Unavailable"), SourceUnavailableError),
    "says that nothing changed": (plain(b"", status=b"304 Not Modified"), SourceUnavailableError),
}


@pytest.fixture(scope="module")
def server():
    answers = {f"/{number}": how for number, (how, _) in enumerate(MISBEHAVIORS.values())}
    answers |= {
        "/json": plain(b'{"a": 1}'),
        "/gzip": plain(GZIPPED_BODY, b"Content-Encoding: gzip"),
        "/chunks": raw(CHUNKED_HEAD + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
        "/until-the-end": raw(HEAD, b"\r\nuntil the end"),
        "/closing": plain(b"x" * 900, b"Connection: close"),
        "/full": plain(b" " * 1000),
        "/archive": plain(b"z" * (3 * MEGABYTE)),
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
        server.answers[path] = plain(b"", b"Location: " + location.encode(), status=b"302 Found")
    yield server
    server.stop()


CLIENT = OutboundClient(loopback=True)


@pytest.mark.parametrize("number", range(len(MISBEHAVIORS)), ids=list(MISBEHAVIORS))
def test_server_that(server, number):
    _, expected = list(MISBEHAVIORS.values())[number]
    with pytest.raises(expected) as refusal:
        CLIENT.get(f"{server.url}/{number}", SMALL)
    assert str(refusal.value).endswith(".")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/json", b'{"a": 1}'),
        ("/gzip", b'{"a": 1}'),
        ("/chunks", b"abcde"),
        ("/until-the-end", b"until the end"),
        ("/full", b" " * 1000),
        ("/closing", b"x" * 900),
        ("/one", b'{"a": 1}'),
        ("/three", b'{"a": 1}'),
        ("/absolute", b'{"a": 1}'),
    ],
)
def test_answer_is_read(server, path, body):
    answer = CLIENT.get(server.url + path, SMALL)
    assert (answer.body, answer.size, answer.sha256) == (body, len(body), hashlib.sha256(body).hexdigest())


@pytest.mark.parametrize(
    ("path", "why"),
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
def test_redirect_is_refused(server, path, why):
    with pytest.raises(RequestRefusedError, match=why):
        CLIENT.get(server.url + path, SMALL)


def test_redirect_without_a_place_is_an_outage(server):
    with pytest.raises(SourceUnavailableError, match="returned status 302"):
        CLIENT.get(f"{server.url}/nowhere", SMALL)


def test_no_redirect_where_none_may_be(server):
    with pytest.raises(RequestRefusedError, match="more than 0 redirects"):
        CLIENT.ask(f"{server.url}/one", SMALL, redirects=0)


def test_headers_of_the_caller_stay_with_the_first_address(server):
    server.heard.clear()
    CLIENT.ask(f"{server.url}/one", SMALL, {"Authorization": "Bearer secret"})
    assert ["secret" in head for head in server.heard] == [True, False]


def test_archives_are_asked_for_as_they_are(server):
    server.heard.clear()
    CLIENT.ask(f"{server.url}/json", ARCHIVE)
    assert "Accept-Encoding: identity" in server.heard[0]
    with pytest.raises(RequestRefusedError, match="didn't allow compression"):
        CLIENT.get(f"{server.url}/gzip", SUMS)


def test_plain_http_to_this_machine_has_to_be_asked_for():
    canary = Canary()
    for address in (f"http://127.0.0.1:{canary.port}/", f"http://localhost:{canary.port}/"):
        with pytest.raises(RequestRefusedError):
            OutboundClient().get(address, JSON)
    assert canary.stop() == 0


def test_no_one_at_home_is_an_outage():
    with pytest.raises(BrokenConnectionError, match=r"The connection to 127\.0\.0\.1:1 failed"):
        CLIENT.get("http://127.0.0.1:1/", SMALL)


def test_resolver_that_stalls_is_too_slow():
    client = OutboundClient(resolve=lambda *_: time.sleep(2) or ["93.184.216.34"])
    with pytest.raises(DeadlineExceededError, match="took more than"):
        client.get("https://slow.acme.io/", replace(JSON, seconds=0.2))


@pytest.mark.parametrize("answer", [[], ["no address"]])
def test_resolver_that_knows_nothing_is_an_outage(answer):
    with pytest.raises(SourceUnavailableError, match="Can't resolve"):
        OutboundClient(resolve=lambda *_: answer).get("https://nowhere.acme.io/", JSON)


def test_download_goes_to_the_file(server):
    into = io.BytesIO()
    answer = CLIENT.download(f"{server.url}/archive", QUICK, into)
    assert (answer.body, answer.size, len(into.getvalue())) == (b"", 3 * MEGABYTE, 3 * MEGABYTE)
    assert answer.sha256 == hashlib.sha256(into.getvalue()).hexdigest()


@pytest.mark.parametrize(
    "how", ["streams a body for ever", "streams chunks for ever", "streams headers for ever", "sends a gzip bomb"]
)
def test_memory_stays_flat(server, how):
    number = list(MISBEHAVIORS).index(how)
    tracemalloc.start()
    try:
        for _ in range(3):
            with pytest.raises((ResponseTooLargeError, BrokenConnectionError)):
                CLIENT.get(f"{server.url}/{number}", replace(JSON, limit=MEGABYTE, seconds=10))
        assert tracemalloc.get_traced_memory()[1] < 6 * MEGABYTE
    finally:
        tracemalloc.stop()


def test_host_and_certificate_are_those_of_the_name(tls, monkeypatch):
    """The connection goes to the checked address, under the name that was asked for."""
    server, trusting = tls
    monkeypatch.setattr(urls, "PORTS", frozenset({server.port}))
    client = OutboundClient(loopback=True, resolve=lambda *_: ["127.0.0.1"], context=trusting)
    answer = client.get(f"https://registry.acme.io:{server.port}/json", SMALL)
    assert answer.body == b"{}"
    assert f"Host: registry.acme.io:{server.port}" in server.heard[0]
    with pytest.raises(RequestRefusedError, match="certificate"):
        client.get(f"https://other.acme.io:{server.port}/json", SMALL)
    with pytest.raises(RequestRefusedError, match="certificate"):
        client.get(f"https://127.0.0.1:{server.port}/json", SMALL)
    with pytest.raises(RequestRefusedError, match="certificate"):
        OutboundClient(loopback=True, resolve=client.resolve).get(f"https://registry.acme.io:{server.port}/json", SMALL)
