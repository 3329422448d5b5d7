"""Usage errors of commands, which exit with status 2 to distinguish them from negative results."""

from pathlib import Path

from django.core.management.base import CommandError


def build_usage_error(message: object) -> CommandError:
    """Return the error to raise for an argument that the command cannot use."""
    return CommandError(str(message), returncode=2)


def read_text_file(path: Path | None, max_bytes: int) -> str:
    """Return the text of a file, or an empty string without a path.

    Raises:
        CommandError: The file is larger than `max_bytes` or is not text.
    """
    if path is None:
        return ""
    try:
        if path.stat().st_size > max_bytes:
            raise build_usage_error(f"The file {path} is larger than {max_bytes // 1000} kB.")
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise build_usage_error(f"Cannot read {path} as text.") from error
