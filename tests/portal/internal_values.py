"""Status values and keys in the visible text of a page, which should show labels instead."""

import re
from html import unescape

from bs4 import BeautifulSoup

INTERNAL_VALUE = re.compile(r"\b(?!ptl_)[a-z0-9]+(?:_[a-z0-9]+)+\b")  # "ptl_" begins an API token
CODE_TAGS = ("code", "pre", "kbd", "samp", "script", "style", "textarea", "svg")
TAGS_AND_CODE = re.compile(rf"<({'|'.join(CODE_TAGS)})\b.*?</\1>|<[^>]*>", re.DOTALL)
# names of files, of platforms, and of the resources of a provider in the demo world
PUBLISHED_NAME = re.compile(r"\S+\.(?:go|json|zip)\b|\b(?:darwin|freebsd|linux|windows)_[a-z0-9]+\b|\brocket_[a-z_]+")


def find_internal_values(html: str) -> set[str]:
    """Return the words with underscores in the visible text, except in code and published names."""
    if not INTERNAL_VALUE.search(unescape(TAGS_AND_CODE.sub(" ", html))):
        return set()  # most pages, which are not worth parsing
    page = BeautifulSoup(html, "html.parser")
    for element in page(CODE_TAGS):
        element.decompose()
    return set(INTERNAL_VALUE.findall(PUBLISHED_NAME.sub("", page.get_text(" "))))
