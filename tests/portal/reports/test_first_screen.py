"""Tests of what an email of a report begins with: verdict, figures, trend, and links; and of its lists."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse

from integrations.partners.models import ConflictOfInterest, Partner
from integrations.reviews.models import Snooze
from integrations.sla.models import MonitoredRepository, SupportIssue
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.audit.services import record_event
from portal.core.site_urls import build_absolute_url
from portal.notifications.models import EmailMessage
from portal.reports import tasks
from portal.reports.deliveries import list_decisions
from tests.integrations.page_text import get_text
from tests.integrations.sla.pages.issues import create_issue
from tests.integrations.sla.rows import create_repository_row
from tests.portal.reports.deliveries import HOUR, MONDAY
from tests.portal.reports.test_content import create_clocks, get_email


@pytest.mark.any_database
def test_email_starts_with_the_verdict_and_four_figures(monitored_repository: MonitoredRepository, alice: User) -> None:
    tasks.generate_due_reports(MONDAY)
    text = get_email("alice@acme.example").text
    positions = [text.index(part) for part in ("1 issue is overdue.", "| On time | 50.0% |", "## Most overdue issues")]
    assert positions == sorted(positions)
    first_table = text[positions[1] : positions[2]].split("\n\n")[0]
    assert [line.split(" | ")[0] for line in first_table.splitlines()] == [
        "| On time",
        "| Breached",
        "| Overdue at the end of the week",
        "| At risk at the end of the week",
    ]


@pytest.mark.any_database
def test_email_without_overdue_issues_asks_for_the_tasks_below(rocket: Integration, alice: User, now: datetime) -> None:
    create_repository_row(rocket, now)
    tasks.generate_due_reports(MONDAY)
    text = get_email("alice@acme.example").text
    assert text.startswith("Action required: 1 task is waiting for you. See below.\n")
    assert ("## Waiting for you\n\n- Rocket: " in text, "No action needed" in text) == (True, False)


def test_email_says_by_when_a_task_is_due(rocket: Integration, alice: User, now: datetime) -> None:
    create_repository_row(rocket, now)
    due = {"next_action_code": "respond_to_notice", "action_due_at": MONDAY + timedelta(days=3)}
    Integration.objects.filter(pk=rocket.pk).update(responsible_party="partner", **due)
    tasks.generate_due_reports(MONDAY)
    task = get_email("alice@acme.example").text.partition("- Rocket: Respond to the notice: ")[2].splitlines()[:2]
    assert task == [build_absolute_url("submissions:detail", rocket.uuid), "  Due Thu, Apr 23"]


def test_largest_email_is_smaller_than_100_kb(rocket: Integration, alice: User, now: datetime) -> None:
    monitored_repository = create_repository_row(rocket, now)
    create_clocks(monitored_repository, 30, MONDAY - 24 * HOUR, "overdue", 1)
    create_clocks(monitored_repository, 30, MONDAY + 30 * HOUR, "running", 31)
    SupportIssue.objects.update(title="x" * 250)
    tasks.generate_due_reports(MONDAY)
    email = get_email("alice@acme.example")
    assert len((email.html + email.text).encode()) < 100_000


def test_trend_is_a_chart_with_the_same_text(monitored_repository: MonitoredRepository, alice: User) -> None:
    tasks.generate_due_reports(MONDAY)
    tasks.generate_due_reports(MONDAY + timedelta(weeks=1))
    email = EmailMessage.objects.get(key__contains="2026-W17", to="alice@acme.example")
    assert "\n- Week 16: 1 of 2 met, 1 overdue\n- Week 17: " in email.text
    assert ("1 of 2 met, 1 overdue" in email.html, 'width="50%"' in email.html) == (True, True)


def test_email_links_to_the_download_and_to_what_waits_for_the_reader(
    monitored_repository: MonitoredRepository, sam: User, settings: Any
) -> None:
    integration = monitored_repository.integration
    User.objects.filter(pk=sam.pk).update(is_reviewer=True)
    Integration.objects.filter(pk=integration.pk).update(
        responsible_party="program", reviewer=sam, next_action_code="review", next_action_params={"round": 1}
    )
    tasks.generate_due_reports(MONDAY)
    text = get_email("sam@program.example").text
    page = f"{settings.SITE_URL}{reverse('reviews:review', args=[integration.uuid])}"
    csv_page = f"{settings.SITE_URL}{reverse('reports:detail_csv', args=['programs', '2026-W16'])}"
    assert f"Download PDF: {csv_page.removesuffix('csv')}pdf" in text
    assert (page in text, "## Waiting for you" in text, f"Download CSV: {csv_page}" in text) == (True, True, True)


@pytest.mark.any_database
def test_worst_issues_link_to_the_reason_of_their_breach(
    monitored_repository: MonitoredRepository, alice: User, sign_in: Any, settings: Any
) -> None:
    tasks.generate_due_reports(MONDAY)
    issue = SupportIssue.objects.get(number=2)
    link = f"{settings.SITE_URL}{reverse('sla:issue', args=[issue.uuid])}#resolve"
    assert f"#2: {link} It breaks 2" in get_email("alice@acme.example").text
    explained = create_issue(monitored_repository.integration, "It fails", MONDAY - 90 * HOUR, now=MONDAY)
    page = sign_in(alice).get(reverse("sla:issue", args=[explained.uuid])).content.decode()
    assert 'id="resolve"' in page


@pytest.fixture
def integration_in_review(monitored_repository: MonitoredRepository) -> Integration:
    """Acme's integration in review."""
    Integration.objects.update(
        responsible_party="program", reviewer=None, next_action_code="review", next_action_params={"round": 1}
    )
    return monitored_repository.integration


