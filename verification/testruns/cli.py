"""Shared parts of the kinds' command lines."""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from portal.core.cli import build_usage_error
from portal.core.value_types import JsonObject

ProgressCallback = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """The report of a test run: as plain data and as text."""

    report: JsonObject
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
