"""Import of providers of the public registry from JSON Lines. Invalid lines are skipped."""

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO

from django.db import IntegrityError, transaction
from django.dispatch import Signal

from integrations.programs.models import RegistryProvider
from portal.core.value_types import JsonObject, NamedValues

BATCH_SIZE = 500
REQUIRED_TEXTS = ("registry_id", "full_name", "namespace", "name", "tier", "source")
KEYS = {"registry_id": "id", "full_name": "fullName"}  # in the file, if it isn't the name of the column
OPTIONAL_TEXTS = ("description", "warning")
UPDATED_COLUMNS = [*REQUIRED_TEXTS, *OPTIONAL_TEXTS, "downloads", "name_key", "repository", "imported_at"]
# The largest value of the column.
MAX_COUNT = 2**63 - 1
providers_imported = Signal()  # sent after each import that changed a provider


class InvalidLineError(ValueError):
    """Line that is not a valid provider, with the reason as the message."""


@dataclass
class ImportResult:
    """Result of an import. `skipped_lines` holds (line number, reason)."""

    new_count: int = 0
    changed_count: int = 0
    unchanged_count: int = 0
    skipped_lines: list[tuple[int, str]] = field(default_factory=list)

    @property
    def line_count(self) -> int:
        return self.new_count + self.changed_count + self.unchanged_count + len(self.skipped_lines)


def open_lines(path: Path) -> Iterator[bytes]:
    """Return the lines of a file, optionally compressed with gzip. Raises OSError if the file can't be opened."""
    file = path.open("rb")
    # RFC 1952, section 2.3.1: the magic number. The name of the file says nothing reliable.
    is_gzipped = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    return _iterate_lines(file, is_gzipped)


def _iterate_lines(file: BinaryIO, is_gzipped: bool) -> Iterator[bytes]:
    with file:
        yield from gzip.GzipFile(fileobj=file) if is_gzipped else file


def import_providers(
    lines: Iterable[bytes], *, now: datetime, progress: Callable[[int], None] = lambda _: None
) -> ImportResult:
    """Create new providers and update changed ones. Providers that are not in the file stay unchanged.

    Invalid lines are skipped. If a compressed file is damaged, the lines before the damage are imported and the rest is
    reported as skipped.
    """
    result = ImportResult()
    known_keys = set[str]()
    batch: list[tuple[int, JsonObject]] = []
    for number, line in enumerate(_iterate_readable_lines(lines, result), start=1):
        try:
            values = parse_provider(line)
            # A second line with the same key would be inserted in the same batch and violate its constraint.
            if values["registry_id"] in known_keys or values["full_name"].lower() in known_keys:
                raise InvalidLineError("duplicate in the file")
        except InvalidLineError as error:
            result.skipped_lines.append((number, str(error)))
            continue
        known_keys |= {values["registry_id"], values["full_name"].lower()}
        batch.append((number, values))
        if len(batch) == BATCH_SIZE:
            _write_batch(batch, result, now)
            batch = []
            progress(result.line_count)
    _write_batch(batch, result, now)
    progress(result.line_count)
    if result.new_count or result.changed_count:
        providers_imported.send(import_providers)
    return result


def _iterate_readable_lines(lines: Iterable[bytes], result: ImportResult) -> Iterator[bytes]:
    number = 0
    try:
        for line in lines:
            number += 1
            yield line
    # gzip raises each of these, depending on where the file is damaged.
    except (EOFError, OSError, zlib.error):
        result.skipped_lines.append((number + 1, "the rest of the file is damaged"))


def parse_provider(line: bytes) -> JsonObject:
    """Parse a line to columns. Raises InvalidLineError."""
    try:
        raw = json.loads(line)
    # The file comes from outside, and deeply nested JSON exhausts the stack of the parser.
    except (ValueError, RecursionError):
        raise InvalidLineError("not JSON") from None
    if not isinstance(raw, dict):
        raise InvalidLineError("not an object")
    values: JsonObject = {column: _parse_text(raw, KEYS.get(column, column)) for column in REQUIRED_TEXTS}
    values |= {key: _parse_text(raw, key, is_required=False) for key in OPTIONAL_TEXTS}
    values["downloads"] = _parse_count(raw.get("totalDownloads", 0))
    _validate_consistency(values)
    return values


