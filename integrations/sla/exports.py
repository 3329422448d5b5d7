"""How does the list leave the portal? The same query as CSV and JSON, safe for spreadsheets, in pieces."""

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
MAX_ROWS = 50_000  # rows of one file, which says where there were more


def select_keys(clocks: QuerySet[SlaClock]) -> tuple[list[int], bool]:
    """The rows of one file, and whether it is cut. The order is settled once: no row is missed or doubled."""
    keys = list(clocks.values_list("pk", flat=True)[: MAX_ROWS + 1])
    return keys[:MAX_ROWS], len(keys) > MAX_ROWS


def iterate_batches(keys: list[int], now: datetime) -> Iterator[list[dict[str, Any]]]:
    """The rows as data, a few hundred at a time."""
    for start in range(0, len(keys), BATCH_SIZE):
        batch_keys = keys[start : start + BATCH_SIZE]
        with override("en"):  # programs read it, whoever asks
            batch = [
                serialize_row(row) for row in build_rows(SlaClock.objects.filter(pk__in=batch_keys), now, batch_keys)
            ]
        yield batch


def stream_csv(clocks: QuerySet[SlaClock], now: datetime) -> Iterator[str]:
    """A table; cells that a spreadsheet would calculate are kept as text. Its last line says where it is cut."""
    keys, is_truncated = select_keys(clocks)
    yield BYTE_ORDER_MARK + _format_csv_line(COLUMNS)
    for rows in iterate_batches(keys, now):
        yield "".join(_format_csv_line([escape_formula(str(row[column])) for column in COLUMNS]) for row in rows)
    if is_truncated:
        yield _format_csv_line([f"Cut after {MAX_ROWS} rows: there are more. Filter the list to see them."])


def stream_json(clocks: QuerySet[SlaClock], now: datetime, active_filters: dict[str, str]) -> Iterator[str]:
    """{"at", "asked", "most", "cut", "clocks": [...]}, one clock a line. `cut`: there are more than `most`.

    `active_filters`: the filters in force.
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
