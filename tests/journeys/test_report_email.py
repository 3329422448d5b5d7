"""The weekly SLA report: its email links to the reason of the worst breach, and managers preview and send it.

If PORTAL_SHOTS names a folder, it receives screenshots of the email.
"""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone
from playwright.sync_api import Browser, expect

from portal.notifications.models import EmailMessage
from portal.reports import tasks
from tests.integrations.sla.monitored_repository import create_listed_integration, monitor_repository
from tests.integrations.sla.pages.issues import create_issue
from tests.journeys.person import Person
from tests.screens.__main__ import VIEWS, store
from tests.suites import FIGURE_PROPERTY

MAX_CLICKS = 1
SHOTS = os.environ.get("PORTAL_SHOTS", "")


def test_email_links_to_the_reason_of_the_worst_breach(
    visit: Callable[..., Person], chromium: Browser, acme: Any, alice: Any, record_property: Callable[..., None]
) -> None:
    create_reports(acme)
    html = EmailMessage.objects.filter(name="report", to=alice.email).latest("pk").html
    take_screenshots(chromium, html)
    reader = visit(alice)
    reader.page.set_content(html)
    reader.clicks = 0
    reader.page.get_by_role("link", name="#", exact=False).first.click()
    reader.clicks += 1
    reader.wait_for_page().sees("Due date explanation")
    expect(reader.page.locator("#resolve")).to_be_in_viewport()
    record_property(FIGURE_PROPERTY, f"{reader.clicks} click from the email to the reason of the worst breach")
    assert reader.clicks <= MAX_CLICKS


def test_manager_previews_a_report_sends_it_and_adds_a_recipient(
    visit: Callable[..., Person], acme: Any, alice: Any, sam: Any
) -> None:
    create_reports(acme)
    manager = visit(sam).go("/reports/").press("Program performance").sees("Breach reasons").shot("performance")
    manager.go("/reports/?scope=programs").page.get_by_role("link", name="all programs").first.click()
    manager.wait_for_page().press("Preview and send emails").sees("Recipients", "sam@program.example").shot(
        "report-emails"
    )
    frame = manager.page.frame_locator("iframe")
    expect(frame.get_by_role("heading", level=1)).to_contain_text("all programs")
    manager.press("Resend email").sees("Report email to sam@program.example queued.")
    manager.press("Edit recipients and schedule").write("Email address", "cfo@bank.example").press("Add recipient")
    manager.sees("We asked cfo@bank.example to confirm.", "Not confirmed").shot("report-recipients")


def create_reports(acme: Any) -> None:
    """Create three weekly reports, in which issues of Acme became overdue."""
    now = timezone.now()
    integration = create_listed_integration(acme)
    monitor_repository(integration, now - timedelta(days=60))
    for number, title in enumerate(("The engine stops after launch", "Tanks are listed twice", "The pad is wet")):
        create_issue(integration, title, now - timedelta(days=20 + number), labels=("critical",), now=now)
    wednesday = now - timedelta(days=(now.weekday() - 2) % 7)  # on Mondays, emails wait for their scheduled time
    for weeks in (2, 1, 0):
        tasks.generate_due_reports(wednesday - timedelta(weeks=weeks))


def take_screenshots(chromium: Browser, html: str) -> None:
    """Take a screenshot of the email in each view if PORTAL_SHOTS names a folder."""
    for view, settings in VIEWS.items() if SHOTS else ():
        context = chromium.new_context(**settings)  # type: ignore[arg-type]
        page = context.new_page()
        page.set_content(html)
        store(page.screenshot(full_page=True), Path(SHOTS) / f"email-report-{view}.png")
        context.close()
