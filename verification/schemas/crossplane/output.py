"""Where do the files of a preview lie? In a folder of their own, without what an earlier run has left there."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from verification.schemas.crossplane.options import Choices
from verification.schemas.engine.coverage import as_json, as_text, previews, summed, told
from verification.schemas.engine.types import ProviderSchema

Look = Callable[[str, dict[str, Any]], None]
COVERAGE = "coverage.json"
OURS = re.compile(r"[a-z0-9.-]+_[a-z0-9-]+\.yaml")


class BadFolder(ValueError):
    """The folder cannot be used. The message is a sentence fit to show."""


def write(out: Path, schema: ProviderSchema, chosen: Choices, look: Look = lambda name, one: None) -> dict[str, Any]:
    """All files into the folder, which is made. Gives the coverage. Raises BadFolder.

    `look` is shown each definition with the name of its file; none is kept in memory.
    """
    try:
        _make_ready(out)
        found = []
        for one in previews(schema, chosen):
            for definition, (name, text) in zip(one.definitions, one.files(), strict=True):
                (out / name).write_text(text, encoding="utf-8")
                look(name, definition)
            found.append(told(one))
        coverage = summed(schema, found)
        (out / COVERAGE).write_text(as_json(coverage), encoding="utf-8")
        (out / "coverage.txt").write_text(as_text(coverage), encoding="utf-8")
    except OSError as error:
        raise BadFolder(f"{out} cannot be written to: {error.strerror}.") from error
    return coverage


def _make_ready(out: Path) -> None:
    """The folder without the files of an earlier run, and marked as one of ours before the first file is in it."""
    out.mkdir(parents=True, exist_ok=True)
    if any(out.iterdir()) and not (out / COVERAGE).is_file():
        raise BadFolder(f"{out} holds other files: give an empty folder, or one that an earlier run has written.")
    for name in _left(out):
        (out / name).unlink(missing_ok=True)
    (out / COVERAGE).write_text(as_json({"resources": []}), encoding="utf-8")


def _left(out: Path) -> Iterator[str]:
    """The files that the coverage of an earlier run lists. Nothing else is ever removed."""
    try:
        listed = json.loads((out / COVERAGE).read_text(encoding="utf-8"))["resources"]
        names = [name for one in listed for name in one["files"]]
    except FileNotFoundError:
        return
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadFolder(f"{out} holds a {COVERAGE} that no earlier run has written: give an empty folder.") from None
    yield from (name for name in names if isinstance(name, str) and OURS.fullmatch(name))
