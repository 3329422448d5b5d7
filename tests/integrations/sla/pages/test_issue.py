"""Tests of the issue page: the explanation of its date, and decisions of the program."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from integrations.partners.models import PartnerCalendar
from integrations.sla import notifications
from integrations.sla.issue_page import build_issue_page
from integrations.sla.models import MonitoredRepository, SupportIssue
from integrations.sla.services import disputes, projection
from integrations.submissions.services import requirements
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text
from tests.integrations.reviews.queue_page import list_names
from tests.integrations.sla.monitored_repository import create_listed_integration, monitor_repository
from tests.integrations.sla.pages.issues import create_issue
from tests.portal import pseudo_language

pytestmark = pytest.mark.any_database

SignIn = Callable[[Any], Any]


@pytest.mark.parametrize("name", ["met", "paused", "running", "at_risk", "breached", "data_incomplete"])
def test_segments_of_each_clock_follow_each_other_without_a_gap(
    issues: dict[str, SupportIssue], alice: Any, name: str
) -> None:
    page = build_issue_page(reload_row(issues[name]), alice, timezone.now())
    for clock in (page.state.respond, page.state.resolve):
        edges = [(one.end, two.start) for one, two in zip(clock.segments, clock.segments[1:], strict=False)]
        assert [edge for edge in edges if edge[0] != edge[1]] == []
        assert sum((s.used for s in clock.segments if s.counted), timedelta()) == clock.counted


def test_pause_is_shown_in_the_bar_and_links_to_the_question(issues: dict[str, SupportIssue], alice: Any) -> None:
    page = build_issue_page(reload_row(issues["paused"]), alice, timezone.now())
    panel = page.committed_clocks[0]
    assert [kind for kind, _ in panel.pieces] == ["counted", "paused", "left"]
    question = next(row for row in panel.rows if row.reason.startswith("Waiting for the reporter"))
    assert "#issuecomment-" in question.href


@pytest.mark.parametrize("kinds", [["opened"], ["opened", "commented", "closed"]], ids=["opening", "all-events"])
def test_issue_without_its_opening_is_shown_without_clocks(
    sign_in: SignIn, issues: dict[str, SupportIssue], alice: Any, kinds: list[str]
) -> None:
    issue = issues["met"]
    issue.events.filter(kind__in=kinds).delete()
    response = sign_in(alice).get(f"/issues/{issue.uuid}/")
    assert (response.status_code, response.context["page"].clocks) == (200, [])
    text = get_text(response)
    assert "We don't have the opening of this issue, so we can't calculate its clocks." in text
    assert "No required SLA target applies" not in text


@pytest.mark.parametrize(
    ("decide", "allowed"),
    [
        (disputes.accept_dispute, True),
        (disputes.waive_breach, True),
        (disputes.dismiss_dispute, True),
        (disputes.correct_severity, False),
        (disputes.lower_severity, False),
        (disputes.exclude_issue, False),
    ],
)
def test_issue_without_its_opening_allows_only_decisions_on_the_breach(
    issues: dict[str, SupportIssue], alice: Any, rita: Any, decide: Callable[..., Any], allowed: bool
) -> None:
    issue = issues["breached"]
    now = timezone.now()
    disputes.dispute_breach(issue, "We replied in time.", actor=alice, now=now)
    issue.events.filter(kind="opened").delete()
    if allowed:
        decide(issue, "Agreed.", actor=rita, now=now)
    else:
        with pytest.raises(ActionRefused, match="We don't have the opening of this issue"):
            decide(issue, "Agreed.", actor=rita, now=now)
    assert reload_row(issue).disputed == ("" if allowed else "breach")
    assert issue.events.filter(source="portal").count() == 0


@pytest.mark.parametrize(("name", "is_named"), [("breached", True), ("running", False)])
def test_page_of_a_critical_issue_names_the_address_for_critical_issues(
    sign_in: SignIn, issues: dict[str, SupportIssue], rita: Any, name: str, is_named: bool
) -> None:
    issue = issues[name]
    requirements.submit_answer(
        issue.integration, "NO-9", {"escalation": "pager@acme.example"}, actor=None, now=timezone.now()
    )
    text = get_text(sign_in(rita).get(f"/issues/{issue.uuid}/"))
    assert ("Email address for critical issues pager@acme.example" in text) == is_named


def test_issue_opened_after_the_end_of_monitoring_is_shown(
    sign_in: SignIn, issues: dict[str, SupportIssue], alice: Any
) -> None:
    issue = issues["met"]
    MonitoredRepository.objects.filter(issues=issue).update(ended_at=issue.opened_at - timedelta(seconds=1))
    page = sign_in(alice).get(f"/issues/{issue.uuid}/").context["page"]
    assert {panel.clock.state for panel in page.clocks} == {"met", "not_applicable"}


def test_program_lowers_the_severity_and_the_partner_sees_the_reason(
    sign_in: SignIn, issues: dict[str, SupportIssue], rita: Any, alice: Any
) -> None:
    issue = issues["at_risk"]
    response = sign_in(rita).post(f"/issues/{issue.uuid}/lower-severity/", {"reason": "It is a question."})
    assert (response.status_code, SupportIssue.objects.get(pk=issue.pk).severity) == (302, "other")
    assert issue.events.get(kind="severity_lowered").text == "It is a question."
    event = AuditEvent.objects.get(event_type="issue.severity_reduced")
    assert (event.actor, event.note) == (str(rita), "It is a question.")
    assert EmailMessage.objects.filter(name="severity_lowered", to=alice.email).exists()
    assert "It is a question." in sign_in(alice).get(f"/issues/{issue.uuid}/").content.decode()


def test_breach_stays_if_the_severity_is_lowered_after_it(
    issues: dict[str, SupportIssue], alice: Any, rita: Any, sign_in: SignIn
) -> None:
    issue = issues["breached"]
    disputes.request_lower_severity(issue, "It is a question.", actor=alice, now=timezone.now())
    disputes.lower_severity(issue, "It is indeed.", actor=rita, now=timezone.now())
    clock = issue.clocks.get(is_committed=True)
    assert (issue.breaches.get().retracted_at, clock.state, clock.severity) == (None, "overdue", "critical")
    assert reload_row(issue).severity == "other"
    page = sign_in(alice).get(f"/issues/{issue.uuid}/").content.decode()
    assert "The severity was lowered after the due date. The breach stays on record." in page


def test_breach_is_retracted_if_the_lower_severity_was_requested_in_time(
    issues: dict[str, SupportIssue], alice: Any, rita: Any
) -> None:
    issue = issues["breached"]
    now = timezone.now()
    disputes.request_lower_severity(
        issue, "It is a question.", actor=alice, now=now - timedelta(hours=30)
    )  # the breach: 24 hours
    disputes.dispute_breach(issue, "We asked in time.", actor=alice, now=now)
    disputes.lower_severity(issue, "It is indeed.", actor=rita, now=now)
    clock = issue.clocks.get(is_committed=True)
    assert (clock.state, clock.severity, clock.breached_at) == ("running", "other", None)
    assert issue.breaches.get().retraction_reason == "The program agreed that the issue is not critical: It is indeed."


def test_exclusion_retracts_the_breach(issues: dict[str, SupportIssue], rita: Any) -> None:
    issue = issues["breached"]
    assert issue.breaches.get().retracted_at is None
    disputes.exclude_issue(issue, "Spam.", actor=rita, now=timezone.now())
    assert issue.breaches.get().retracted_at is not None
    assert {clock.state for clock in issue.clocks.all()} == {"not_applicable"}
    with pytest.raises(ActionRefused, match="already excluded"):
        disputes.exclude_issue(issue, "Again.", actor=rita, now=timezone.now())


def test_partner_can_only_request_a_lower_severity(
    sign_in: SignIn, issues: dict[str, SupportIssue], alice: Any
) -> None:
    issue = issues["at_risk"]
    client = sign_in(alice)
    assert client.post(f"/issues/{issue.uuid}/lower-severity/", {"reason": "Please."}).status_code == 403
    assert client.post(f"/issues/{issue.uuid}/request-lower-severity/", {"reason": "Please."}).status_code == 302
    assert SupportIssue.objects.get(pk=issue.pk).severity == "critical"
    assert [event.event_type for event in AuditEvent.objects.filter(event_type__startswith="issue.")] == [
        "issue.severity_reduction_requested"
    ]


def test_decision_without_a_reason_is_refused(sign_in: SignIn, issues: dict[str, SupportIssue], rita: Any) -> None:
    response = sign_in(rita).post(f"/issues/{issues['at_risk'].uuid}/lower-severity/", {"reason": " "})
    assert (response.status_code, issues["at_risk"].events.filter(source="portal").count()) == (422, 0)


def test_issue_of_another_partner_is_not_found(sign_in: SignIn, issues: dict[str, SupportIssue], alice: Any) -> None:
    assert sign_in(alice).get(f"/issues/{issues['other'].uuid}/").status_code == 404


def test_email_about_one_issue_links_to_it(
    issues: dict[str, SupportIssue], alice: Any, rita: Any, settings: Any
) -> None:
    notifications.send_due_notifications(timezone.now())
    one = EmailMessage.objects.filter(name="issues_breached", to=alice.email).first()
    assert one
    assert f"{settings.SITE_URL}/issues/{issues['breached'].uuid}/" in one.text


def test_disputed_breach_stays_is_listed_and_waits_for_a_decision(
    sign_in: SignIn, issues: dict[str, SupportIssue], alice: Any, rita: Any
) -> None:
    issue = issues["breached"]
    client = sign_in(alice)
    page = f"/issues/{issue.uuid}/"
    assert client.post(f"{page}dispute-breach/", {"reason": "We answered by mail."}).status_code == 302
    assert reload_row(issue).disputed == "breach"
    assert issue.breaches.get().retracted_at is None
    assert "Waiting for the program." in client.get(page).content.decode()
    client = sign_in(rita)
    assert "Action required: Decide on the dispute." in client.get(page).content.decode()
    assert list_names(client.get("/queue/?kind=dispute")) == ["Exploded"]
    assert [row.columns.issue__title for row in client.get("/sla/?state=disputed").context["rows"]] == ["Exploded"]
    assert client.post(f"{page}dismiss-dispute/", {"reason": "GitHub shows no answer."}).status_code == 302
    assert reload_row(issue).disputed_at is None
    assert client.post(f"{page}dismiss-dispute/", {"reason": "Again."}).status_code == 422
    assert list_names(client.get("/queue/?kind=dispute")) == []
    assert "GitHub shows no answer." in sign_in(alice).get(page).content.decode()
    emails = EmailMessage.objects.filter(name__in=("breach_disputed", "dispute_dismissed")).order_by("pk")
    assert [email.to == alice.email for email in emails] == [False, True]


def test_issue_without_a_breach_cannot_be_disputed(
    sign_in: SignIn, issues: dict[str, SupportIssue], alice: Any
) -> None:
    issue = issues["running"]
    assert sign_in(alice).post(f"/issues/{issue.uuid}/dispute-breach/", {"reason": "No."}).status_code == 422
    assert reload_row(issue).disputed == ""


def test_reason_of_a_decision_is_shown_wherever_the_breach_was_reported(
    sign_in: SignIn, issues: dict[str, SupportIssue], alice: Any, rita: Any
) -> None:
    issue = issues["breached"]
    now = timezone.now()
    notifications.send_due_notifications(now)
    disputes.dispute_breach(issue, "It is spam.", actor=alice, now=now)
    disputes.exclude_issue(issue, "It is spam indeed.", actor=rita, now=now)
    notifications.send_due_notifications(now)
    why = "The program excluded the issue from the SLA: It is spam indeed."
    assert issue.breaches.get().retraction_reason == why
    assert reload_row(issue).disputed == ""
    corrections = EmailMessage.objects.filter(name="breaches_retracted")
    assert {email.to for email in corrections} >= {alice.email}
    assert all(why in email.text and why in email.html for email in corrections)
    assert why in sign_in(alice).get(f"/issues/{issue.uuid}/").content.decode()


def test_clock_card_shows_its_times_in_the_zone_of_the_calendar(
    sign_in: SignIn, issues: dict[str, SupportIssue], alice: Any, acme: Any
) -> None:
    issue = issues["running"]
    issue.calendar = PartnerCalendar.objects.create(
        partner=acme,
        valid_from=issue.opened_at,
        created_at=issue.opened_at,
        zone="Asia/Tokyo",
        workdays=[0, 1, 2, 3, 4],
    )
    issue.save()
    projection.rebuild_projections([issue.pk], timezone.now())
    page = sign_in(alice).get(f"/issues/{issue.uuid}/").content.decode()
    card = page.partition('data-zone="calendar"')[2].partition("</details>")[0]
    assert ("11:00 PM" in card, "2:00 PM" in card) == (True, False)  # opened on Wednesday at 14:00 UTC


def test_severity_of_a_clock_is_translated(issues: dict[str, SupportIssue], alice: Any) -> None:
    with pseudo_language.activate_pseudo_language():
        page = build_issue_page(issues["running"], alice, timezone.now())
        card = render_to_string("sla/clock_status.html", {"page": page, "panel": page.clocks[0], "now": timezone.now()})
    assert "⟦Other⟧, " in card


def test_issue_page_says_that_an_ideal_target_was_missed(sign_in: SignIn, alice: Any, acme: Any) -> None:
    integration = create_listed_integration(acme, program="terraform-run-task")
    now = timezone.now()
    monitor_repository(integration, now - timedelta(days=3))
    issue = create_issue(integration, "Critical", now - timedelta(hours=49), labels=("critical",), now=now)
    page = sign_in(alice).get(f"/issues/{issue.uuid}/").content.decode()
    assert "This is not a breach." in page
    assert [(clock.state, clock.breached_at) for clock in issue.clocks.filter(target_type="resolve")] == [
        ("running", None)
    ]
