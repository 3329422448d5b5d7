"""Output folder of a preview, cleared of files from earlier runs."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from verification.schemas.crossplane.options import GeneratorChoices
from verification.schemas.engine.coverage import COVERAGE_FILE, iterate_files, render_json
from verification.schemas.engine.types import ParsedSchema

DefinitionCallback = Callable[[str, dict[str, object]], None]
# No slashes: the list of files to remove comes from a file that anyone can edit.
OUTPUT_FILE_PATTERN = re.compile(r"[a-z0-9.-]+(_[a-z0-9-]+)?\.(yaml|go)")


class OutputFolderError(ValueError):
    """Output folder that can't be used. The message is safe to display."""


def write_preview(
    out: Path,
    schema: ParsedSchema,
    choices: GeneratorChoices,
    on_definition: DefinitionCallback,
) -> None:
    """Write all files to the folder, which is created if necessary. Raises OutputFolderError.

    Args:
        on_definition: Called with each definition and the name of its file; none is kept in memory.
    """
    try:
        _prepare_folder(out)
        for name, text, definition in iterate_files(schema, choices):
            (out / name).write_text(text, encoding="utf-8")
            if definition is not None:
                on_definition(name, definition)
    except OSError as error:
        raise OutputFolderError(f"Can't write to {out}: {error.strerror}.") from error


def _prepare_folder(out: Path) -> None:
    """Remove the files of an earlier run, and mark the folder before writing the first file."""
    out.mkdir(parents=True, exist_ok=True)
    if any(out.iterdir()) and not (out / COVERAGE_FILE).is_file():
        raise OutputFolderError(f"{out} contains other files. Use an empty folder or the output of an earlier run.")
    for name in _list_previous_files(out):
        (out / name).unlink(missing_ok=True)
    # After an interruption, the next run finds the mark and accepts the folder.
    (out / COVERAGE_FILE).write_text(render_json({"resources": []}), encoding="utf-8")


def _list_previous_files(out: Path) -> Iterator[str]:
    """Return the files that the coverage of an earlier run lists. Only these can be removed."""
    try:
        coverage = json.loads((out / COVERAGE_FILE).read_text(encoding="utf-8"))
        names = [name for entry in coverage["resources"] for name in entry["files"]] + coverage.get("package_files", [])
    except FileNotFoundError:
        return
    except (ValueError, KeyError, TypeError, RecursionError):
        raise OutputFolderError(
            f"{out} contains a {COVERAGE_FILE} that isn't from an earlier run. Use an empty folder."
        ) from None
    yield from (name for name in names if isinstance(name, str) and OUTPUT_FILE_PATTERN.fullmatch(name))
