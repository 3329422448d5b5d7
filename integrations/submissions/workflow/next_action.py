"""Sentences of next actions and queue reasons, and their translation.

The database stores the English sentence; pages translate it for their reader. Each sentence is one of
COMPLETE_SENTENCES, a verb with a requirement's title, a prefix with a reason, or a pattern. Titles, names, and reasons
stay as they are.
"""

import re
from functools import lru_cache

from django.utils.translation import get_language, gettext, gettext_noop, ngettext

COMPLETE_SENTENCES = (
    gettext_noop("Publish the listing"),
    gettext_noop("Request review"),
    gettext_noop("Request another review"),
    gettext_noop("Respond to the notice"),
    gettext_noop("Decide on the suspension"),
    gettext_noop("Review the partner's response to the notice"),
    gettext_noop("Decide on the appeal against the notice"),
    gettext_noop("Fix the issues that led to the suspension"),
    gettext_noop("Decide on the delisting"),
    gettext_noop("Review the partner's response to the suspension"),
    gettext_noop("Decide on the appeal against the suspension"),
    gettext_noop("No action needed. The integration is delisted."),
    gettext_noop("No action needed. The partner ended its support commitment."),
    gettext_noop("No action needed. We monitor this integration."),
    gettext_noop("deadline ended"),
    gettext_noop("partner responded"),
    gettext_noop("appeal"),
    gettext_noop("new review"),
    gettext_noop("ready to publish"),
    gettext_noop("one of these is required"),
)
ACTION_SENTENCES = {
    gettext_noop("Complete the form"): gettext_noop("Complete the form “%(title)s”"),
    gettext_noop("Upload"): gettext_noop("Upload “%(title)s”"),
    gettext_noop("Sign"): gettext_noop("Sign “%(title)s”"),
    gettext_noop("Confirm"): gettext_noop("Confirm “%(title)s”"),
    gettext_noop("Propose times"): gettext_noop("Propose times for “%(title)s”"),
    gettext_noop("Choose a time"): gettext_noop("Choose a time for “%(title)s”"),
    gettext_noop("Add test account"): gettext_noop("Add test account “%(title)s”"),
    gettext_noop("Fix check"): gettext_noop("Fix check “%(title)s”"),
    gettext_noop("Complete"): gettext_noop("Complete “%(title)s”"),
    gettext_noop("Run check"): gettext_noop("Run check “%(title)s”"),
    gettext_noop("Wait for"): gettext_noop("Wait for “%(title)s”"),
}
ACTION_PATTERNS = {
    verb: re.compile(re.escape(sentence).replace(re.escape("%(title)s"), "(.+)"))
    for verb, sentence in ACTION_SENTENCES.items()
}
SENTENCES_BY_PREFIX = {
    "Decide on the compliance request": gettext_noop("Decide on the compliance request: %(reason)s"),
    "On hold": gettext_noop("On hold: %(reason)s"),
    "on hold": gettext_noop("on hold: %(reason)s"),
}
PATTERNED_SENTENCES = (
    (re.compile(r"Review round (\d+)"), gettext_noop("Review round %(value)s")),
    (re.compile(r"review round (\d+)"), gettext_noop("review round %(value)s")),
    (re.compile(r"(\d+) of these are required"), gettext_noop("%(value)s of these are required")),
    (re.compile(r"Complete step “(.+)”"), gettext_noop("Complete step “%(value)s”")),
    (re.compile(r"Decide on tier (.+)"), gettext_noop("Decide on tier %(value)s")),
    (re.compile(r"request for tier (.+)"), gettext_noop("request for tier %(value)s")),
)
FINDINGS_PATTERN = re.compile(r"(Respond|response) to (\d+) findings?")


def translate_next_action(text: str) -> str:
    """Translate a next action, a queue reason, or a verb; return any other text unchanged."""
    return _translate(get_language(), text)


def find_action_verb(text: str) -> str:
    """Return the English verb of a next action about a requirement, or an empty string."""
    return next((verb for verb, pattern in ACTION_PATTERNS.items() if pattern.fullmatch(text)), "")


@lru_cache(maxsize=2000)
def _translate(_language: str | None, text: str) -> str:
    if text in COMPLETE_SENTENCES or text in ACTION_SENTENCES:
        return gettext(text)
    if verb := find_action_verb(text):
        title = ACTION_PATTERNS[verb].fullmatch(text)[1]  # type: ignore[index]
        return gettext(ACTION_SENTENCES[verb]) % {"title": title}
    prefix, colon, reason = text.partition(": ")
    if colon and prefix in SENTENCES_BY_PREFIX:
        return gettext(SENTENCES_BY_PREFIX[prefix]) % {"reason": reason}
    if match := FINDINGS_PATTERN.fullmatch(text):
        return _translate_findings(match[1], int(match[2]))
    for pattern, message in PATTERNED_SENTENCES:
        if match := pattern.fullmatch(text):
            return gettext(message) % {"value": match[1]}
    return text


def _translate_findings(verb: str, count: int) -> str:
    if verb == "Respond":
        template = ngettext("Respond to %(count)s finding", "Respond to %(count)s findings", count)
    else:
        template = ngettext("response to %(count)s finding", "response to %(count)s findings", count)
    return template % {"count": count}
