"""Links of emails that work without a sign-in, which only their recipient can see."""

import re

from django.utils.translation import gettext as _

# A link with a signed token (django.core.signing): its payload, its time, and 43 characters of signature.
PERSONAL_LINK = re.compile(r"https?://[^\s\"'<>]*:[A-Za-z0-9]{6}:[\w-]{43}[^\s\"'<>]*")


def hide_personal_links(text: str) -> str:
    """Return the text or HTML of an email without its personal links."""
    return PERSONAL_LINK.sub(_("(personal link)"), text)
