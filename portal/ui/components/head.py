"""What do tabs, search engines and chat windows read of a page before anybody opens it? Its title and description."""

from html import unescape

from django.utils.html import escape, strip_tags
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator

SITE = "Partner portal"
MAX_DESCRIPTION_CHARACTERS = 200  # characters of a description


def page_title(content: str) -> SafeString:
    """The page's own words, alone for whoever passes the page on, with the portal's name in the tab."""
    words = _extract_text(content)
    return mark_safe(  # noqa: S308 - escaped in _words
        f'<title>{words} · {SITE}</title>\n  <meta property="og:title" content="{words or SITE}">'
    )


def page_description(content: str) -> SafeString:
    """One or two sentences, for search engines and for chat windows."""
    words = _extract_text(content)
    return mark_safe(  # noqa: S308 - escaped in _words
        f'<meta name="description" content="{words}">\n  <meta property="og:description" content="{words}">'
    )


def _extract_text(content: str) -> str:
    """Text of a template as it may stand in an attribute: no elements, one line, cut at the most."""
    plain = " ".join(unescape(strip_tags(str(content))).split())
    return escape(Truncator(plain).chars(MAX_DESCRIPTION_CHARACTERS))
