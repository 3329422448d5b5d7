"""Untrusted text in a terminal."""


def sanitize(text: str) -> str:
    """Replace characters of untrusted text that could move the terminal's cursor or hide text."""
    # A command quotes what others wrote, such as file names, and a terminal executes control sequences.
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
