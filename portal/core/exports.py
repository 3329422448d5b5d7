"""How does a table leave the portal as a file? CSV and XLSX of any rows, in pieces, safe for spreadsheets.

In CSV a cell that begins like a formula gets an apostrophe; in XLSX a text is a text, whatever it begins with.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from tempfile import TemporaryFile
from typing import IO, Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.styles import Font

CellValue = str | int | float | bool | date | datetime | None
CHUNK_LINES = 200  # lines of CSV sent at a time
MAX_CELL_CHARACTERS = 32_000  # characters of a cell that spreadsheets take
SPECIAL_PREFIXES = frozenset("=#")  # what begins a formula or an error
CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")
ALL_FORMULA_PREFIXES = (*FORMULA_PREFIXES, "\n", "＝", "＋", "－", "＠")  # some spreadsheets read the wide signs too
BYTE_ORDER_MARK = "\ufeff"  # without it Excel takes UTF-8 for an older encoding


@dataclass(frozen=True, slots=True)
class ExportTable:
    """What a file holds: its name, its columns, and its rows, read once and one after the other."""

    name: str
    columns: Sequence[str]
    rows: Iterable[Sequence[CellValue]]


def generate_csv(table: ExportTable) -> Iterator[str]:
    """Marked as UTF-8, lines ended as spreadsheets want them; moments ISO in UTC."""
    lines = [BYTE_ORDER_MARK + _format_line(table.columns)]
    for row in table.rows:
        lines.append(_format_line([_format_cell(cell) for cell in row]))
        if len(lines) == CHUNK_LINES:
            yield "".join(lines)
            lines = []
    yield "".join(lines)


def _format_line(cells: Sequence[Any]) -> str:
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
    """An open file with one sheet, its first row frozen. Rows go to the disk as they come."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet(table.name[:31])
    sheet.freeze_panes = "A2"
    for column in range(len(table.columns)):
        sheet.column_dimensions[chr(ord("A") + column)].width = 18
    sheet.append([_build_heading_cell(sheet, title) for title in table.columns])
    for row in table.rows:
        sheet.append([_convert_cell(sheet, cell) for cell in row])
    file = TemporaryFile()  # noqa: SIM115 - the answer closes it
    book.save(file)
    file.seek(0)
    return file


def _build_heading_cell(sheet: Any, title: str) -> Any:
    cell = WriteOnlyCell(sheet, value=title)
    cell.font = Font(bold=True)
    return cell


def _convert_cell(sheet: Any, value: CellValue) -> Any:
    """Numbers and moments as such (moments in UTC, which spreadsheets cannot say); every text as text.

    Only a text that the library would read as something else needs a cell of its own: that takes three times as long.
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


def escape_formula(cell: str, prefixes: tuple[str, ...] = ALL_FORMULA_PREFIXES) -> str:
    """A cell that begins like a formula gets an apostrophe before it."""
    return f"'{cell}" if cell.startswith(prefixes) else cell
