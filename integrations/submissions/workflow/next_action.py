"""How is a turn told in the reader's language? Its sentence was written down in English; here are all that there are.

What states and facts write is a whole sentence of WHOLE, a verb of VERBS before a colon, or one of COUNTED. Titles of
requirements, names and reasons stand in it as they are.
"""

import re
from functools import lru_cache

from django.utils.translation import get_language, gettext, gettext_noop, ngettext

COMPLETE_SENTENCES = (
    gettext_noop("List the integration"),
    gettext_noop("Request the review"),
    gettext_noop("Request the review again"),
    gettext_noop("Answer the notice"),
    gettext_noop("Decide on the suspension: the grace period has ended"),
    gettext_noop("Look at what the partner did after the notice"),
    gettext_noop("Decide on the appeal against the notice"),
    gettext_noop("Settle what the suspension rests on"),
    gettext_noop("Decide on the removal: the period has ended"),
    gettext_noop("Look at what the partner did after the suspension"),
    gettext_noop("Decide on the appeal against the suspension"),
    gettext_noop("Nothing to do: it was removed from the listing"),
    gettext_noop("Nothing to do: its company no longer promises support"),
    gettext_noop("Nothing to do: the portal keeps watch"),
    gettext_noop("the period has ended"),
    gettext_noop("the partner acted"),
    gettext_noop("appeal"),
    gettext_noop("new review"),
    gettext_noop("ready to list"),
    gettext_noop("one of these is enough"),
)
SENTENCES_BY_VERB = {
    gettext_noop("Fill in"): gettext_noop("Fill in: %(what)s"),
    gettext_noop("Hand in"): gettext_noop("Hand in: %(what)s"),
    gettext_noop("Sign"): gettext_noop("Sign: %(what)s"),
    gettext_noop("Confirm"): gettext_noop("Confirm: %(what)s"),
    gettext_noop("Propose times"): gettext_noop("Propose times: %(what)s"),
    gettext_noop("Choose a time"): gettext_noop("Choose a time: %(what)s"),
    gettext_noop("Give"): gettext_noop("Give: %(what)s"),
    gettext_noop("Fix"): gettext_noop("Fix: %(what)s"),
    gettext_noop("Settle"): gettext_noop("Settle: %(what)s"),
    gettext_noop("We check"): gettext_noop("We check: %(what)s"),
    gettext_noop("Wait for"): gettext_noop("Wait for: %(what)s"),
    gettext_noop("Decide"): gettext_noop("Decide: %(what)s"),
    gettext_noop("On hold"): gettext_noop("On hold: %(what)s"),
    gettext_noop("on hold"): gettext_noop("on hold: %(what)s"),
}
PATTERNED_SENTENCES = (
    (re.compile(r"Review round (\d+)"), gettext_noop("Review round %(what)s")),
    (re.compile(r"review round (\d+)"), gettext_noop("review round %(what)s")),
    (re.compile(r"(\d+) are enough"), gettext_noop("%(what)s are enough")),
    (re.compile(r"Complete (.+)"), gettext_noop("Complete %(what)s")),
    (re.compile(r"Decide on the tier (.+)"), gettext_noop("Decide on the tier %(what)s")),
    (re.compile(r"asks for the tier (.+)"), gettext_noop("asks for the tier %(what)s")),
)
FINDINGS_PATTERN = re.compile(r"(Answer|answered) (\d+) findings?")


def translate_next_action(text: str) -> str:
    """The sentence of a turn, a reason of the queue or a verb of them; what is none of ours comes back as it is."""
    return _translate(get_language(), text)


@lru_cache(maxsize=2000)
def _translate(_language: str | None, text: str) -> str:
    if text in COMPLETE_SENTENCES or text in SENTENCES_BY_VERB:
        return gettext(text)
    verb, colon, subject = text.partition(": ")
    if colon and verb in SENTENCES_BY_VERB:
        return gettext(SENTENCES_BY_VERB[verb]) % {"what": subject}
    if match := FINDINGS_PATTERN.fullmatch(text):
        return _translate_findings(match[1], int(match[2]))
    for pattern, message in PATTERNED_SENTENCES:
        if match := pattern.fullmatch(text):
            return gettext(message) % {"what": match[1]}
    return text


def _translate_findings(verb: str, count: int) -> str:
    if verb == "Answer":
        template = ngettext("Answer %(count)s finding", "Answer %(count)s findings", count)
    else:
        template = ngettext("answered %(count)s finding", "answered %(count)s findings", count)
    return template % {"count": count}