def list_decision_names(reader: User, scope: str = "program:nomad") -> list[str]:
    return [name for name, *_ in list_decisions(scope, User.objects.get(pk=reader.pk), MONDAY)]


@pytest.mark.parametrize(("reviewer", "expected"), [("rita", ["Rocket"]), ("rob", []), ("", ["Rocket"])])
def test_reviews_wait_for_their_reviewer_or_all(
    integration_in_review: Integration, rita: User, rob: User, reviewer: str, expected: list[str]
) -> None:
    Integration.objects.update(reviewer={"rita": rita, "rob": rob}.get(reviewer))
    assert list_decision_names(rita) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"program_roles": ["reviewer:nomad"]}, ["Rocket"]),
        ({"program_roles": ["reviewer:vault"]}, []),
        ({"is_reviewer": False, "program_roles": ["manager:nomad"]}, []),
        ({"is_reviewer": False, "is_auditor": True}, []),
    ],
)
def test_only_reviewers_of_the_program_get_decisions(
    integration_in_review: Integration, rita: User, fields: dict[str, Any], expected: list[str]
) -> None:
    User.objects.filter(pk=rita.pk).update(**fields)
    assert list_decision_names(rita, "programs") == expected


def test_snoozed_review_does_not_wait_for_the_reader(integration_in_review: Integration, rita: User) -> None:
    Integration.objects.update(responsible_since=MONDAY - timedelta(days=2))
    snooze = {"snoozed_by": rita, "reason": "Demo on Friday.", "at": MONDAY - timedelta(days=1)}
    Snooze.objects.create(integration=integration_in_review, until=MONDAY + timedelta(days=1), **snooze)
    assert list_decision_names(rita) == []
    Snooze.objects.update(until=MONDAY)
    assert list_decision_names(rita) == ["Rocket"]


def test_own_company_and_conflicts_do_not_wait_for_the_reader(
    integration_in_review: Integration, rita: User, rob: User
) -> None:
    integration_in_review.partner.memberships.create(user=rita, role="viewer", joined_at=MONDAY)
    ConflictOfInterest.objects.create(
        user=rob, partner=integration_in_review.partner, kind="former_member", recorded_at=MONDAY
    )
    assert (list_decision_names(rita), list_decision_names(rob)) == ([], [])


def test_companies_and_waivers_wait_for_the_reader(
    integration_in_review: Integration, rita: User, settings: Any
) -> None:
    requirement = integration_in_review.edition.steps[0].requirements[0].id
    integration_in_review.fulfillments.create(requirement_id=requirement, waiver_requested_at=MONDAY)
    Partner.objects.filter(pk=integration_in_review.partner_id).update(verification_state="needs_decision")
    assert sorted(list_decision_names(rita)) == ["Acme", "Rocket", "Rocket"]
    pages = {page.removeprefix(settings.SITE_URL) for _, _, page, _ in list_decisions("program:nomad", rita, MONDAY)}
    assert pages == {
        reverse("reviews:partner", args=[integration_in_review.partner.slug]),
        reverse("reviews:review", args=[integration_in_review.uuid]),
        f"{reverse('submissions:requirement', args=[integration_in_review.uuid, requirement])}?open=waive",
    }


def test_dispute_waits_for_the_reader_and_is_in_their_email(
    monitored_repository: MonitoredRepository, sam: User
) -> None:
    User.objects.filter(pk=sam.pk).update(is_reviewer=True)
    issue = SupportIssue.objects.get(number=2)
    SupportIssue.objects.filter(pk=issue.pk).update(disputed="breach", disputed_at=MONDAY)
    page = build_absolute_url("sla:dispute", issue.uuid)
    decisions = list_decisions("program:nomad", User.objects.get(pk=sam.pk), MONDAY)
    assert ("It breaks 2", "Decide on the disputed breach", page) in [decision[:3] for decision in decisions]
    tasks.generate_due_reports(MONDAY)
    assert "Decide on the disputed breach" in get_email("sam@program.example").text


def test_decisions_take_few_queries(
    integration_in_review: Integration, rita: User, django_assert_max_num_queries: Any
) -> None:
    reader = User.objects.get(pk=rita.pk)
    with django_assert_max_num_queries(3):  # with the companies and conflicts of the reader
        assert len(list_decisions("programs", reader, MONDAY)) == 1


@pytest.mark.any_database
def test_changes_omit_decisions_that_were_undone(
    monitored_repository: MonitoredRepository, alice: User, sign_in: Any
) -> None:
    row = monitored_repository.integration
    at = MONDAY - 30 * HOUR
    for start in (at, at + HOUR):
        undo_until = (start + timedelta(minutes=10)).isoformat()
        record_event(row, "integration.archived", actor=alice, now=start, undo_until=undo_until)
        if start == at:
            record_event(row, "integration.decision_undone", actor=alice, now=start + timedelta(minutes=5))
    tasks.generate_due_reports(MONDAY)
    line = "Rocket (Acme): Archived the integration (Alice Archer)"
    assert get_email(alice.email).text.count(line) == 1
    page = get_text(sign_in(alice).get(f"/reports/partner:{row.partner.slug}/2026-W16/"))
    assert f"Changes of listing statuses {line} By program" in page


@pytest.mark.any_database
def test_last_comment_can_be_by_someone_else(monitored_repository: MonitoredRepository, alice: User) -> None:
    SupportIssue.objects.update(last_commenter_role="other", last_commented_at=MONDAY - 30 * HOUR)
    tasks.generate_due_reports(MONDAY)
    text = get_email(alice.email).text
    assert ("\n  Last comment by someone else on " in text, "by the other" in text) == (True, False)
