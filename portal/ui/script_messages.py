"""Translated messages for static/js/portal.js, from content/script_messages.yaml.

Pages in English don't include them.
"""

import json

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from portal.core.content_files import Content, load_section
from portal.ui.components.markup import register

SCRIPT_LANGUAGE = "en"


class ScriptMessage(Content):
    """Message of static/js/portal.js."""

    key: str
    text: str


MESSAGES: dict[str, str] = {
    message.key: message.text
    for message in load_section("portal/ui/content/script_messages.yaml", "messages", tuple[ScriptMessage, ...])
}


@register.simple_tag
def script_messages() -> SafeString:
    """Render the translated messages as an attribute, or nothing in English."""
    if (get_language() or SCRIPT_LANGUAGE).partition("-")[0] == SCRIPT_LANGUAGE:
        return SafeString("")
    messages = {key: gettext(text) for key, text in MESSAGES.items()}
    return format_html('data-messages="{}"', json.dumps(messages, ensure_ascii=False))
