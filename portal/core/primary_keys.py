"""Primary keys in the text of a request."""

MAX_PK_DIGITS = 18  # longer numbers may not fit into a 64-bit column


def parse_pk(text: str) -> int | None:
    """Return a primary key, or None if the text can't be one."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_PK_DIGITS else None
