"""What the page of a supported integration asks for: urgent issues come before the words that nothing is needed."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from portal.accounts.models import User
from tests.integrations.page_text import get_text
from tests.integrations.sla.monitored_repository import create_listed_integration
from tests.integrations.sla.rows import create_clock_row, create_issue_row, create_repository_row
from tests.portal.notifications.integration_events import record_sample_event

pytestmark = pytest.mark.any_database
IDLE_SENTENCE = "No action needed. We monitor this integration."


def create_idle_integration(partner: Partner, **values: str) -> Integration:
    row = create_listed_integration(partner)
    values = {"responsible_party": "portal", "next_action_code": "none_monitored"} | values
    Integration.objects.filter(pk=row.pk).update(**values)
    return row


@pytest.mark.parametrize(("state", "label"), [("overdue", "1 issue overdue"), ("running", "1 issue at risk")])
def test_page_with_an_urgent_issue_asks_the_partner_to_act(
    acme: Partner, alice: Any, rita: Any, sign_in: Any, state: str, label: str
) -> None:
    row = create_idle_integration(acme)
    now = timezone.now()
    issue = create_issue_row(create_repository_row(row, now), 7, now - timedelta(days=9))
    for target_type in ("respond", "resolve"):
        create_clock_row(issue, now + timedelta(hours=1), state=state, target_type=target_type)
    page = sign_in(alice).get(f"/integrations/{row.uuid}/")
    assert (f"Action required: {label} View issues" in get_text(page), IDLE_SENTENCE in page.text) == (True, False)
    assert f"/sla/?partner={acme.slug}&amp;integration={row.uuid}" in page.text
    assert f"Waiting for {acme.name}: {label}" in get_text(sign_in(rita).get(f"/integrations/{row.uuid}/"))


@pytest.mark.parametrize(
    ("state", "action"),
    [("overdue", "Action required: 1 issue overdue."), ("running", "Action required: 1 issue at risk."), ("", "")],
)
def test_email_asks_for_the_same_as_the_page(acme: Partner, alice: User, rita: User, state: str, action: str) -> None:
    row = create_idle_integration(acme)
    now = timezone.now()
    issue = create_issue_row(create_repository_row(row, now), 7, now - timedelta(days=9))
    if state:
        create_clock_row(issue, now + timedelta(hours=1), state=state)
    for event_type in ("compliance.appeal_upheld", "compliance.notice_withdrawn", "compliance.reinstated"):
        emails = record_sample_event(Integration.objects.get(pk=row.pk), event_type, rita, now)
        (text,) = [email.text for email in emails if email.to == alice.email]
        assert text.startswith(f"{action or 'No action needed.'}\n")
        assert ("No action needed" in text) == (not action)


def test_page_without_urgent_issues_says_that_no_action_is_needed(acme: Partner, alice: Any, sign_in: Any) -> None:
    row = create_idle_integration(acme)
    now = timezone.now()
    create_clock_row(
        create_issue_row(create_repository_row(row, now), 7, now), now + timedelta(days=5), state="running"
    )
    page = get_text(sign_in(alice).get(f"/integrations/{row.uuid}/"))
    assert (IDLE_SENTENCE in page, "Action required" in page) == (True, False)


def test_page_without_a_repository_says_that_support_is_not_measured(
    acme: Partner, alice: Any, rita: Any, sign_in: Any
) -> None:
    row = create_idle_integration(acme, repository="")
    sentence = "No action needed. We can't measure support without a repository."
    page = sign_in(alice).get(f"/integrations/{row.uuid}/")
    assert (f"{sentence} Edit details" in get_text(page), IDLE_SENTENCE in page.text) == (True, False)
    page = get_text(sign_in(rita).get(f"/integrations/{row.uuid}/"))
    assert (sentence in page, f"{sentence} Edit details" in page) == (True, False)


def test_page_of_a_delisted_integration_offers_its_reinstatement(acme: Partner, alice: Any, sign_in: Any) -> None:
    row = create_idle_integration(acme, next_action_code="none_delisted", listing_status="delisted")
    page = get_text(sign_in(alice).get(f"/integrations/{row.uuid}/"))
    assert "No action needed. The integration is delisted. Request reinstatement" in page
