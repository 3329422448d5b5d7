"""Audit log page over all streams, with filters and exports."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from integrations.partners import permissions
from portal.accounts.models import User
from portal.audit.anchors import ANCHOR_STREAM
from portal.audit.models import AuditEvent
from portal.audit.verification import find_chain_faults
from portal.core import exports
from portal.core.json_texts import JSONTexts
from portal.core.primary_keys import parse_pk
from portal.core.value_types import NamedValues
from portal.inbox.forms import AuditLogFilterForm

PAGE_SIZE = 50
CHUNK_SIZE = 500
FILTER_COLUMNS = (
    ("person", "actor__icontains"),
    ("partner", "partner__name__iexact"),
    ("stream", "stream"),
    ("kind", "event_type"),
)
# All that a seal covers, so that the holder of the keys can verify an export. The names are those of the API.
COLUMNS = {
    "created_at": "at",
    "stream": "stream",
    "sequence": "seq",
    "integration_id": "integration_id",
    "partner_id": "partner_id",
    "event_type": "event_type",
    "actor_id": "actor_id",
    "actor": "actor",
    "note": "note",
    "data": "data",
    "internal": "internal",
    "before": "before",
    "key_id": "key_id",
    "hash": "hash",
}


def show_audit_log(request: HttpRequest) -> HttpResponseBase:
    """Show the events that match the filters, newest first, or export them as CSV or JSON Lines."""
    if not permissions.can_read_audit_log(request.user):
        raise Http404(_("Page not found."))
    form = AuditLogFilterForm(data=request.GET)
    events = filter_events(form)
    if (file_format := request.GET.get("format", "")) in EXPORTS:
        return build_export(events, file_format)
    return render_page(request, events, form)


def render_page(request: HttpRequest, events: QuerySet[AuditEvent], form: AuditLogFilterForm) -> HttpResponse:
    """Render the events before the position in the URL. The position is an ID, so new events don't shift the pages."""
    before = parse_pk(request.GET.get("before", ""))
    if before is not None:
        events = events.filter(pk__lt=before)
    rows = list(events[: PAGE_SIZE + 1])
    query = request.GET.copy()
    query.pop("before", None)
    stream = form.cleaned_data.get("stream")
    # One stream is short enough to verify at each request. verify_audit_log verifies the whole log.
    stream_events = AuditEvent.objects.filter(stream=stream).order_by("stream", "seq")
    faults = list(find_chain_faults(stream_events.iterator(CHUNK_SIZE))) if stream else []
    context = {
        "events": rows[:PAGE_SIZE],
        "form": form,
        "is_filtered": any(form.cleaned_data.values()),
        "query": query.urlencode(),
        "next_before": rows[PAGE_SIZE - 1].pk if len(rows) > PAGE_SIZE else None,
        "anchor": AuditEvent.objects.filter(stream=ANCHOR_STREAM).order_by("-seq").first(),
        "is_verified": bool(stream) and stream_events.exists(),  # nothing is known about an object without events
        "faults": [fault for fault in faults if fault.is_tampering],
        "unverifiable": [fault for fault in faults if not fault.is_tampering],
    }
    return render(request, "inbox/audit_log.html", context)


def filter_events(form: AuditLogFilterForm) -> QuerySet[AuditEvent]:
    """Return the events that match the valid filters, newest first. Dates are days in UTC."""
    # An invalid filter shows an error, and the others still apply.
    form.is_valid()
    filters = {column: form.cleaned_data[name] for name, column in FILTER_COLUMNS if form.cleaned_data.get(name)}
    actor_condition = Q()
    if "@" in (email := form.cleaned_data.get("person", "")):  # events have the email only of people without a name
        user_ids = list(User.objects.filter(email__iexact=email).values_list("pk", flat=True))
        actor_condition = Q(actor__icontains=filters.pop("actor__icontains")) | Q(actor_id__in=user_ids)
    if first := form.cleaned_data.get("first_day"):
        filters["at__gte"] = f"{first}T00:00Z"
    if last := form.cleaned_data.get("last_day"):
        filters["at__lt"] = f"{last + timedelta(days=1)}T00:00Z"
    events = AuditEvent.objects.filter(actor_condition, **filters).order_by("-pk")
    if detail := form.cleaned_data.get("detail"):
        events = events.alias(issue_texts=JSONTexts("data__issues")).filter(build_detail_condition(detail))
    return events


def build_detail_condition(detail: str) -> Q:
    """Return the condition that the data of an event has a value, such as `finding:3`, as text or as a number.

    Events about several issues list them in `issues`, whose texts the query must have as `issue_texts`.
    """
    name, _colon, value = detail.partition(":")
    condition = Q(**{f"data__{name}": value})
    if name == "issue":
        # A search in the texts, because SQLite can't search in lists of JSON.
        condition |= Q(issue_texts__icontains=value)
    return condition | Q(**{f"data__{name}": int(value)}) if value.isdecimal() else condition


def generate_csv(events: QuerySet[AuditEvent]) -> Iterator[str]:
    """Yield the events as chunks of CSV, without the limit of other exports."""
    records = (
        build_record(event) | {"data": json.dumps(event.data, sort_keys=True)} for event in events.iterator(CHUNK_SIZE)
    )
    rows = (list(record.values()) for record in records)
    return exports.generate_csv(exports.ExportTable("audit-log", tuple(COLUMNS), rows))


def generate_json_lines(events: QuerySet[AuditEvent]) -> Iterator[str]:
    """Yield each event as one line of JSON."""
    for event in events.iterator(CHUNK_SIZE):
        yield json.dumps(build_record(event), sort_keys=True) + "\n"


def build_record(event: AuditEvent) -> NamedValues:
    """Return the columns of an event for an export."""
    record = {name: getattr(event, column) for name, column in COLUMNS.items()}
    return record | {"created_at": event.at.isoformat()}


EXPORTS: dict[str, tuple[Callable[[QuerySet[AuditEvent]], Iterator[str]], str]] = {
    "csv": (generate_csv, exports.CONTENT_TYPES["csv"]),
    "jsonl": (generate_json_lines, "application/jsonl"),
}


def build_export(events: QuerySet[AuditEvent], file_format: str) -> StreamingHttpResponse:
    """Stream the events as a file."""
    generate, content_type = EXPORTS[file_format]
    headers = {"Content-Disposition": f'attachment; filename="audit-log.{file_format}"'}
    return StreamingHttpResponse(generate(events), content_type=content_type, headers=headers)
