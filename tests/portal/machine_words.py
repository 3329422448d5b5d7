"""Status values and keys in the visible text of a page, which should show labels instead."""

import re
from html import unescape

from bs4 import BeautifulSoup

MACHINE_WORD = re.compile(r"\b(?!ptl_)[a-z0-9]+(?:_[a-z0-9]+)+\b")  # "ptl_" begins an API token
OF_CODE = ("code", "pre", "kbd", "samp", "script", "style", "textarea", "svg")
TAGS_AND_CODE = re.compile(rf"<({'|'.join(OF_CODE)})\b.*?</\1>|<[^>]*>", re.DOTALL)
# names of files, of platforms, and of the resources of a provider in the demo world
PUBLISHED_NAME = re.compile(r"\S+\.(?:go|json|zip)\b|\b(?:darwin|freebsd|linux|windows)_[a-z0-9]+\b|\brocket_[a-z_]+")


def list_machine_words(html: str) -> set[str]:
    """Return the words with underscores in the visible text, except in code and published names."""
    if not MACHINE_WORD.search(unescape(TAGS_AND_CODE.sub(" ", html))):
        return set()  # most pages, which are not worth parsing
    page = BeautifulSoup(html, "html.parser")
    for element in page(OF_CODE):
        element.decompose()
    return set(MACHINE_WORD.findall(PUBLISHED_NAME.sub("", page.get_text(" "))))
