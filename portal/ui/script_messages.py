"""What does the page's script say by itself? Its words, handed to it where the reader's language is not its own.

The script holds the same words in English, so that a page in English carries none of them.
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
    "saving": gettext_noop("saving…"),
    "savedNow": gettext_noop("saved just now"),
    "savedSeconds": gettext_noop("saved %(count)s s ago"),
    "saved": gettext_noop("saved %(span)s ago"),
    "elsewhere": gettext_noop("not saved: this draft was changed elsewhere, save to see both versions"),
    "signedOut": gettext_noop("not saved: you were signed out; go on, and your text waits while you sign in"),
    "notSaved": gettext_noop("not saved; your text is kept on this page, we try again when you type"),
    "outage": gettext_noop(
        "We could not update this part of the page. Nothing you typed is lost; reload to try again."
    ),
}


def script_words() -> SafeString:
    """An attribute of the page with the words, blank where the script's own are meant."""
    if (get_language() or SCRIPT_LANGUAGE).partition("-")[0] == SCRIPT_LANGUAGE:
        return SafeString("")
    messages = {key: gettext(words) for key, words in MESSAGES.items()}
    return format_html(' data-words="{}"', json.dumps(messages, ensure_ascii=False))
