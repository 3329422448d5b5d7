"""XLSX exports. A text cell always has the text type, so that none is read as a formula.

Views import this module when it is needed, because openpyxl takes long to load.
"""

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
    text = ILLEGAL_CHARACTERS_RE.sub("", value)
    if text[:1] not in SPECIAL_PREFIXES:
        return text
    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    return cell
