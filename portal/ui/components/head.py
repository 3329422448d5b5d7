"""Title and description tags of a page for tabs, search engines, and link previews."""

from html import unescape

from django.template import Context
from django.utils.html import escape, strip_tags
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator

from portal.ui.components.markup import register

SITE = "Partner portal"
MAX_DESCRIPTION_CHARACTERS = 200


@register.simple_block_tag(takes_context=True)
def page_title(context: Context, content: str) -> SafeString:
    """Render the title with the site name, and the title for link previews without it.

    The rest of the page can show the title as `page_title`, for example as its heading.
    """
    context["page_title"] = _extract_text(content)
    words = _limit(context["page_title"])
    return mark_safe(  # noqa: S308 - escaped in _limit
        f'<title>{words} · {SITE}</title>\n  <meta property="og:title" content="{words or SITE}">'
    )


@register.simple_block_tag
def page_description(content: str) -> SafeString:
    """Render the description for search engines and link previews."""
    words = _limit(_extract_text(content))
    return mark_safe(  # noqa: S308 - escaped in _limit
        f'<meta name="description" content="{words}">\n  <meta property="og:description" content="{words}">'
    )


def _extract_text(content: str) -> str:
    """Return plain text: one line without elements."""
    return " ".join(unescape(strip_tags(str(content))).split())


def _limit(text: str) -> str:
    """Return text for an attribute: escaped and limited in length."""
    return escape(Truncator(text).chars(MAX_DESCRIPTION_CHARACTERS))
