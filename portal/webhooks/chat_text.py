"""Texts of chat messages: user input in one short line."""

from portal.notifications.rendering import flatten_text

SHORT_TEXT_LENGTH = 150
LONG_TEXT_LENGTH = 300
MAX_ISSUES = 5


def shorten_text(text: object, max_length: int = SHORT_TEXT_LENGTH) -> str:
    """Return user input in one line, with an ellipsis at the end if it is longer."""
    flat_text = flatten_text(str(text))
    return flat_text if len(flat_text) <= max_length else flat_text[: max_length - 1] + "…"
