"""Shared parts of the kinds' command lines."""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portal.core.cli import build_usage_error

ProgressCallback = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """The report of a test run: as plain data and as text."""

    report: dict[str, Any]
    text: str
    exit_code: int


def add_readable_argument(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--readable",
        type=Path,
        action="append",
        default=[],
        metavar="FOLDER",
        help="A folder that the executable can read, for executables that are scripts.",
    )


def check_executable(executable: Path) -> Path:
    """Return the absolute path. Raises CommandError."""
    if not executable.is_file():
        raise build_usage_error(f"{executable} isn't a file.")
    return executable.resolve()


def resolve_folders(folders: list[Path]) -> tuple[Path, ...]:
    return tuple(folder.resolve() for folder in folders)
