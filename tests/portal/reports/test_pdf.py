"""Tests of the PDF of a report."""

from typing import Any

import pytest
from django.urls import reverse

from integrations.sla.models import MonitoredRepository
from portal.accounts.models import User
from portal.reports import tasks
from portal.reports.models import ReportSnapshot
from portal.reports.pdf import render_pdf
from tests.integrations.submissions.test_agreement_pdf import read_pages
from tests.portal.reports.deliveries import MONDAY

pytestmark = pytest.mark.any_database


def test_pdf_has_the_verdict_the_figures_and_the_issues(
    monitored_repository: MonitoredRepository, alice: User, sign_in: Any
) -> None:
    tasks.generate_due_reports(MONDAY)
    scope = f"partner:{monitored_repository.integration.partner.slug}"
    response = sign_in(alice).get(reverse("reports:detail_pdf", args=[scope, "2026-W16"]))
    assert (response["Content-Type"], response.status_code) == ("application/pdf", 200)
    (text,) = read_pages(response.content)
    for part in (
        "SLA week 16: 1 issue overdue, 1 breached – Acme",
        "1 issue is overdue. 1 of 2 SLA targets met, 1 breached.",
        "Metric Week 16 Week 15 On time 50.0%",
        "Most overdue issues",
        "It breaks 2 Critical resolution overdue by",
        "SLA targets by week Period SLA targets Week 16 1 of 2 met, 1 overdue",
    ):
        assert part in text


def test_pdf_has_the_same_bytes_each_time(monitored_repository: MonitoredRepository, alice: User) -> None:
    tasks.generate_due_reports(MONDAY)
    figures = ReportSnapshot.objects.get(scope="programs", kind="week").figures
    assert render_pdf(figures) == render_pdf(figures)
