"""Where does a word lead that a reader may not know? To its row of the glossary, with its meaning on hover."""

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from portal.ui.content.glossary import WORDS, address_of


def word(key: str, *, text: str = "") -> SafeString:
    """A word of the glossary as a link. Raises ValueError for a word that nobody explains."""
    if key not in WORDS:
        raise ValueError(f"word must be one of the glossary's, not {key!r}.")
    found = WORDS[key]
    return format_html(
        '<a class="word" href="{}" title="{}">{}</a>', address_of(key), _(found.meaning), text or _(found.name).lower()
    )
