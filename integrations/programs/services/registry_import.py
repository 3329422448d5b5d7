"""Import of providers of the public registry from JSON Lines. Invalid lines are skipped."""

import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, BinaryIO, Self

from django.db import transaction
from django.dispatch import Signal
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from integrations.programs.models import RegistryProvider

BATCH_SIZE = 500
MAX_COUNT = 2**63 - 1  # of the column
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, pattern=r"^\P{C}*$")]
# PostgreSQL refuses NUL in text.
Text = Annotated[str, AfterValidator(lambda text: text.replace("\x00", "").strip())]
COLUMNS = [
    each.attname
    for each in RegistryProvider._meta.concrete_fields
    if not each.primary_key and each.name != "imported_at"
]
providers_imported = Signal()  # sent after each import that changed a provider


class RegistryLine(BaseModel):
    """Line of the file. The maximum lengths are those of the columns."""

    model_config = ConfigDict(strict=True)

    registry_id: Annotated[Name, Field(alias="id", max_length=20)]
    full_name: Annotated[Name, Field(alias="fullName", max_length=160)]
    namespace: Annotated[Name, Field(max_length=80)]
    name: Annotated[Name, Field(max_length=80)]
    tier: Annotated[Name, Field(max_length=20)]
    source: Annotated[Name, Field(max_length=300)]
    downloads: Annotated[int, Field(alias="totalDownloads", ge=0, le=MAX_COUNT)] = 0
    description: Text | None = None
    warning: Text | None = None

    @model_validator(mode="after")
    def validate_consistency(self) -> Self:
        if self.full_name != f"{self.namespace}/{self.name}":
            raise ValueError("fullName is not namespace/name")
        if not self.source.startswith("https://"):
            raise ValueError("source is not an HTTPS URL")
        return self


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
    batch: list[RegistryProvider] = []
    for number, line in enumerate(_iterate_readable_lines(lines, result), start=1):
        try:
            provider = parse_provider(line, now)
        except ValidationError as error:
            result.skipped_lines.append((number, _describe_error(error)))
            continue
        keys = {provider.registry_id, provider.full_name.lower()}
        if keys & known_keys:
            result.skipped_lines.append((number, "duplicate in the file"))
            continue
        known_keys |= keys
        batch.append(provider)
        if len(batch) == BATCH_SIZE:
            _write_batch(batch, result)
            batch = []
            progress(result.line_count)
    _write_batch(batch, result)
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


def parse_provider(line: bytes, now: datetime) -> RegistryProvider:
    """Return the unsaved provider of a line. Raises ValidationError."""
    values = RegistryLine.model_validate_json(line).model_dump()
    texts = {name: values.pop(name) or "" for name in ("description", "warning")}
    provider = RegistryProvider(**values, **texts, imported_at=now)
    provider.derive()
    return provider


def _describe_error(error: ValidationError) -> str:
    detail = error.errors(include_url=False)[0]
    # The message about a syntax error names a column, but reasons are counted.
    if detail["type"] == "json_invalid":
        return "not JSON"
    return ": ".join([*map(str, detail["loc"]), detail["msg"].removeprefix("Value error, ")])


@transaction.atomic
def _write_batch(batch: list[RegistryProvider], result: ImportResult) -> None:
    """Write the new and the changed providers of a batch."""
    stored = RegistryProvider.objects.in_bulk([provider.pk for provider in batch])
    new = [provider for provider in batch if provider.pk not in stored]
    changed = [
        provider
        for provider in batch
        if provider.pk in stored
        and any(getattr(provider, each) != getattr(stored[provider.pk], each) for each in COLUMNS)
    ]
    # A provider that was published again under its name has a new ID.
    names = [provider.full_name for provider in batch]
    RegistryProvider.objects.filter(full_name__in=names).exclude(pk__in=stored).delete()
    RegistryProvider.objects.bulk_create(
        [*new, *changed], update_conflicts=True, unique_fields=["registry_id"], update_fields=[*COLUMNS, "imported_at"]
    )
    result.new_count += len(new)
    result.changed_count += len(changed)
    result.unchanged_count += len(batch) - len(new) - len(changed)
