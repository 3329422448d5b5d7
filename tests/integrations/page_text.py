"""Text of pages. Building the tree of a page takes longer than rendering it, so it is built at most once."""

import re
from functools import lru_cache
from html import unescape
from typing import Any

from bs4 import BeautifulSoup

MAIN = re.compile(r"<main\b.*</main>", re.DOTALL)
WITHOUT_TEXT = re.compile(r"<(script|style|template)\b.*?</\1>|<!--.*?-->", re.DOTALL)
TAG = re.compile(r"""<(?:[^<>"']|"[^"]*"|'[^']*')+>""")


@lru_cache(maxsize=8)
def _parse_content(content: bytes) -> BeautifulSoup:
    return BeautifulSoup(content, "html.parser")


def parse(response: Any) -> BeautifulSoup:
    """Return the tree of a page, which other calls share."""
    return _parse_content(response.content)


def get_text(response: Any, selector: str = "main") -> str:
    """Return the text of an element on one line. The main element needs no tree."""
    if selector == "main":
        main = MAIN.search(response.content.decode())
        assert main is not None
        return " ".join(unescape(TAG.sub(" ", WITHOUT_TEXT.sub(" ", main[0]))).split())
    element = parse(response).select_one(selector)
    assert element is not None, selector
    return " ".join(element.get_text(" ").split())


def find_text(response: Any, selector: str = "main") -> str:
    """Return the text of an element, or "" if the page doesn't have it."""
    return get_text(response, selector) if selector == "main" or parse(response).select_one(selector) else ""


def get_field_error(response: Any, field: str) -> str:
    return find_text(response, f"#id_{field}_error")