def _parse_text(raw: Mapping[str, object], key: str, *, is_required: bool = True) -> str:
    value = raw.get(key)
    if value is None and not is_required:
        return ""
    # PostgreSQL refuses NUL in text.
    text = value.replace("\x00", "").strip() if isinstance(value, str) else None
    if text is None or (is_required and not text):
        raise InvalidLineError(f"no {key}")
    try:
        # JSON can contain half of a surrogate pair, which can't be stored.
        text.encode()
    except UnicodeEncodeError:
        raise InvalidLineError(f"{key} is not text") from None
    return text


def _parse_count(value: object) -> int:
    # In Python, true and false are integers.
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_COUNT:
        raise InvalidLineError("totalDownloads is not a count")
    return value


def _validate_consistency(values: NamedValues) -> None:
    """Raise InvalidLineError for inconsistent names, values that are too long, or an invalid source."""
    for column in REQUIRED_TEXTS:
        limit = RegistryProvider._meta.get_field(column).max_length or 0  # type: ignore[union-attr]
        if len(values[column]) > limit:
            raise InvalidLineError(f"{column} is longer than {limit} characters")
        if not values[column].isprintable():
            raise InvalidLineError(f"{column} contains control characters")
    if values["full_name"] != f"{values['namespace']}/{values['name']}":
        raise InvalidLineError("fullName is not namespace/name")
    if not values["source"].startswith("https://"):
        raise InvalidLineError("source is not an HTTPS URL")


def _write_batch(batch: list[tuple[int, JsonObject]], result: ImportResult, now: datetime) -> None:
    """Write the changed providers of a batch, then the new ones, which may take the former names of the others."""
    by_id = RegistryProvider.objects.in_bulk([v["registry_id"] for _, v in batch], field_name="registry_id")
    by_name = RegistryProvider.objects.in_bulk([v["full_name"] for _, v in batch], field_name="full_name")
    keys_with_own_line = {row.pk for row in by_id.values()}
    new_rows = []
    changed_rows = []
    for number, values in batch:
        same_id = by_id.get(values["registry_id"])
        same_name = by_name.get(values["full_name"])
        # That row gets its new name from its own line, and its former name is free.
        if same_id is None and same_name is not None and same_name.pk in keys_with_own_line:
            same_name = None
        # Two names were swapped. Neither row can take its new name while the other has it.
        if same_id and same_name and same_id.pk != same_name.pk:
            result.skipped_lines.append((number, "the name belongs to another provider"))
        elif provider := same_id or same_name:
            if _apply_changes(provider, values, now):
                changed_rows.append((number, provider))
            else:
                result.unchanged_count += 1
        else:
            new_provider = RegistryProvider(**values, imported_at=now)
            new_provider.derive()
            new_rows.append((number, new_provider))
    update = partial(RegistryProvider.objects.bulk_update, fields=UPDATED_COLUMNS)
    result.changed_count += _write_rows(changed_rows, update, result)
    result.new_count += _write_rows(new_rows, RegistryProvider.objects.bulk_create, result)


def _apply_changes(provider: RegistryProvider, values: Mapping[str, object], now: datetime) -> bool:
    """Set the columns of a row without saving. Return whether one changed."""
    if all(getattr(provider, column) == value for column, value in values.items()):
        return False
    for column, value in values.items():
        setattr(provider, column, value)
    provider.imported_at = now
    provider.derive()
    return True


def _write_rows(
    rows: list[tuple[int, RegistryProvider]], write: Callable[[list[RegistryProvider]], object], result: ImportResult
) -> int:
    """Write all rows, or one by one if the database rejects one. Return the number of written rows."""
    if not rows:
        return 0
    try:
        # A savepoint: after an error, PostgreSQL refuses everything else in the transaction.
        with transaction.atomic():
            write([row for _, row in rows])
        return len(rows)
    except IntegrityError:
        if len(rows) > 1:
            return sum(_write_rows([pair], write, result) for pair in rows)
        result.skipped_lines.append((rows[0][0], "the name belongs to another provider"))
        return 0
