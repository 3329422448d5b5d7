"""Title and description tags of a page for tabs, search engines, and link previews."""

from html import unescape

from django.template import Context
from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from portal.ui.components.markup import register, render

SITE = "Partner portal"
MAX_DESCRIPTION_CHARACTERS = 200


@register.simple_block_tag(takes_context=True)
def page_title(context: Context, content: str) -> SafeString:
    """Render the title with the site name, and the title for link previews without it.

    The rest of the page can show the title as `page_title`, for example as its heading.
    """
    context["page_title"] = _extract_text(content)
    return render("ui/components/page_title.html", {"title": _shorten(context["page_title"]), "site": SITE})


@register.simple_block_tag
def page_description(content: str) -> SafeString:
    """Render the description for search engines and link previews."""
    return render("ui/components/page_description.html", {"description": _shorten(_extract_text(content))})


def _extract_text(content: str) -> str:
    """Return plain text: one line without elements."""
    return " ".join(unescape(strip_tags(str(content))).split())


def _shorten(text: str) -> str:
    return Truncator(text).chars(MAX_DESCRIPTION_CHARACTERS)
