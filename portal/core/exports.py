"""Tables to export, and their CSV in chunks. An apostrophe precedes what a spreadsheet would read as a formula.

xlsx_exports.py writes them as XLSX.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice
from operator import attrgetter
from typing import Any

from django.utils.translation import override

CellValue = str | int | float | bool | date | datetime | None
# Attribute of a row, or function that reads a cell from it, by the title of the column.
Columns = Mapping[str, str | Callable[[Any], CellValue]]
MAX_ROWS = 50_000  # per file
CHUNK_LINES = 50  # CSV lines per chunk
CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
# The beginning of a cell. Where the list separator of the system is a semicolon, Excel also begins one after each
# semicolon, tab, and line end of a text. Some spreadsheets accept full-width characters.
FORMULA_BEGINNING = re.compile(r"""\A(?=[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?="*[=+\-@＝＋－＠])""")
BYTE_ORDER_MARK = "\ufeff"  # without it, Excel misreads UTF-8


@dataclass(frozen=True, slots=True)
class ExportTable:
    """Table to export. The rows are read once, one at a time."""

    name: str
    columns: Sequence[str]
    rows: Iterable[Sequence[CellValue]]


def build_export(name: str, columns: Columns, rows: Iterable[object]) -> ExportTable:
    """Build a table whose cells are read from each row. Exports are always in English."""
    readers = [attrgetter(column) if isinstance(column, str) else column for column in columns.values()]
    return ExportTable(name, tuple(columns), _read_rows(readers, rows))


def _read_rows(
    readers: Sequence[Callable[[Any], CellValue]], rows: Iterable[object]
) -> Iterator[tuple[CellValue, ...]]:
    """Yield the cells of each row. If the export is truncated, the last row says so."""
    remaining = iter(rows)
    for start in range(0, MAX_ROWS, CHUNK_LINES):
        with override("en"):  # not around the whole loop: the code that reads the table runs in between
            chunk = list(islice(remaining, min(CHUNK_LINES, MAX_ROWS - start)))
            lines = [tuple(read(row) for read in readers) for row in chunk]
        yield from lines
    if next(remaining, None) is not None:
        yield (f"Export limited to {MAX_ROWS} rows. Filter the list to export the other rows.",)


def generate_csv(table: ExportTable) -> Iterator[str]:
    """Yield chunks of CSV with a byte order mark, CRLF line ends, and ISO timestamps in UTC."""
    yield BYTE_ORDER_MARK + format_lines([table.columns])
    rows = iter(table.rows)
    while chunk := list(islice(rows, CHUNK_LINES)):
        yield format_lines([[_format_cell(cell) for cell in row] for row in chunk])


def format_lines(lines: Iterable[Sequence[object]]) -> str:
    """Return lines of CSV, which end with CRLF."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerows(lines)
    return buffer.getvalue()


def _format_cell(cell: CellValue) -> str | int | float | None:
    if isinstance(cell, str):
        return escape_formula(cell)
    if isinstance(cell, datetime):
        return cell.astimezone(UTC).isoformat(timespec="seconds")
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return cell.isoformat() if isinstance(cell, date) else cell


def escape_formula(cell: str) -> str:
    """Return a cell with an apostrophe before each text that a spreadsheet would read as a formula."""
    return FORMULA_BEGINNING.sub("'", cell)
