"""What was a command given that it cannot use? It ends with 2 then: nothing was looked at, so nobody is to blame."""

from pathlib import Path

from django.core.management.base import CommandError


class Unusable(CommandError):
    """What was given cannot be used. The text is a sentence that says what and why."""

    def __init__(self, sentence: object) -> None:
        super().__init__(str(sentence), returncode=2)


def text_of(path: Path | None, most: int) -> str:
    """The text of a file of at most so many bytes; blank where none is named. Raises Unusable."""
    if path is None:
        return ""
    try:
        if path.stat().st_size > most:
            raise Unusable(f"{path} is larger than {most // 1000} kB.")
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(f"{path} cannot be read as text.") from error
