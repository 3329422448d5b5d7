"""Sanitizing of SVG logos: what is stored can neither run scripts nor load other files.

`py_svg_hush` (Cloudflare's svg-hush) keeps an allowed set of elements and attributes and drops everything else.
"""

import re
from xml.parsers import expat

from django.utils.translation import gettext_lazy
from py_svg_hush import filter_svg

from portal.core.file_types import InvalidFile

MAX_SVG_BYTES = 256 * 1024
MAX_DEPTH = 64  # the sanitizer indents each level, so its output grows with the depth
SVG_PATTERN = re.compile(  # never backtracks into what precedes the first element
    rb"(?:\xef\xbb\xbf)?(?:\s++|<\?xml[^>]*+>|<!--.*?-->|<!DOCTYPE[^\[>]*+(?>\[.*?\]\s*+)?+>)*+<(?:\w+:)?svg[\s/>]",
    re.DOTALL | re.IGNORECASE,
)
NAMESPACE_PATTERN = re.compile(rb'xmlns(?::\w+)?="[^"]*"')
TOO_LARGE_MESSAGE = gettext_lazy("The SVG is larger than 256 KB. Simplify it, or upload a PNG.")
NO_SVG_MESSAGE = gettext_lazy("The file is not a valid SVG. Export it again as plain SVG, or upload a PNG.")
DAMAGED_MESSAGE = gettext_lazy("The SVG is damaged or too deeply nested. Export it again as plain SVG.")
REFERENCE_MESSAGE = gettext_lazy("The SVG contains URLs of other sites. Remove them and export it again.")


def is_svg(head: bytes) -> bool:
    """Return whether the beginning of a file is that of an SVG."""
    return SVG_PATTERN.match(head) is not None


def sanitize_svg(data: bytes) -> bytes:
    """Return an SVG without scripts, event handlers, links, embedded files, and references to other files.

    Raises:
        InvalidFile: The SVG is too large, damaged, too deeply nested, or still refers to other sites.
    """
    if len(data) > MAX_SVG_BYTES:
        raise InvalidFile(str(TOO_LARGE_MESSAGE))
    try:
        _validate_structure(data)
        sanitized = filter_svg(data)
    except (expat.ExpatError, ValueError, LookupError):  # LookupError: an unknown encoding
        raise InvalidFile(str(DAMAGED_MESSAGE)) from None
    # the sanitizer keeps style sheet functions that take an address as text, such as image-set("…")
    if b"//" in NAMESPACE_PATTERN.sub(b"", sanitized):
        raise InvalidFile(str(REFERENCE_MESSAGE))
    return sanitized


def _validate_structure(data: bytes) -> None:
    """Raise ValueError for deep nesting and entity declarations, and ExpatError for malformed XML."""
    depth = 0

    def enter(_name: str, _attributes: object) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise ValueError("nested too deeply")

    def leave(_name: str) -> None:
        nonlocal depth
        depth -= 1

    def refuse_entity(*_declaration: object) -> None:
        raise ValueError("declares an entity")

    parser = expat.ParserCreate()
    parser.StartElementHandler = enter
    parser.EndElementHandler = leave
    parser.EntityDeclHandler = refuse_entity
    parser.Parse(data, True)
