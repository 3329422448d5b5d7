"""Links from terms to the glossary."""

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from portal.ui.components.markup import GLOBALS, register, render
from portal.ui.content.glossary import TERMS_BY_KEY, build_url


@register.simple_tag
def term(key: str, *, text: str = "") -> SafeString:
    """Render a term as a link to the glossary, or raise ValueError for an unknown term."""
    if key not in TERMS_BY_KEY:
        raise ValueError(f"Unknown glossary term: {key!r}.")
    entry = TERMS_BY_KEY[key]
    name = text or _(entry.name).lower()
    return render("ui/components/term.html", {"href": build_url(key), "definition": _(entry.definition), "text": name})


GLOBALS["term"] = term
