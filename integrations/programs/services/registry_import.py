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

from integrations.programs.models import RegistryProvider

BATCH_SIZE = 500
PROVIDER_COLUMNS = ("full_name", "namespace", "name", "tier", "source", "downloads", "description", "warning")
DERIVED_COLUMNS = ("name_key", "repository")
MAX_LENGTHS = {"registry_id": 20, "full_name": 160, "namespace": 80, "name": 80, "tier": 20, "source": 300}
MAX_COUNT = 2**63 - 1


class InvalidLineError(ValueError):
    """A line that cannot be read as a provider. The message says why."""


@dataclass
class ImportResult:
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


def open_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, packed by gzip or not. Raises OSError at once for a file that cannot be opened."""
    file = path.open("rb")
    is_gzipped = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    return _iterate_lines(file, is_gzipped)


def _iterate_lines(file: BinaryIO, is_gzipped: bool) -> Iterator[bytes]:
    with file:
        yield from gzip.GzipFile(fileobj=file) if is_gzipped else file


def import_providers(
    lines: Iterable[bytes], *, now: datetime, progress: Callable[[int], None] = lambda _: None
) -> ImportResult:
    """Bring in the providers. What is there already is compared and changed only where it differs.

    Providers that the file does not name stay as they are. Never raises for what a line holds, nor for a
    packed file that ends early: what was read until there is kept and the end is told as skipped.
    """
    result, known_keys = ImportResult(), set[str]()
    batch: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(_iterate_readable_lines(lines, result), start=1):
        try:
            values = parse_provider(line)
            if values["registry_id"] in known_keys or values["full_name"].lower() in known_keys:
                raise InvalidLineError("named twice in the file")
        except InvalidLineError as error:
            result.skipped.append((number, str(error)))
            continue
        known_keys |= {values["registry_id"], values["full_name"].lower()}
        batch.append((number, values))
        if len(batch) == BATCH_SIZE:
            _write_batch(batch, result, now)
            batch = []
            progress(result.read)
    _write_batch(batch, result, now)
    progress(result.read)
    return result


def _iterate_readable_lines(lines: Iterable[bytes], result: ImportResult) -> Iterator[bytes]:
    number = 0
    try:
        for line in lines:
            number += 1
            yield line
    except (EOFError, OSError, zlib.error):
        result.skipped.append((number + 1, "the file is damaged from here on"))


def parse_provider(line: bytes) -> dict[str, Any]:
    """A line as columns. Raises BadLine."""
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidLineError("not JSON") from None
    if not isinstance(raw, dict):
        raise InvalidLineError("not an object")
    values = {
        "registry_id": _parse_text(raw, "id"),
        "full_name": _parse_text(raw, "fullName"),
        "namespace": _parse_text(raw, "namespace"),
        "name": _parse_text(raw, "name"),
        "tier": _parse_text(raw, "tier"),
        "source": _parse_text(raw, "source"),
        "description": _parse_text(raw, "description", is_required=False),
        "warning": _parse_text(raw, "warning", is_required=False),
        "downloads": _parse_count(raw.get("totalDownloads", 0)),
    }
    _validate_consistency(values)
    return values


def _parse_text(raw: dict[str, Any], key: str, *, is_required: bool = True) -> str:
    value = raw.get(key)
    if value is None and not is_required:
        return ""
    if not isinstance(value, str) or (is_required and not value.strip()):
        raise InvalidLineError(f"no {key}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidLineError(f"{key} is not text") from None
    return value.replace("\x00", "").strip()


def _parse_count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_COUNT:
        raise InvalidLineError("totalDownloads is not a count")
    return value


def _validate_consistency(values: dict[str, Any]) -> None:
    """Raises BadLine for names that do not fit together, are too long, or lead nowhere."""
    for column, limit in MAX_LENGTHS.items():
        if len(values[column]) > limit:
            raise InvalidLineError(f"{column} is longer than {limit} characters")
        if not values[column].isprintable():
            raise InvalidLineError(f"{column} holds control characters")
    if values["full_name"] != f"{values['namespace']}/{values['name']}":
        raise InvalidLineError("fullName is not namespace/name")
    if not values["source"].startswith("https://"):
        raise InvalidLineError("source is not an https address")


def _write_batch(batch: list[tuple[int, dict[str, Any]]], result: ImportResult, now: datetime) -> None:
    """Sort a batch into new, changed and unchanged, and write the first two."""
    by_id = RegistryProvider.objects.in_bulk([v["registry_id"] for _, v in batch], field_name="registry_id")
    by_name = RegistryProvider.objects.in_bulk([v["full_name"] for _, v in batch], field_name="full_name")
    new_rows, changed_rows = [], []
    for number, values in batch:
        provider, namesake = by_id.get(values["registry_id"]), by_name.get(values["full_name"])
        if provider and namesake and provider.pk != namesake.pk:
            result.skipped.append((number, "its name belongs to another provider here"))
        elif provider or namesake:
            changed_rows += _apply_changes(provider or namesake, values, result, number, now)
        else:
            new_provider = RegistryProvider(**values, imported_at=now)
            new_provider.derive()
            new_rows.append((number, new_provider))
    result.new += _write_rows(new_rows, RegistryProvider.objects.bulk_create, result)
    columns = ["registry_id", *PROVIDER_COLUMNS, *DERIVED_COLUMNS, "imported_at"]
    result.changed += _write_rows(
        changed_rows, lambda rows: RegistryProvider.objects.bulk_update(rows, columns), result
    )


def _apply_changes(
    provider: RegistryProvider | None, values: dict[str, Any], result: ImportResult, number: int, now: datetime
) -> list[tuple[int, RegistryProvider]]:
    """The row with the new values, or nothing where they are the old ones."""
    if provider is None or all(getattr(provider, column) == value for column, value in values.items()):
        result.unchanged += 1
        return []
    for column, value in values.items():
        setattr(provider, column, value)
    provider.imported_at = now
    provider.derive()
    return [(number, provider)]


def _write_rows(
    rows: list[tuple[int, RegistryProvider]], write: Callable[[list[RegistryProvider]], Any], result: ImportResult
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
            return sum(_write_rows([pair], write, result) for pair in rows)
        result.skipped.append((rows[0][0], "its name belongs to another provider here"))
        return 0
