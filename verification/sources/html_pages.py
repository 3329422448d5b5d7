"""Text, images, and links of a web page, read without running scripts.

The text is read in one pass: the parser of the standard library takes hours for some malformed pages.
"""

import re
from dataclasses import dataclass
from html import unescape

HIDDEN_ELEMENTS = frozenset({"script", "style", "template", "noscript", "svg", "title"})
PICTURE_ELEMENTS = frozenset({"img", "picture", "video"})
TAG_PATTERN = re.compile(r"(/?)([A-Za-z][A-Za-z0-9]{0,20})")
# As in Markdown, the URL of an inline link can have parentheses in pairs, and none has a “<”, at which the search for
# the next one can continue. Clients refuse longer URLs.
MARKDOWN_LINK_PATTERN = re.compile(
    r"\]\(<?(https?://(?:[^()\s<>]|\([^()\s<>]{0,100}\)){1,2048})|<(https?://[^<>\s]{1,2048})>"
)
MARKDOWN_IMAGE = "!["
MAX_PAGE_BYTES = 1024 * 1024  # the rest of a page is ignored
MIN_TEXT_CHARACTERS = 200  # a page with less text is rendered by scripts, or is empty


@dataclass(frozen=True, slots=True)
class WebPage:
    """Content of a page. `text` is in lowercase with single spaces."""

    text: str
    images: int

    @property
    def has_text(self) -> bool:
        return len(self.text) >= MIN_TEXT_CHARACTERS


def parse_page(body: bytes) -> WebPage:
    """Parse a page in HTML or Markdown."""
    first, *parts = body[:MAX_PAGE_BYTES].decode("utf-8", "replace").split("<")
    texts = [first]
    images = first.count(MARKDOWN_IMAGE)
    hidden_element = ""
    for part in parts:
        hidden_element, tag, rest = _parse_part(part, hidden_element)
        if not hidden_element:
            texts.append(rest)
            images += rest.count(MARKDOWN_IMAGE)
            if tag in PICTURE_ELEMENTS:
                images += 1
    return WebPage(" ".join(unescape(" ".join(texts)).split()).lower(), images)


def _parse_part(part: str, hidden_element: str) -> tuple[str, str, str]:
    """Parse the text after a "<". Return the element that hides the following text, the tag, and the text after it."""
    head, bracket, rest = part.partition(">")
    if hidden_element == "!--" or part.startswith("!--"):
        _, comment_end, rest = part.partition("-->")
        return ("" if comment_end else "!--"), "", rest
    tag_match = TAG_PATTERN.match(head)
    if hidden_element:
        is_end = tag_match is not None and tag_match[1] == "/" and tag_match[2].lower() == hidden_element
        return ("" if is_end else hidden_element), "", rest
    if tag_match is None or not bracket:
        return "", "", part
    name = tag_match[2].lower()
    return (name if name in HIDDEN_ELEMENTS and not tag_match[1] and not head.endswith("/") else ""), name, rest


def extract_links(markdown: str) -> tuple[str, ...]:
    """Return the distinct URLs of the links in a Markdown text, in their order."""
    addresses = (inline_url or angle_url for inline_url, angle_url in MARKDOWN_LINK_PATTERN.findall(markdown))
    return tuple(dict.fromkeys(address.partition("#")[0].rstrip(".,") for address in addresses))
