"""XLSX exports. A text cell always has the text type, so that none is read as a formula.

Views import this module when it is needed, because openpyxl takes long to load.
"""

import unicodedata
from datetime import UTC, datetime
from tempfile import TemporaryFile
from typing import IO

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

from portal.core.exports import CellValue, ExportTable

MAX_CELL_UNITS = 32_767  # of UTF-16, which Excel counts; it repairs files with longer cells
ZERO_WIDTH_JOINER = "\u200d"
SKIN_TONES = frozenset("🏻🏼🏽🏾🏿")
SPECIAL_PREFIXES = frozenset("=#")  # openpyxl reads these as a formula or an error


def generate_xlsx(table: ExportTable) -> IO[bytes]:
    """Return an open XLSX file with one sheet and a frozen first row. Rows go to disk one at a time."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet(table.name[:31])
    sheet.freeze_panes = "A2"
    for column in range(len(table.columns)):
        sheet.column_dimensions[get_column_letter(column + 1)].width = 18
    headings = [WriteOnlyCell(sheet, value=title) for title in table.columns]
    for heading in headings:
        heading.font = Font(bold=True)
    sheet.append(headings)
    for row in table.rows:
        sheet.append([_convert_cell(sheet, cell) for cell in row])
    file = TemporaryFile()  # noqa: SIM115 - the response closes it
    book.save(file)
    file.seek(0)
    return file


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
    text = _truncate(ILLEGAL_CHARACTERS_RE.sub("", value))
    if text[:1] not in SPECIAL_PREFIXES:
        return text
    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    return cell


def _truncate(text: str) -> str:
    """Return a text that fits into a cell, without the start of a character whose other parts don't."""
    if len(text) <= MAX_CELL_UNITS // 2:  # no character has more than two units
        return text
    end = len(text.encode("utf-16-le")[: 2 * MAX_CELL_UNITS].decode("utf-16-le", "ignore"))
    while 0 < end < len(text) and (_extends_character(text[end]) or text[end - 1] == ZERO_WIDTH_JOINER):
        end -= 1
    return text[:end]


def _extends_character(part: str) -> bool:
    """Return whether readers see this and the code point before it as one character."""
    return part == ZERO_WIDTH_JOINER or part in SKIN_TONES or unicodedata.category(part).startswith("M")
