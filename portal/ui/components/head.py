"""Title and description tags of a page for tabs, search engines, and link previews."""

from html import unescape

from django.utils.html import escape, strip_tags
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator

from portal.ui.components.markup import register

SITE = "Partner portal"
MAX_DESCRIPTION_CHARACTERS = 200


@register.simple_block_tag
def page_title(content: str) -> SafeString:
    """Render the title with the site name, and the title for link previews without it."""
    words = _extract_text(content)
    return mark_safe(  # noqa: S308 - escaped in _extract_text
        f'<title>{words} · {SITE}</title>\n  <meta property="og:title" content="{words or SITE}">'
    )


@register.simple_block_tag
def page_description(content: str) -> SafeString:
    """Render the description for search engines and link previews."""
    words = _extract_text(content)
    return mark_safe(  # noqa: S308 - escaped in _extract_text
        f'<meta name="description" content="{words}">\n  <meta property="og:description" content="{words}">'
    )


def _extract_text(content: str) -> str:
    """Return plain text for an attribute: one line without elements, limited in length."""
    plain = " ".join(unescape(strip_tags(str(content))).split())
    return escape(Truncator(plain).chars(MAX_DESCRIPTION_CHARACTERS))
