"""Usage errors of commands, which exit with status 2 to distinguish them from negative results."""

import math
from argparse import ArgumentTypeError
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from django.core.management.base import CommandError


def build_usage_error(message: object) -> CommandError:
    """Return the error to raise for an argument that the command cannot use."""
    return CommandError(str(message), returncode=2)


def parse_positive_number(text: str) -> float:
    """Return the number of an argument. Raises ArgumentTypeError for one that is not positive and finite."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (number > 0 and math.isfinite(number)):
        raise ArgumentTypeError(f"Enter a number greater than 0, not “{text}”.")
    return number


def parse_moment(text: str, zone: tzinfo = UTC) -> datetime:
    """Return the ISO 8601 time of an argument, in the time zone unless it has an offset. Raises CommandError."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        message = f"Invalid time “{text}”. Enter an ISO 8601 time, such as 2026-04-11T15:00:00-04:00."
        raise build_usage_error(message) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def read_text_file(path: Path | None, max_bytes: int) -> str:
    """Return the text of a file, or an empty string without a path.

    Raises:
        CommandError: The file can't be read, is larger than `max_bytes`, or is not text.
    """
    if path is None:
        return ""
    try:
        if path.stat().st_size > max_bytes:
            raise build_usage_error(f"The file {path} is larger than {max_bytes // 1000} kB.")
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise build_usage_error(f"Cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise build_usage_error(f"Cannot read {path}: it is not UTF-8 text.") from error
