"""What does a page on the web show? Its words, its pictures, where its links lead; no script is run. Plain Python.

One pass over the text, whatever stands in it: the parser of the standard library takes hours over some pages.
"""

import re
from dataclasses import dataclass
from html import unescape

UNSEEN = frozenset({"script", "style", "template", "noscript", "svg", "title"})
PICTURES = frozenset({"img", "picture", "video"})
TAG = re.compile(r"(/?)([A-Za-z][A-Za-z0-9]{0,20})")
MARKDOWN_LINK = re.compile(r"\]\(<?(https?://[^)\s>]{1,500})|<(https?://[^>\s]{1,500})>")
MARKDOWN_IMAGE = "!["
LONGEST = 1024 * 1024  # bytes of a page that are read
TOO_SHORT = 200  # characters; a page with fewer words draws itself with scripts, or says nothing


@dataclass(frozen=True, slots=True)
class Page:
    """`text` in small letters with single spaces."""

    text: str
    images: int

    @property
    def is_told(self) -> bool:
        return len(self.text) >= TOO_SHORT


def page_of(body: bytes) -> Page:
    """The page, written in HTML or Markdown."""
    first, *parts = body[:LONGEST].decode("utf-8", "replace").split("<")
    words, images, inside = [first], first.count(MARKDOWN_IMAGE), ""
    for part in parts:
        inside, tag, rest = _step(part, inside)
        if not inside:
            words.append(rest)
            images += (tag in PICTURES) + rest.count(MARKDOWN_IMAGE)
    return Page(" ".join(unescape(" ".join(words)).split()).lower(), images)


def _step(part: str, inside: str) -> tuple[str, str, str]:
    """What stands behind a "<": the element that hides what follows, the tag, and the text behind it."""
    head, closed, rest = part.partition(">")
    if inside == "!--" or part.startswith("!--"):
        _, ended, rest = part.partition("-->")
        return ("" if ended else "!--"), "", rest
    found = TAG.match(head)
    if inside:
        is_end = found is not None and found[1] == "/" and found[2].lower() == inside
        return ("" if is_end else inside), "", rest
    if found is None or not closed:
        return "", "", part
    name = found[2].lower()
    return (name if name in UNSEEN and not found[1] and not head.endswith("/") else ""), name, rest


def links_of(markdown: str) -> tuple[str, ...]:
    """Where the links of a Markdown text lead, each once, in their order."""
    found = (a or b for a, b in MARKDOWN_LINK.findall(markdown))
    return tuple(dict.fromkeys(address.partition("#")[0].rstrip(".,") for address in found))
