"""Helpers for texts in tests."""


def split_words(text: str) -> list[str]:
    """Return the words of a text. With `"…".split()`, the linter would write a long list of literals."""
    return text.split()
