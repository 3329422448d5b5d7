"""CSV and JSON exports of the SLA dashboard."""

from django.http import StreamingHttpResponse
from django.urls import path
from django.utils import timezone

from integrations.sla import exports
from integrations.sla.filters import parse_filters
from portal.accounts.requests import AuthenticatedRequest


def download_clocks(request: AuthenticatedRequest, form: str) -> StreamingHttpResponse:
    """Download all filtered rows."""
    now = timezone.now()
    filters = parse_filters(request.user, request.GET)
    clocks = filters.list_matching_clocks(now)
    body = (
        exports.stream_csv(clocks, now) if form == "csv" else exports.stream_json(clocks, now, filters.active_filters)
    )
    content_type = "text/csv; charset=utf-8" if form == "csv" else "application/json"
    headers = {"Content-Disposition": f'attachment; filename="sla-{now:%Y-%m-%d}.{form}"'}
    return StreamingHttpResponse(body, content_type, headers=headers)


urlpatterns = [
    path(f"sla/clocks.{form}", download_clocks, {"form": form}, name=f"clocks_{form}") for form in ("csv", "json")
]
