"""Exportable tables of reviewers, waivers, failing checks, emails, and partners."""

from datetime import datetime

from django.http import HttpRequest
from django.utils.translation import override

from integrations.programs.registry import PROGRAMS
from integrations.reviews.forms.filters import AgreementFilterForm, PartnerFilterForm
from integrations.reviews.selectors.filtered_lists import filter_agreements, filter_partners
from integrations.submissions.access import require_program_staff
from portal.analytics.filters import parse_analytics_filters
from portal.analytics.selectors import workload
from portal.core.exports import Columns, ExportTable, build_export
from portal.core.form_fields import clean_search_query
from portal.core.site_urls import build_absolute_url
from portal.notifications.selectors import filter_emails

CHUNK_SIZE = 500
REVIEWER_COLUMNS: Columns = {
    "reviewer": lambda load: str(load.reviewer),
    "open": "reviewer.open_count",
    "capacity": "capacity",
    "waiting": "reviewer.waiting",
    "oldest_at": "reviewer.oldest",
    "overdue": "reviewer.overdue",
    "snoozed": "reviewer.snoozed",
    "decided_in_30_days": "decisions.recent_count",
    "median_days_to_decide": lambda load: (
        load.decisions.median_seconds and round(load.decisions.median_seconds / 86400, 1)
    ),
    "absence": "away",
}
WAIVER_COLUMNS: Columns = {
    "integration": "integration.name",
    "partner": "integration.partner.name",
    "program": lambda row: PROGRAMS[row.integration.program_key].name,
    "requirement": lambda row: row.requirement.title if row.requirement else row.requirement_id,
    "waiver_reason": "waiver_reason",
    "granted_by": lambda row: str(row.waived_by or ""),
    "waiver_expires_at": "waiver_expires_at",
    "url": lambda row: build_absolute_url("submissions:requirement", row.integration.uuid, row.requirement_id),
}
FAILING_COLUMNS: Columns = {
    "check": "title",
    "program": "program_name",
    "failed": "failed_count",
    "checked": "checked_count",
}
EMAIL_COLUMNS: Columns = {
    "subject": "subject",
    "to": "to",
    "template": "name",
    "state": lambda email: email.get_state_display(),
    "created_at": "created_at",
    "sent_at": "sent_at",
    "last_error": "last_error",
    "integration": lambda email: email.integration and email.integration.name,
    "url": lambda email: build_absolute_url("inbox:email", email.uuid),
}
PARTNER_COLUMNS: Columns = {
    "partner": "name",
    "domain": "domain",
    "alliances_manager": lambda partner: str(partner.alliances_manager or ""),
    "open": "open_count",
    "listed": "listed_count",
    "url": lambda partner: build_absolute_url("reviews:partner", partner.slug),
}


AGREEMENT_COLUMNS: Columns = {
    "partner": "partner.name",
    "agreement": lambda agreement: agreement.get_kind_display(),
    "version": "version",
    "state": "state",
    "method": "method",
    "completed_at": "completed_at",
    "partner_signer": lambda agreement: agreement.partner_signature and agreement.partner_signature.signer,
    "partner_title": lambda agreement: agreement.partner_signature and agreement.partner_signature.title,
    "partner_signed_at": lambda agreement: agreement.partner_signature and agreement.partner_signature.signed_at,
    "program_signer": lambda agreement: agreement.program_signature and agreement.program_signature.signer,
    "program_signed_at": lambda agreement: agreement.program_signature and agreement.program_signature.signed_at,
    "rejection_reason": "rejection_reason",
    "digest": "digest",
    "url": lambda agreement: build_absolute_url("reviews:partner", agreement.partner.slug),
}


def build_reviewers_table(request: HttpRequest, now: datetime) -> ExportTable:
    filters = parse_analytics_filters(request, now, has_period=False)
    with override("en"):  # absences are described when the rows are loaded
        loads = workload.list_reviewer_loads(filters)
    return build_export("reviewers", REVIEWER_COLUMNS, loads)


def build_waivers_table(request: HttpRequest, now: datetime) -> ExportTable:
    """Build the table of current waivers, sorted by expiration."""
    open_waivers = workload.list_open_waivers(parse_analytics_filters(request, now, has_period=False))
    return build_export("waivers", WAIVER_COLUMNS, open_waivers.iterator(chunk_size=CHUNK_SIZE))


def build_failing_checks_table(request: HttpRequest, now: datetime) -> ExportTable:
    """Build the table of failing checks of open integrations, most frequent first."""
    failing_checks = workload.list_failing_checks(parse_analytics_filters(request, now, has_period=False))
    return build_export("failing-checks", FAILING_COLUMNS, failing_checks)


def build_emails_table(request: HttpRequest, now: datetime) -> ExportTable:
    """Build the table of the filtered email log, without email content."""
    require_program_staff(request)
    emails = filter_emails(request.GET.get("state", ""), clean_search_query(request.GET.get("q", "")))
    rows = emails.select_related("integration").iterator(chunk_size=CHUNK_SIZE)
    return build_export("emails", EMAIL_COLUMNS, rows)


def build_partners_table(request: HttpRequest, now: datetime) -> ExportTable:
    """Build the table of filtered partners with the number of their integrations."""
    require_program_staff(request)
    form = PartnerFilterForm(data=request.GET)
    form.is_valid()
    partners = filter_partners(form.cleaned_data)
    return build_export("partners", PARTNER_COLUMNS, partners.iterator(chunk_size=CHUNK_SIZE))


def build_agreements_table(request: HttpRequest, now: datetime) -> ExportTable:
    """Build the table of filtered agreements of all partners."""
    require_program_staff(request)
    form = AgreementFilterForm(data=request.GET)
    form.is_valid()
    agreements = filter_agreements(form.cleaned_data)
    return build_export("agreements", AGREEMENT_COLUMNS, agreements.iterator(chunk_size=CHUNK_SIZE))
