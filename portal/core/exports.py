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

Cell = str | int | float | bool | date | datetime | None
PIECE = 200  # lines of CSV sent at a time
LONGEST = 32_000  # characters of a cell that spreadsheets take
READ_OTHERWISE = frozenset("=#")  # what begins a formula or an error
KINDS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
FORMULA = ("=", "+", "-", "@", "\t", "\r")
FORMULAS = (*FORMULA, "\n", "＝", "＋", "－", "＠")  # some spreadsheets read the wide signs too
BOM = "\ufeff"  # without it Excel takes UTF-8 for an older encoding


@dataclass(frozen=True, slots=True)
class Table:
    """What a file holds: its name, its columns, and its rows, read once and one after the other."""

    name: str
    columns: Sequence[str]
    rows: Iterable[Sequence[Cell]]


def as_csv(table: Table) -> Iterator[str]:
    """Marked as UTF-8, lines ended as spreadsheets want them; moments ISO in UTC."""
    lines = [BOM + _line(table.columns)]
    for row in table.rows:
        lines.append(_line([_said(cell) for cell in row]))
        if len(lines) == PIECE:
            yield "".join(lines)
            lines = []
    yield "".join(lines)


def _line(cells: Sequence[Any]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()


def _said(cell: Cell) -> str | int | float:
    if isinstance(cell, datetime):
        return cell.astimezone(UTC).isoformat(timespec="seconds")
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int | float):
        return cell
    return safe("" if cell is None else str(cell))


def as_xlsx(table: Table) -> IO[bytes]:
    """An open file with one sheet, its first row frozen. Rows go to the disk as they come."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet(table.name[:31])
    sheet.freeze_panes = "A2"
    for place in range(len(table.columns)):
        sheet.column_dimensions[chr(ord("A") + place)].width = 18
    sheet.append([_heading(sheet, word) for word in table.columns])
    for row in table.rows:
        sheet.append([_typed(sheet, cell) for cell in row])
    file = TemporaryFile()  # noqa: SIM115 - the answer closes it
    book.save(file)
    file.seek(0)
    return file


def _heading(sheet: Any, word: str) -> Any:
    cell = WriteOnlyCell(sheet, value=word)
    cell.font = Font(bold=True)
    return cell


def _typed(sheet: Any, value: Cell) -> Any:
    """Numbers and moments as such (moments in UTC, which spreadsheets cannot say); every text as text.

    Only a text that the library would read as something else needs a cell of its own: that takes three times as long.
    """
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str):
        return value
    text = ILLEGAL_CHARACTERS_RE.sub("", value)[:LONGEST]
    if text[:1] not in READ_OTHERWISE:
        return text
    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    return cell


def safe(cell: str, signs: tuple[str, ...] = FORMULAS) -> str:
    """A cell that begins like a formula gets an apostrophe before it."""
    return f"'{cell}" if cell.startswith(signs) else cell
