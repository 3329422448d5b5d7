"""Translation marks for modules that do not import Django."""


def gettext_noop(message: str) -> str:
    """Mark a message for translation, as Django's gettext_noop does."""
    return message
