"""Tests that a stored SVG contains no scripts and no references to other files."""

import re

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile

from portal.core.svg_files import DAMAGED_MESSAGE, MAX_SVG_BYTES, NO_SVG_MESSAGE, REFERENCE_MESSAGE, TOO_LARGE_MESSAGE
from portal.core.uploads import ValidatedFile, validate_file

LOGO = ("png", "jpeg", "svg")
XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
HTML = 'xmlns="http://www.w3.org/1999/xhtml"'
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg"/>'
BOMB = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
DRAWING = (
    '<defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs>'
    '<style>.a{fill:url(#g)}</style><path class="a" d="M0 0h9v9z"/><use href="#g"/><text>Acme</text>'
)


def wrap_in_svg(body: str, attributes: str = "") -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}>{body}</svg>'.encode()


def upload(content: bytes, accept: tuple[str, ...] = LOGO) -> ValidatedFile:
    return validate_file(SimpleUploadedFile("logo.svg", content), accept)


def sanitize(content: bytes) -> str:
    """Return the stored SVG in one line, without its XML declaration."""
    lines = upload(content).file.read().decode().splitlines()
    return "".join(line.strip() for line in lines[1:])


@pytest.mark.parametrize(
    ("body", "stored"),
    [
        ("<script>alert(1)</script>", ""),
        ('<script href="https://evil.example/a.js"/>', ""),
        ('<rect onload="alert(1)" onclick="alert(1)"/>', "<rect/>"),
        (f"<foreignObject><body {HTML}><script>alert(1)</script></body></foreignObject>", ""),
        (f'<iframe {HTML} src="https://evil.example/"/>', ""),
        ('<use href="https://evil.example/a.svg#x"/>', '<use href="/a.svg#x"/>'),
        ('<image href="https://evil.example/a.png"/>', '<image href="/a.png"/>'),
        ('<image href="data:image/svg+xml;base64,PHN2Zy8+"/>', "<image/>"),
        ('<feImage href="https://evil.example/a.png"/>', '<feImage href="/a.png"/>'),
        ('<rect fill="url(https://evil.example/a#b)"/>', '<rect fill="url(/a#b)"/>'),
        ('<rect style="fill:url(//evil.example/a)"/>', '<rect style="fill:url(/a)"/>'),
        ("<style>@import 'https://evil.example/a.css';</style>", "<style></style>"),
        ("<style>@\\69mport 'https://evil.example/a.css';</style>", "<style></style>"),
        ("<style>a{b:image-set('https:\\2f\\2f evil.example')}</style>", "<style>a{b:image-set(}</style>"),
        ("<style>@font-face{src:url(https://evil.example/a)}</style>", "<style>@font-face{src:url(/a)}</style>"),
        ('<a href="javascript:alert(1)"><rect/></a>', "<a><rect/></a>"),
        (f'<a {XLINK} xlink:href=" java&#10;script:alert(1)"><rect/></a>', "<a><rect/></a>"),
        ('<a href="https://evil.example/"><rect/></a>', "<a><rect/></a>"),
        ('<animate href="#x" attributeName="href" values="/a"/>', '<animate values="/a"/>'),
        ('<set attributeName="onload" to="alert(1)"/>', '<set to="alert(1)"/>'),
        ("<metadata>Secret</metadata><!-- Secret -->", ""),
        ("<![CDATA[<script>]]>", "&lt;script&gt;"),
    ],
)
def test_dangerous_parts_are_removed(body: str, stored: str) -> None:
    expected = f'<svg xmlns="http://www.w3.org/2000/svg">{stored}</svg>' if stored else EMPTY
    assert sanitize(wrap_in_svg(body)) == expected


@pytest.mark.parametrize(
    "content",
    [
        wrap_in_svg("", 'onload="alert(1)"'),
        b'<?xml-stylesheet href="https://evil.example/a.css"?>' + wrap_in_svg(""),
        b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
        + wrap_in_svg(""),
        b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- Made by hand -->' + wrap_in_svg(""),
    ],
)
def test_dimensions_of_the_drawing_are_limited(content: bytes) -> None:
    assert sanitize(content) == EMPTY


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (wrap_in_svg("<style>a{background:image-set('https://evil.example/a' 1x)}</style>"), REFERENCE_MESSAGE),
        (wrap_in_svg("<style>a{fill:src('//evil.example/a')}</style>"), REFERENCE_MESSAGE),
        (f'<!DOCTYPE svg [<!ENTITY a0 "aaaa">{BOMB}]>'.encode() + wrap_in_svg("<text>&a9;</text>"), DAMAGED_MESSAGE),
        (
            b'<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + wrap_in_svg("<text>&x;</text>"),
            DAMAGED_MESSAGE,
        ),
        (wrap_in_svg("<g>" * 100 + "</g>" * 100), DAMAGED_MESSAGE),
        (wrap_in_svg("<g>" * 50_000), DAMAGED_MESSAGE),
        (wrap_in_svg("<rect"), DAMAGED_MESSAGE),
        (b'<?xml version="1.0" encoding="unknown"?>' + wrap_in_svg(""), DAMAGED_MESSAGE),
        (wrap_in_svg("") + b"tail", DAMAGED_MESSAGE),
        (wrap_in_svg("<rect/>" * (MAX_SVG_BYTES // 7)), TOO_LARGE_MESSAGE),
    ],
    ids=range(10),
)
def test_hostile_files_are_refused(content: bytes, message: str) -> None:
    with pytest.raises(ValidationError) as error:
        upload(content)
    assert error.value.messages == [str(message)]


def test_harmless_drawing_is_unchanged() -> None:
    assert re.sub(r"\s*<", "<", sanitize(wrap_in_svg(DRAWING))) == wrap_in_svg(DRAWING).decode().replace(
        'svg" >', 'svg">'
    )


def test_name_size_and_digest_are_those_of_the_stored_file() -> None:
    file = validate_file(SimpleUploadedFile("Logo.png", wrap_in_svg("<script/><rect/>")), LOGO)
    stored = upload(file.file.read())
    assert (file.kind, file.name) == ("svg", "Logo.png.svg")
    assert (stored.size, stored.sha256) == (file.size, file.sha256)


def test_svg_is_refused_where_no_logo_is_expected() -> None:
    with pytest.raises(ValidationError) as error:
        upload(wrap_in_svg(""), ("pdf", "png"))
    assert error.value.messages == ["HTML, SVG, and XML files are not allowed. Upload a PDF or an image instead."]


# a pattern that backtracks would not end with the last two
@pytest.mark.parametrize(
    "content",
    [
        b"<html><svg></svg></html>",
        b"<svgx/>",
        b"<?xml version='1.0'?><rss/>",
        b"<?xml version='1.0'?>" + b"<!---->" * 500,
        b"<!DOCTYPE[]>" * 300,
    ],
    ids=range(5),
)
def test_other_markup_is_not_an_svg(content: bytes) -> None:
    with pytest.raises(ValidationError) as error:
        upload(content)
    assert error.value.messages == [NO_SVG_MESSAGE]
