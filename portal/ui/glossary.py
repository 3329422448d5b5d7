"""Where does a word lead that a reader may not know? To its row of the glossary, with its meaning on hover."""

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from portal.ui.content.glossary import TERMS_BY_KEY, build_url


def word(key: str, *, text: str = "") -> SafeString:
    """A word of the glossary as a link. Raises ValueError for a word that nobody explains."""
    if key not in TERMS_BY_KEY:
        raise ValueError(f"word must be one of the glossary's, not {key!r}.")
    entry = TERMS_BY_KEY[key]
    return format_html(
        '<a class="word" href="{}" title="{}">{}</a>', build_url(key), _(entry.meaning), text or _(entry.name).lower()
    )
