"""Marks for translation in modules without Django."""


def gettext_noop(message: str) -> str:
    """Marks words of a plain room, as Django's own does: a page translates them where it shows them."""
    return message
