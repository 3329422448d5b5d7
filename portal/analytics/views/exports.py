"""Where is a list taken as a file? One address for every table, of the same query as its page."""

from datetime import datetime

from django.http import FileResponse, HttpRequest, StreamingHttpResponse
from django.urls import path
from django.utils import timezone

from portal.analytics.exports import table_of
from portal.core.exports import KINDS, Table, as_csv, as_xlsx


def table_file(request: HttpRequest, table: str, form: str) -> StreamingHttpResponse | FileResponse:
    """The whole list, not only a page of it."""
    now = timezone.now()
    return file_of(table_of(table, request, now), form, now)


def file_of(found: Table, form: str, now: datetime) -> StreamingHttpResponse | FileResponse:
    """A table as a file; its name says the day."""
    name = f"{found.name}-{now:%Y-%m-%d}.{form}"
    if form == "xlsx":
        return FileResponse(as_xlsx(found), as_attachment=True, filename=name, content_type=KINDS[form])
    named = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(as_csv(found), KINDS[form], headers=named)


urlpatterns = [
    path(f"files/<slug:table>.{form}", table_file, {"form": form}, name=f"table_{form}") for form in ("csv", "xlsx")
]
