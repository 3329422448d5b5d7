"""Streaming exports of the clock list as CSV and JSON."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import override

from integrations.sla.models import SlaClock
from integrations.sla.presenters import COLUMNS, build_rows, serialize_row
from portal.core.exports import BYTE_ORDER_MARK, escape_formula

BATCH_SIZE = 500
MAX_ROWS = 50_000  # longer exports are cut and marked as such


def select_keys(clocks: QuerySet[SlaClock]) -> tuple[list[int], bool]:
    """Return the primary keys in a fixed order, which avoids gaps and duplicates, and whether the export is cut."""
    keys = list(clocks.values_list("pk", flat=True)[: MAX_ROWS + 1])
    return keys[:MAX_ROWS], len(keys) > MAX_ROWS


def iterate_batches(keys: list[int], now: datetime) -> Iterator[list[dict[str, object]]]:
    """Yield serialized rows in batches."""
    for start in range(0, len(keys), BATCH_SIZE):
        batch_keys = keys[start : start + BATCH_SIZE]
        with override("en"):  # for programs, whatever the user's language
            batch = [
                serialize_row(row) for row in build_rows(SlaClock.objects.filter(pk__in=batch_keys), now, batch_keys)
            ]
        yield batch


def stream_csv(clocks: QuerySet[SlaClock], now: datetime) -> Iterator[str]:
    """Yield a CSV file with escaped formulas. If the export is cut, the last line says so."""
    keys, is_truncated = select_keys(clocks)
    yield BYTE_ORDER_MARK + _format_csv_line(COLUMNS)
    for rows in iterate_batches(keys, now):
        yield "".join(_format_csv_line([escape_formula(str(row[column])) for column in COLUMNS]) for row in rows)
    if is_truncated:
        yield _format_csv_line([f"Export limited to {MAX_ROWS} rows. Filter the list to export the other rows."])


def stream_json(clocks: QuerySet[SlaClock], now: datetime, active_filters: dict[str, str]) -> Iterator[str]:
    """Yield {"at", "asked", "most", "cut", "clocks": [...]} with one clock per line.

    `asked` holds the active filters. `cut` is true if there are more than `most` rows.
    """
    keys, is_truncated = select_keys(clocks)
    header = json.dumps(
        {"at": now.isoformat(), "asked": active_filters, "most": MAX_ROWS, "cut": is_truncated}, ensure_ascii=False
    )
    yield f'{header[:-1]}, "clocks": ['
    separator = "\n"
    for rows in iterate_batches(keys, now):
        for row in rows:
            yield separator + json.dumps(row, ensure_ascii=False)
            separator = ",\n"
    yield "\n]}\n"


def _format_csv_line(cells: Any) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue()
