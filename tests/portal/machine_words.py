"""Words that only the program should read: status values and keys, in the visible text of a page."""

import re

from bs4 import BeautifulSoup

MACHINE_WORD = re.compile(r"\b(?!ptl_)[a-z0-9]+(?:_[a-z0-9]+)+\b")  # "ptl_" begins an API token
OF_CODE = ("code", "pre", "kbd", "samp", "script", "style", "textarea", "svg")
PUBLISHED_NAMES = {"linux_amd64"}  # the platform in the names of release files


def list_machine_words(html: str) -> set[str]:
    """Return the words with underscores in the visible text, except in code."""
    page = BeautifulSoup(html, "html.parser")
    for element in page(OF_CODE):
        element.decompose()
    return set(MACHINE_WORD.findall(page.get_text(" "))) - PUBLISHED_NAMES
