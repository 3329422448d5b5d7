"""What was a command given that it cannot use? It ends with 2 then: nothing was looked at, so nobody is to blame."""

from pathlib import Path

from django.core.management.base import CommandError


def build_usage_error(message: object) -> CommandError:
    """The error to raise. The text is a sentence that says what cannot be used and why."""
    return CommandError(str(message), returncode=2)


def read_text_file(path: Path | None, max_bytes: int) -> str:
    """The text of a file of at most so many bytes; blank where none is named. Raises CommandError."""
    if path is None:
        return ""
    try:
        if path.stat().st_size > max_bytes:
            raise build_usage_error(f"{path} is larger than {max_bytes // 1000} kB.")
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise build_usage_error(f"{path} cannot be read as text.") from error
