"""Exportable tables of waivers, failing checks, emails, and partners."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from integrations.programs.registry import PROGRAMS
from integrations.reviews.views.partners import search_partners
from portal.analytics.filters import parse_analytics_filters, require_program_staff
from portal.analytics.selectors import workload
from portal.core.exports import CellValue, ExportTable
from portal.core.text_fields import clean_search_query
from portal.notifications.models import EmailMessage
from portal.notifications.selectors import filter_emails

TableRows = Iterator[tuple[CellValue, ...]]
MAX_EXPORT_ROWS = 50_000  # per file
CHUNK_SIZE = 500
WAIVER_COLUMNS = (
    "integration",
    "partner",
    "program",
    "requirement",
    "reason",
    "granted by",
    "expires (UTC)",
    "address",
)
FAILING_COLUMNS = ("check", "program", "failed", "checked")
EMAIL_COLUMNS = (
    "subject",
    "to",
    "template",
    "state",
    "written (UTC)",
    "sent (UTC)",
    "last error",
    "integration",
    "address",
)
PARTNER_COLUMNS = ("partner", "email domain", "alliances manager", "open", "listed", "address")


def build_url(name: str, *args: object) -> str:
    return settings.SITE_URL + reverse(name, args=args)


def build_waivers_table(request: HttpRequest, now: datetime) -> ExportTable:
    """Build the table of current waivers, sorted by expiration."""
    open_waivers = workload.list_open_waivers(parse_analytics_filters(request, now, period=False))[:MAX_EXPORT_ROWS]
    rows = (
        (
            row.integration.name,
            row.integration.partner.name,
            PROGRAMS[row.integration.program_key].name,
            row.requirement.title if row.requirement else row.requirement_id,
            row.waiver_reason,
            str(row.submitted_by or ""),
            row.waiver_expires_at,
            build_url("submissions:requirement", row.integration.uuid, row.requirement_id),
        )
        for row in open_waivers
    )
    return ExportTable("waivers", WAIVER_COLUMNS, rows)


def build_failing_checks_table(request: HttpRequest, now: datetime) -> ExportTable:
    """Build the table of failing checks of open integrations, most frequent first."""
    failing_checks = workload.list_all_failing_checks(parse_analytics_filters(request, now, period=False))
    return ExportTable(
        "failing-checks",
        FAILING_COLUMNS,
        [(row.title, row.program_name, row.failed_count, row.checked_count) for row in failing_checks],
    )


def build_emails_table(request: HttpRequest, now: datetime) -> ExportTable:
    """Build the table of the filtered email log, without email content."""
    require_program_staff(request)
    rows = filter_emails(request.GET.get("state", ""), clean_search_query(request.GET.get("q", "")))
    return ExportTable("emails", EMAIL_COLUMNS, _iterate_email_rows(rows))


def _iterate_email_rows(rows: Any) -> TableRows:
    state_labels = dict(EmailMessage.State.choices)
    columns = ("subject", "to", "name", "state", "created_at", "sent_at", "last_error", "integration__name", "uuid")
    for row in rows.values_list(*columns)[:MAX_EXPORT_ROWS].iterator(chunk_size=CHUNK_SIZE):
        subject, to, name, state, *rest, uuid = row
        yield (subject, to, name, str(state_labels.get(state, state)), *rest, build_url("inbox:email", uuid))


def build_partners_table(request: HttpRequest, now: datetime) -> ExportTable:
    """Build the table of filtered partners with the number of their integrations."""
    require_program_staff(request)
    partners: Any = search_partners(clean_search_query(request.GET.get("q", "")))[:MAX_EXPORT_ROWS]
    rows = (
        (
            row.name,
            row.domain,
            str(row.alliances_manager or ""),
            row.open_count,
            row.listed_count,
            build_url("reviews:partner", row.slug),
        )
        for row in partners.iterator(chunk_size=CHUNK_SIZE)
    )
    return ExportTable("partners", PARTNER_COLUMNS, rows)
