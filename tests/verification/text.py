"""Text helpers of tests."""


def split_words(text: str) -> list[str]:
    """Return the words of a table, which the linter would otherwise turn into one long line of quoted words."""
    return text.split()
