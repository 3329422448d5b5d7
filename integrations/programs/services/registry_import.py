"""How do the providers of the public registry come in? Line by line, by their numbers; a bad line is skipped."""

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from django.db import IntegrityError, transaction

from integrations.programs.models import PublishedProvider

BATCH = 500
COLUMNS = ("full_name", "namespace", "name", "tier", "source", "downloads", "description", "warning")
DERIVED = ("name_key", "repository")
LIMITS = {"registry_id": 20, "full_name": 160, "namespace": 80, "name": 80, "tier": 20, "source": 300}
BIGGEST = 2**63 - 1


class BadLine(ValueError):
    """A line that cannot be read as a provider. The message says why."""


@dataclass
class Tally:
    """What became of the lines. `skipped`: (line number, reason)."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: list[tuple[int, str]] = field(default_factory=list)

    @property
    def read(self) -> int:
        return self.new + self.changed + self.unchanged + len(self.skipped)

    def reasons(self) -> Counter[str]:
        return Counter(reason for _, reason in self.skipped)


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines of a file, packed by gzip or not. Raises OSError at once for a file that cannot be opened."""
    file = path.open("rb")
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    return _lines(file, packed)


def _lines(file: BinaryIO, packed: bool) -> Iterator[bytes]:
    with file:
        yield from gzip.GzipFile(fileobj=file) if packed else file


def import_providers(
    lines: Iterable[bytes], *, now: datetime, progress: Callable[[int], None] = lambda _: None
) -> Tally:
    """Bring in the providers. What is there already is compared and changed only where it differs.

    Providers that the file does not name stay as they are. Never raises for what a line holds, nor for a
    packed file that ends early: what was read until there is kept and the end is told as skipped.
    """
    tally, seen = Tally(), set[str]()
    batch: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(_until_broken(lines, tally), start=1):
        try:
            values = parse(line)
            if values["registry_id"] in seen or values["full_name"].lower() in seen:
                raise BadLine("named twice in the file")
        except BadLine as reason:
            tally.skipped.append((number, str(reason)))
            continue
        seen |= {values["registry_id"], values["full_name"].lower()}
        batch.append((number, values))
        if len(batch) == BATCH:
            _write(batch, tally, now)
            batch = []
            progress(tally.read)
    _write(batch, tally, now)
    progress(tally.read)
    return tally


def _until_broken(lines: Iterable[bytes], tally: Tally) -> Iterator[bytes]:
    number = 0
    try:
        for line in lines:
            number += 1
            yield line
    except (EOFError, OSError, zlib.error):
        tally.skipped.append((number + 1, "the file is damaged from here on"))


def parse(line: bytes) -> dict[str, Any]:
    """A line as columns. Raises BadLine."""
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError):
        raise BadLine("not JSON") from None
    if not isinstance(raw, dict):
        raise BadLine("not an object")
    values = {
        "registry_id": _text(raw, "id"),
        "full_name": _text(raw, "fullName"),
        "namespace": _text(raw, "namespace"),
        "name": _text(raw, "name"),
        "tier": _text(raw, "tier"),
        "source": _text(raw, "source"),
        "description": _text(raw, "description", required=False),
        "warning": _text(raw, "warning", required=False),
        "downloads": _count(raw.get("totalDownloads", 0)),
    }
    _consistent(values)
    return values


def _text(raw: dict[str, Any], key: str, *, required: bool = True) -> str:
    value = raw.get(key)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or (required and not value.strip()):
        raise BadLine(f"no {key}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadLine(f"{key} is not text") from None
    return value.replace("\x00", "").strip()


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= BIGGEST:
        raise BadLine("totalDownloads is not a count")
    return value


def _consistent(values: dict[str, Any]) -> None:
    """Raises BadLine for names that do not fit together, are too long, or lead nowhere."""
    for column, limit in LIMITS.items():
        if len(values[column]) > limit:
            raise BadLine(f"{column} is longer than {limit} characters")
        if not values[column].isprintable():
            raise BadLine(f"{column} holds control characters")
    if values["full_name"] != f"{values['namespace']}/{values['name']}":
        raise BadLine("fullName is not namespace/name")
    if not values["source"].startswith("https://"):
        raise BadLine("source is not an https address")


def _write(batch: list[tuple[int, dict[str, Any]]], tally: Tally, now: datetime) -> None:
    """Sort a batch into new, changed and unchanged, and write the first two."""
    by_id = PublishedProvider.objects.in_bulk([v["registry_id"] for _, v in batch], field_name="registry_id")
    by_name = PublishedProvider.objects.in_bulk([v["full_name"] for _, v in batch], field_name="full_name")
    new, changed = [], []
    for number, values in batch:
        row, namesake = by_id.get(values["registry_id"]), by_name.get(values["full_name"])
        if row and namesake and row.pk != namesake.pk:
            tally.skipped.append((number, "its name belongs to another provider here"))
        elif row or namesake:
            changed += _differing(row or namesake, values, tally, number, now)
        else:
            fresh = PublishedProvider(**values, imported_at=now)
            fresh.derive()
            new.append((number, fresh))
    tally.new += _each_or_all(new, PublishedProvider.objects.bulk_create, tally)
    columns = ["registry_id", *COLUMNS, *DERIVED, "imported_at"]
    tally.changed += _each_or_all(changed, lambda rows: PublishedProvider.objects.bulk_update(rows, columns), tally)


def _differing(
    row: PublishedProvider | None, values: dict[str, Any], tally: Tally, number: int, now: datetime
) -> list[tuple[int, PublishedProvider]]:
    """The row with the new values, or nothing where they are the old ones."""
    if row is None or all(getattr(row, column) == value for column, value in values.items()):
        tally.unchanged += 1
        return []
    for column, value in values.items():
        setattr(row, column, value)
    row.imported_at = now
    row.derive()
    return [(number, row)]


def _each_or_all(
    rows: list[tuple[int, PublishedProvider]], write: Callable[[list[PublishedProvider]], Any], tally: Tally
) -> int:
    """Write all at once; where the database refuses one of them, one at a time. Returns how many were written."""
    if not rows:
        return 0
    try:
        with transaction.atomic():
            write([row for _, row in rows])
        return len(rows)
    except IntegrityError:
        if len(rows) > 1:
            return sum(_each_or_all([pair], write, tally) for pair in rows)
        tally.skipped.append((rows[0][0], "its name belongs to another provider here"))
        return 0
