"""Texts of chat messages: user input in one short line, and moments."""

from datetime import UTC, datetime

from portal.notifications.rendering import flatten_text
from portal.ui.components.moments import format_short, format_time

SHORT_TEXT_LENGTH = 150
LONG_TEXT_LENGTH = 300
MAX_ISSUES = 5


def shorten_text(text: object, max_length: int = SHORT_TEXT_LENGTH) -> str:
    """Return user input in one line, with an ellipsis at the end if it is longer."""
    flat_text = flatten_text(str(text))
    return flat_text if len(flat_text) <= max_length else flat_text[: max_length - 1] + "…"


def format_moment(at: datetime) -> str:
    """Return a time in UTC, such as "Tue, Apr 14, 2:10 PM UTC"."""
    local = at.astimezone(UTC)
    return f"{format_short(local)}, {format_time(local)} UTC"
