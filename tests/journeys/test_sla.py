"""SLA pages: due dates of issues, filters and exports, severity, calendars, and label policies."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from integrations.partners.models import Partner
from integrations.sla.models import SupportIssue
from integrations.submissions.models import Integration
from tests.integrations.sla.monitored_repository import create_listed_integration, monitor_repository
from tests.integrations.sla.pages.issues import QUESTION, create_issue
from tests.integrations.sla.rows import create_repository_row
from tests.journeys.person import Person

Visit = Callable[..., Person]
HOUR = timedelta(hours=1)


@pytest.fixture
def rocket(acme: Any, alice: Any) -> Integration:
    """Acme's integration in support, with a critical issue and one that waits for its reporter."""
    now = timezone.now()
    row = create_listed_integration(acme)
    monitor_repository(row, now - timedelta(days=60))
    create_issue(row, "The engine stops after launch", now - 40 * HOUR, labels=("critical",), now=now)
    create_issue(row, "Tanks are listed twice", now - 60 * HOUR, (5, "asks", QUESTION), (9, "replies", "1.4"), now=now)
    return row


def test_partner_reads_why_an_issue_is_due_and_requests_a_lower_severity(
    visit: Visit, rocket: Integration, alice: Any
) -> None:
    browser = visit(alice).go("/sla/").sees("Tanks are listed twice").shot("sla")
    browser.press("The engine stops after launch").sees("Due date explanation", "Total")
    browser.shot("sla-issue").page.locator("#request-lower-severity summary").click()
    browser.write("Reason", "It is a question about launching.", within=browser.page.get_by_role("dialog"))
    browser.press("Send request", within=browser.page.get_by_role("dialog")).sees("keeps running until")
    browser.sees("It is a question about launching.")


def test_update_of_the_page_keeps_the_focus_without_scrolling_to_it(
    visit: Visit, rocket: Integration, rita: Any
) -> None:
    browser = visit(rita)
    browser.audits = False  # an audit waits for the clock
    browser.page.clock.install()
    page = browser.go("/sla/").page
    page.set_viewport_size({"width": 1280, "height": 400})
    link = page.locator("#results tbody a").last
    link.focus()
    page.evaluate("scrollTo(0, 0)")
    SupportIssue.objects.filter(title="The engine stops after launch").update(title="The engine starts again")
    with page.expect_response("**/sla/"):
        page.clock.run_for(61_000)
    page.clock.run_for(1_000)
    browser.sees("The engine starts again")
    expect(link).to_be_focused()
    assert page.evaluate("scrollY") == 0


def test_hidden_page_does_not_update(visit: Visit, rocket: Integration, rita: Any) -> None:
    browser = visit(rita)
    browser.audits = False  # an audit waits for the clock
    browser.page.clock.install()
    page = browser.go("/sla/").page
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    page.clock.run_for(61_000)
    page.evaluate("Object.defineProperty(document, 'hidden', {value: false})")
    with page.expect_response("**/sla/"):
        page.clock.run_for(60_000)
    assert urls == [page.url]


def test_reviewer_filters_and_exports_issues_and_lowers_a_severity(
    visit: Visit, rocket: Integration, rita: Any, tmp_path: Path
) -> None:
    browser = visit(rita).go("/sla/").choose("Severity", "Critical").does_not_see("Tanks are listed twice")
    browser.page.wait_for_url("**severity=critical**")
    with browser.page.expect_download() as download:  # its link follows the filter without a page load
        browser.page.get_by_role("link", name="CSV").click()
    download.value.save_as(tmp_path / "sla.csv")
    lines = (tmp_path / "sla.csv").read_text().splitlines()
    assert (len(lines), "The engine stops after launch" in lines[1]) == (2, True)
    browser.press("Trends").sees("No matching SLA figures in the last 12 weeks")
    assert browser.page.get_by_role("combobox", name="Severity").input_value() == "critical"
    browser.go("/sla/?state=at_risk")
    browser.press("The engine stops after launch").page.locator("#lower-severity summary").click()
    dialog = browser.page.get_by_role("dialog")
    browser.write("Reason", "It is a question.", within=dialog).press("Lower severity", within=dialog)
    browser.sees("Severity lowered.")
    assert SupportIssue.objects.get(title="The engine stops after launch").severity == "other"


def test_integrations_of_the_filtered_partner_can_be_filtered_at_once(
    visit: Visit, rocket: Integration, rita: Any, globex: Partner
) -> None:
    create_repository_row(create_listed_integration(globex), timezone.now())
    browser = visit(rita).go("/sla/")
    field = browser.page.get_by_role("combobox", name="Integration")
    expect(field).to_have_count(0)
    browser.choose("Partner", "Acme")
    expect(field).to_be_visible()
    browser.choose("Integration", rocket.name)
    browser.page.wait_for_url(f"**integration={rocket.uuid}**")
    browser.choose("Partner", "Globex")
    expect(field).to_have_value("")
    browser.choose("Partner", "All")
    expect(field).to_have_count(0)


def test_sla_pages_fit_a_narrow_phone_without_scripts(visit: Visit, rocket: Integration, alice: Any) -> None:
    browser = visit(alice, phone=True, javascript=False)
    browser.page.set_viewport_size({"width": 320, "height": 700})
    issue = SupportIssue.objects.get(title="Tanks are listed twice")
    for page in ("/sla/", "/sla/trends/", f"/issues/{issue.uuid}/", "/company/acme/calendar/"):
        browser.go(page)
        assert browser.page.evaluate("document.documentElement.scrollWidth") == 320, page


def test_partner_previews_and_saves_its_calendar(visit: Visit, rocket: Integration, alice: Any) -> None:
    browser = visit(alice).go("/company/acme/").press("Calendar").choose("Time zone", "Europe/Berlin")
    browser.choose("Country", "Germany").press("Preview changes").sees("keep their due dates").shot("calendar")
    browser.press("Save calendar").sees("Calendar saved. It applies to issues opened after this change.")


def test_label_policy_is_proposed_and_accepted(visit: Visit, rocket: Integration, alice: Any, rita: Any) -> None:
    page = f"/integrations/{rocket.uuid}/label-policy/"
    browser = visit(alice).go(page).write("Critical labels", "sev-one").press("Propose label policy")
    browser.sees("Proposal sent to the program.", "Waiting for the program")
    visit(rita).go(page).press("Accept proposal").sees("Label policy accepted. It applies to new issues.").shot(
        "labels"
    )
