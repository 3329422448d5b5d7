"""Downloads of tables as CSV or XLSX."""

from datetime import datetime

from django.http import FileResponse, StreamingHttpResponse
from django.utils import timezone

from portal.accounts.requests import AuthenticatedRequest
from portal.analytics.exports import build_table
from portal.core.exports import CONTENT_TYPES, ExportTable, generate_csv


def download_table(request: AuthenticatedRequest, table: str, form: str) -> StreamingHttpResponse | FileResponse:
    """Download all rows of a table."""
    now = timezone.now()
    return build_file_response(build_table(table, request, now), form, now)


def build_file_response(table: ExportTable, form: str, now: datetime) -> StreamingHttpResponse | FileResponse:
    """Build the download response with the date in the file name."""
    name = f"{table.name}-{now:%Y-%m-%d}.{form}"
    if form == "xlsx":
        from portal.core.xlsx_exports import generate_xlsx  # noqa: PLC0415 - loads openpyxl, which no other page needs

        return FileResponse(generate_xlsx(table), as_attachment=True, filename=name, content_type=CONTENT_TYPES[form])
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(generate_csv(table), CONTENT_TYPES[form], headers=headers)
