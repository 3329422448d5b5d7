"""Translated messages for static/js/portal.js, which contains the English messages.

Pages in English don't include them.
"""

import json

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, gettext_noop

SCRIPT_LANGUAGE = "en"
MESSAGES = {
    "min": gettext_noop("%(count)s min"),
    "h": gettext_noop("%(count)s h"),
    "d": gettext_noop("%(count)s d"),
    "now": gettext_noop("just now"),
    "ago": gettext_noop("%(span)s ago"),
    "ahead": gettext_noop("in %(span)s"),
    "dueNow": gettext_noop("due now"),
    "dueIn": gettext_noop("due in %(span)s"),
    "overdue": gettext_noop("overdue by %(span)s"),
    "close": gettext_noop("Close"),
    "saving": gettext_noop("Saving…"),
    "savedNow": gettext_noop("Saved just now"),
    "savedSeconds": gettext_noop("Saved %(count)s s ago"),
    "saved": gettext_noop("Saved %(span)s ago"),
    "elsewhere": gettext_noop("Not saved. Someone changed this draft. Save to see both versions."),
    "signedOut": gettext_noop("Not saved. You are signed out. Continue to sign in. We keep your text."),
    "notSaved": gettext_noop("Not saved. Your text stays on this page. We'll try again when you type."),
    "outage": gettext_noop(
        "We couldn't update this part of the page. Your text is still on the page. Reload the page to try again."
    ),
}


def script_words() -> SafeString:
    """Render the translated messages as an attribute, or nothing in English."""
    if (get_language() or SCRIPT_LANGUAGE).partition("-")[0] == SCRIPT_LANGUAGE:
        return SafeString("")
    messages = {key: gettext(words) for key, words in MESSAGES.items()}
    return format_html('data-words="{}"', json.dumps(messages, ensure_ascii=False))
