"""CSV and XLSX exports in chunks, protected against formula injection.

In CSV, a cell that starts like a formula gets a leading apostrophe. In XLSX, a text cell always has the text type.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice
from operator import attrgetter
from tempfile import TemporaryFile
from typing import IO, Any

from django.utils.translation import override
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

CellValue = str | int | float | bool | date | datetime | None
# Attribute of a row, or function that reads a cell from it, by the title of the column.
Columns = Mapping[str, str | Callable[[Any], CellValue]]
MAX_ROWS = 50_000  # per file
CHUNK_LINES = 200  # CSV lines per chunk
MAX_CELL_CHARACTERS = 32_000  # spreadsheets reject longer cells
SPECIAL_PREFIXES = frozenset("=#")  # openpyxl reads these as a formula or an error
CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
# some spreadsheets accept full-width characters
FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
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
    lines = [BYTE_ORDER_MARK + _format_line(table.columns)]
    for row in table.rows:
        lines.append(_format_line([_format_cell(cell) for cell in row]))
        if len(lines) == CHUNK_LINES:
            yield "".join(lines)
            lines = []
    yield "".join(lines)


def _format_line(cells: Sequence[object]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue()


def _format_cell(cell: CellValue) -> str | int | float:
    if isinstance(cell, datetime):
        return cell.astimezone(UTC).isoformat(timespec="seconds")
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int | float):
        return cell
    return escape_formula("" if cell is None else str(cell))


def generate_xlsx(table: ExportTable) -> IO[bytes]:
    """Return an open XLSX file with one sheet and a frozen first row. Rows go to disk one at a time."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet(table.name[:31])
    sheet.freeze_panes = "A2"
    for column in range(len(table.columns)):
        sheet.column_dimensions[get_column_letter(column + 1)].width = 18
    sheet.append([_build_heading_cell(sheet, title) for title in table.columns])
    for row in table.rows:
        sheet.append([_convert_cell(sheet, cell) for cell in row])
    file = TemporaryFile()  # noqa: SIM115 - the response closes it
    book.save(file)
    file.seek(0)
    return file


def _build_heading_cell(sheet: WriteOnlyWorksheet, title: str) -> object:
    cell = WriteOnlyCell(sheet, value=title)
    cell.font = Font(bold=True)
    return cell


def _convert_cell(sheet: WriteOnlyWorksheet, value: CellValue) -> object:
    """Return a value or cell for openpyxl. Timestamps lose their zone (UTC), which spreadsheets cannot store.

    Only a text that openpyxl would misread gets a cell object, because cell objects take three times as long.
    """
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str):
        return value
    text = ILLEGAL_CHARACTERS_RE.sub("", value)[:MAX_CELL_CHARACTERS]
    if text[:1] not in SPECIAL_PREFIXES:
        return text
    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    return cell


def escape_formula(cell: str) -> str:
    """Return a cell with a leading apostrophe if it starts like a formula."""
    return f"'{cell}" if cell.startswith(FORMULA_PREFIXES) else cell
