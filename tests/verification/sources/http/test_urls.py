"""Tests of the URLs that may be requested."""

import pytest
from hypothesis import given, settings, strategies as st

from verification.sources.errors import RequestRefusedError
from verification.sources.http import urls


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://registry.terraform.io", "https://registry.terraform.io/"),
        ("HTTPS://Registry.Terraform.IO/v1/providers/?a=b#top", "https://registry.terraform.io/v1/providers/?a=b"),
        (
            "https://github.com:443/a/b/releases/download/v1.0.0/x_SHA256SUMS",
            "https://github.com/a/b/releases/download/v1.0.0/x_SHA256SUMS",
        ),
        ("https://downloads.acme.io:8443/x%20y", "https://downloads.acme.io:8443/x%20y"),
        ("https://xn--bcher-kva.io/", "https://xn--bcher-kva.io/"),
    ],
)
def test_valid_url_is_normalized(text, expected):
    assert str(urls.parse_url(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "https://acme.io/\ud800",
        "registry.terraform.io",
        "//registry.terraform.io/",
        "ftp://acme.io/",
        "file:///etc/passwd",
        "gopher://acme.io/",
        "http://acme.io/",
        "https:///acme.io",
        "https:acme.io",
        "https:/acme.io",
        "https://",
        "https://?a",
        "https://#a",
        "https://good.io@127.0.0.1/",
        "https://good.io:secret@acme.io/",
        "https://127.0.0.1#@good.io/",
        "https://good.io\\@127.0.0.1/",
        "https://127.0.0.1\\.good.io/",
        "https://good.io%2f@127.0.0.1/",
        "https://good.io\r\nHost: 127.0.0.1/",
        "https://good.io/\r\nX: y",
        "https://good.io/\tx",
        "https://good.io/a b",
        " https://good.io/",
        "https://good.io /",
        "https://good.io/\x00",
        "https://good.io/ü",
        "https://gööd.io/",
        "https://①②⑦.⓪.⓪.①/",
        "https://ⓛocalhost/",
        "https://127。0。0。1/",
        "https://good.io:0/",
        "https://good.io:99999/",
        "https://good.io:80/",
        "https://good.io:22/",
        "https://good.io:5432/",
        "https://good.io:6379/",
        "https://good.io:/",
        "https://good.io:443:443/",
        "https://good.io:+443/",
        "https://good.io:0443/",
        "https://localhost/",
        "https://localhost:443/",
        "https://localhost./",
        "https://good.localhost/",
        "https://db/",
        "https://redis/",
        "https://metadata/",
        "https://metadata.google.internal/",
        "https://a.local/",
        "https://a.lan/",
        "https://a.corp/",
        "https://a.home/",
        "https://a.test/",
        "https://a.onion/",
        "https://1.0.0.127.in-addr.arpa/",
        "https://good.io./",
        "https://good..io/",
        "https://.good.io/",
        "https://-good.io/",
        "https://good-.io/",
        "https://good_.io/",
        "https://good.1/",
        "https://good.0x7f/",
        "https://1/",
        "https://127.1/",
        "https://127.0.1/",
        "https://0/",
        "https://0x7f.1/",
        "https://0177.1/",
        "https://127.0.0.1.1/",
        "https://256.256.256.256/",
        "https://[::1]/",
        "https://[::1/",
        "https://::1]/",
        "https://[127.0.0.1]/",
        "https://[v1.a]/",
        "https://[::1%25lo]/",
        "https://%31/",
        "https://good.io%00.acme.io/",
        "https://" + "a" * 64 + ".io/",
        "https://" + "a." * 130 + "io/",
        "https://good.io/" + "a" * 2048,
        "javascript:alert(1)",
        "data:text/html,x",
        "http://[::ffff:7f00:1]/",
        "https://good.io/<script>",
        "https://good.io/`id`",
        "https://good.io/{a}",
        "https://good.io|acme.io/",
    ],
)
def test_invalid_url_is_refused_with_a_reason(text):
    with pytest.raises(RequestRefusedError) as refusal:
        urls.parse_url(text)
    message = str(refusal.value)
    assert message.endswith(".")
    assert message.isprintable()


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/b", "https://acme.io/b"),
        ("b?c", "https://acme.io/a/b?c"),
        ("https://other.io/", "https://other.io/"),
        ("//other.io/x", "https://other.io/x"),
        ("http://acme.io/", None),
        ("https://127.0.0.1/", None),
        ("//127.0.0.1/", None),
        ("https://169.254.169.254/latest", None),
        ("https://metadata.google.internal/", None),
        ("file:///etc/passwd", None),
        ("gopher://acme.io/", None),
        ("https://good.io@10.0.0.1/", None),
        ("\\\\127.0.0.1\\", None),
        ("https://acme.io/ x", None),
        ("//[", None),
        ("https://[acme.io/", None),
        ("https://[::ffff:10.0.0.1]/", None),
    ],
)
def test_redirect_target_is_validated(location, expected):
    link = urls.parse_url("https://acme.io/a/x")
    if expected is None:
        with pytest.raises(RequestRefusedError):
            urls.follow_redirect(link, location)
    else:
        assert str(urls.follow_redirect(link, location)) == expected


def test_port_above_65535_is_refused_on_this_machine_too():
    assert urls.parse_url("http://localhost:65535/", loopback=True).port == 65535
    with pytest.raises(RequestRefusedError, match="not a valid URL"):
        urls.parse_url("http://localhost:65536/", loopback=True)


@settings(max_examples=500, deadline=None)
@given(st.text(alphabet="htps:/.@\\[]%#?0127xaioZ-_ \r\n．１", max_size=40))
def test_parsed_url_has_a_public_host_name(text):
    try:
        link = urls.parse_url("https://" + text)
    except RequestRefusedError:
        return
    assert link.literal is None
    assert link.port in urls.PORTS
    assert str(link).startswith(f"https://{link.host}")
    assert urls.parse_url(str(link)) == link
