"""Audit log page over all streams, with filters and exports."""

import csv
import json
from collections.abc import Iterator
from datetime import date, timedelta

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from integrations.partners import permissions
from portal.audit.anchors import ANCHOR_STREAM
from portal.audit.catalog import EVENT_TYPES
from portal.audit.models import AuditEvent
from portal.audit.verification import find_chain_faults
from portal.core.exports import escape_formula
from portal.core.text_fields import clean_search_query

PAGE_SIZE, CHUNK_SIZE = 50, 500
COLUMNS = ("at", "stream", "seq", "event_type", "actor_id", "actor", "note", "data", "internal", "key_id", "hash")
FILTERS = ("person", "stream", "kind", "from", "to")


def show_audit_log(request: HttpRequest) -> HttpResponseBase:
    """Show the events that match the filters, newest first, or export them as CSV or JSON lines."""
    if not permissions.can_read_audit_log(request.user):
        raise Http404(_("Page not found."))
    filters = {name: clean_search_query(request.GET.get(name, "")) for name in FILTERS}
    events = filter_events(filters)
    if (form := request.GET.get("format", "")) in EXPORTS:
        return build_export(events, form)
    return render_page(request, events, filters)


def render_page(request: HttpRequest, events: QuerySet[AuditEvent], filters: dict[str, str]) -> HttpResponse:
    """Render the events before the position in the URL. The position is an ID, so new events move no page."""
    before = request.GET.get("before", "")
    if before.isascii() and before.isdigit() and len(before) < 19:
        events = events.filter(pk__lt=int(before))
    rows = list(events[: PAGE_SIZE + 1])
    query = request.GET.copy()
    query.pop("before", None)
    stream_events = AuditEvent.objects.filter(stream=filters["stream"]).order_by("stream", "seq")
    context = {
        "events": rows[:PAGE_SIZE],
        "filters": filters,
        "query": query.urlencode(),
        "next_before": rows[PAGE_SIZE - 1].pk if len(rows) > PAGE_SIZE else None,
        "kinds": sorted(EVENT_TYPES),
        "anchor": AuditEvent.objects.filter(stream=ANCHOR_STREAM).order_by("-seq").first(),
        "faults": list(find_chain_faults(stream_events.iterator(CHUNK_SIZE))) if filters["stream"] else [],
    }
    return render(request, "inbox/audit_log.html", context)


def filter_events(filters: dict[str, str]) -> QuerySet[AuditEvent]:
    """Return the matching events, newest first. Dates are days in UTC, and invalid ones are ignored."""
    events = AuditEvent.objects.order_by("-pk")
    if person := filters["person"]:
        events = events.filter(actor__icontains=person)
    if stream := filters["stream"]:
        events = events.filter(stream=stream)
    if kind := filters["kind"]:
        events = events.filter(event_type=kind)
    if first := _parse_day(filters["from"]):
        events = events.filter(at__gte=f"{first}T00:00Z")
    if last := _parse_day(filters["to"]):
        events = events.filter(at__lt=f"{last + timedelta(days=1)}T00:00Z")
    return events


def _parse_day(text: str) -> date | None:
    try:
        return parse_date(text)
    except ValueError:
        return None


class _Echo:
    """File that returns what is written, so that the CSV writer feeds a streamed response."""

    def write(self, line: str) -> str:
        return line


def generate_csv(events: QuerySet[AuditEvent]) -> Iterator[str]:
    """Yield the events as lines of CSV."""
    writer = csv.writer(_Echo())
    yield writer.writerow(COLUMNS)
    for event in events.iterator(CHUNK_SIZE):
        cells = build_record(event) | {"data": json.dumps(event.data, sort_keys=True)}
        yield writer.writerow([escape_formula(str(cell)) for cell in cells.values()])


def generate_json_lines(events: QuerySet[AuditEvent]) -> Iterator[str]:
    """Yield each event as one line of JSON."""
    for event in events.iterator(CHUNK_SIZE):
        yield json.dumps(build_record(event), sort_keys=True) + "\n"


def build_record(event: AuditEvent) -> dict[str, object]:
    """Return the columns of an event for an export."""
    return {name: getattr(event, name) for name in COLUMNS} | {"at": event.at.isoformat()}


EXPORTS = {"csv": (generate_csv, "text/csv"), "jsonl": (generate_json_lines, "application/jsonl")}


def build_export(events: QuerySet[AuditEvent], form: str) -> StreamingHttpResponse:
    """Stream the events as a file."""
    generate, content_type = EXPORTS[form]
    headers = {"Content-Disposition": f'attachment; filename="audit-log.{form}"'}
    return StreamingHttpResponse(generate(events), content_type=content_type, headers=headers)
