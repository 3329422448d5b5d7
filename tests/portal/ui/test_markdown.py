"""Tests of users' Markdown: hostile inputs stay text, and links lead to the web or to an email address."""

import sys
from collections.abc import Callable
from html.parser import HTMLParser
from types import FrameType

import pytest
from hypothesis import given, strategies as st

from portal.ui.markdown import list_texts, render_markdown

LINK = 'rel="nofollow noopener ugc"'
TAGS = frozenset({"a", "blockquote", "br", "code", "em", "hr", "li", "ol", "p", "pre", "s", "strong", "ul"})
HOSTILE = [
    ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
    ("<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>\n"),
    ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>\n"),
    ("<!-- x -->", "<p>&lt;!-- x --&gt;</p>\n"),
    ("&lt;script&gt;", "<p>&lt;script&gt;</p>\n"),
    ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n"),
    ("[x](JaVaScRiPt:alert(1))", "<p>[x](JaVaScRiPt:alert(1))</p>\n"),
    ("[x](&#106;avascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n"),
    ("[x](javascript&colon;alert(1))", "<p>[x](javascript:alert(1))</p>\n"),
    ("[x](java\\script:alert(1))", "<p>[x](java\\script:alert(1))</p>\n"),
    ("[x](vbscript:x)", "<p>[x](vbscript:x)</p>\n"),
    ("[x](data:text/html,x)", "<p>[x](data:text/html,x)</p>\n"),
    ("[x](file:///etc/passwd)", "<p>[x](file:///etc/passwd)</p>\n"),
    ("[x](//evil.example)", "<p>[x](//evil.example)</p>\n"),
    ("[x](/admin/)", "<p>[x](/admin/)</p>\n"),
    ("[x](#top)", "<p>[x](#top)</p>\n"),
    ("[x]()", "<p>x</p>\n"),
    ("[x](https:evil)", "<p>[x](https:evil)</p>\n"),
    ("[x](mailto:)", "<p>[x](mailto:)</p>\n"),
    ("<javascript:alert(1)>", "<p>&lt;javascript:alert(1)&gt;</p>\n"),
    ("[x][1]\n\n[1]: javascript:alert(1)", "<p>[x][1]</p>\n<p>[1]: javascript:alert(1)</p>\n"),
    ("![x](https://a.example/a.png)", f'<p>!<a href="https://a.example/a.png" {LINK}>x</a></p>\n'),
    ("![x](javascript:alert(1))", "<p>![x](javascript:alert(1))</p>\n"),
    (
        '[x](https://a.example "a\\" onclick=alert(1)")',
        f'<p><a href="https://a.example" title="a&quot; onclick=alert(1)" {LINK}>x</a></p>\n',
    ),
    (
        '[x](<https://a.example/"onclick=alert(1)>)',
        f'<p><a href="https://a.example/%22onclick=alert(1)" {LINK}>x</a></p>\n',
    ),
    (
        'https://a.example/"onclick=alert(1)',
        '<p><a href="https://a.example/" rel="nofollow">https://a.example/</a>&quot;onclick=alert(1)</p>\n',
    ),
    ("`<script>`", "<p><code>&lt;script&gt;</code></p>\n"),
    ("```<script>\nx\n```", '<pre><code class="language-&lt;script&gt;">x\n</code></pre>\n'),
    ("| a |\n|---|\n| 1 |", "<p>| a |<br />\n|---|<br />\n| 1 |</p>\n"),
]


class ElementCollector(HTMLParser):
    """Collects the elements of a text and where its links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.schemes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.schemes |= {str(value).partition(":")[0] for name, value in attrs if name == "href"}


def collect_elements(text: str) -> ElementCollector:
    collector = ElementCollector()
    collector.feed(render_markdown(text))
    return collector


@pytest.mark.parametrize(("text", "html"), HOSTILE)
def test_hostile_markdown_is_rendered_harmlessly(text: str, html: str) -> None:
    assert render_markdown(text) == html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            "One\ntwo\n\n*three* **four** ~~five~~",
            "<p>One<br />\ntwo</p>\n<p><em>three</em> <strong>four</strong> <s>five</s></p>\n",
        ),
        ("- one\n- two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"),
        ("> one", "<blockquote>\n<p>one</p>\n</blockquote>\n"),
        ("# Title", "<p><strong>Title</strong></p>\n"),
        ("Title\n===", "<p><strong>Title</strong></p>\n"),
        ("[x](http://a.example)", f'<p><a href="http://a.example" {LINK}>x</a></p>\n'),
        ("<https://a.example>", f'<p><a href="https://a.example" {LINK}>https://a.example</a></p>\n'),
        ("[x](mailto:a@b.example)", f'<p><a href="mailto:a@b.example" {LINK}>x</a></p>\n'),
        (
            "https://a.example/x_y_z?a=1&b=2",
            '<p><a href="https://a.example/x_y_z?a=1&amp;b=2" rel="nofollow">https://a.example/x_y_z?a=1&amp;b=2</a></p>\n',
        ),
        (
            "[https://a.example](https://b.example)",
            f'<p><a href="https://b.example" {LINK}>https://a.example</a></p>\n',
        ),
        ("Rename x_y_z to *.tf", "<p>Rename x_y_z to *.tf</p>\n"),
        ("", ""),
    ],
)
def test_markdown_is_rendered(text: str, html: str) -> None:
    assert render_markdown(text) == html


@given(st.text(alphabet="<>[]()!`*_~#:/\\\"'&;= \n-ahjsvt@.", max_size=80))
def test_any_text_has_only_known_elements_and_schemes(text: str) -> None:
    collector = collect_elements(text)
    assert collector.tags <= TAGS
    assert collector.attributes <= {"href", "rel", "title", "class", "start"}
    assert collector.schemes <= {"http", "https", "mailto"}


def count_executed_lines(text: str) -> int:
    """Return how many lines of Python the rendering executes."""
    count = 0
    previous = sys.gettrace()

    def trace(_frame: FrameType, event: str, _argument: object) -> Callable[..., object]:
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        render_markdown(text)
    finally:
        sys.settrace(previous)
    return count


@pytest.mark.parametrize("part", ["[", "*a ", "> ", "`", "[x](", "<a", "- ", "https://a.example ", "_a_", "a@b.c"])
def test_work_grows_in_proportion_to_the_text(part: str) -> None:
    short, long = (count_executed_lines((part * length)[:length]) for length in (500, 2000))
    assert long < 5 * short
    assert len(render_markdown((part * 8000)[:8000])) > 0


def test_texts_leave_out_code_and_links() -> None:
    text = "One `@two`\n\n    @three\n\n```\n@four\n```\n\n- *@five* [@six](https://a.example)"
    assert list(list_texts(text)) == ["One ", "@five", " "]
