"""Tests of the dispute page: the outcomes, and their effect on clocks and the weekly figure."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from integrations.sla import tasks
from integrations.sla.issue_decisions import DECISIONS, DecisionEffect, preview_decision
from integrations.sla.models import SlaBreach, SupportIssue
from integrations.sla.projection_audit import replay_issues
from integrations.sla.selectors import issue_states
from integrations.sla.services import disputes, monitoring, projection
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.integrations.page_text import parse
from tests.integrations.sla.pages.issues import create_issue
from tests.portal.api.client import add_second_factor, create_api_client

pytestmark = pytest.mark.any_database

SignIn = Callable[[User], Any]
OUTCOMES = {
    "accept_dispute": ("issue.dispute_accepted", "dispute_accepted", "accepted"),
    "correct_severity": ("issue.severity_corrected", "severity_corrected", ""),
    "waive_breach": ("issue.breach_waived", "breach_waived", "waived"),
    "dismiss_dispute": ("issue.dispute_dismissed", "dispute_dismissed", ""),
}


@pytest.fixture
def disputed_issue(issues: dict[str, SupportIssue], alice: User) -> SupportIssue:
    issue = issues["breached"]
    disputes.dispute_breach(issue, "It never was critical.", actor=alice, now=timezone.now())
    return reload_issue(issue)


def get_label(text: str) -> str:
    """Return the text of an effect without dates and figures."""
    return text if "breach" in text else text.partition(" in 20")[0].partition(":")[0]


def reload_issue(issue: SupportIssue) -> SupportIssue:
    return issue_states.select_issues().select_related("integration__partner").get(pk=issue.pk)


def preview(name: str, issue: SupportIssue, user: User) -> DecisionEffect:
    decision = next(decision for decision in DECISIONS if decision.name == name)
    effect = preview_decision(decision, issue, actor=user, now=timezone.now())
    assert effect is not None
    return effect


def test_decision_after_the_end_of_support_does_not_continue_the_clock(
    issues: dict[str, SupportIssue], rita: User
) -> None:
    now = timezone.now()
    integration = issues["running"].integration
    issue = create_issue(integration, "It hangs", now - timedelta(hours=10), labels=("crash",), now=now)
    monitoring.stop_monitoring(integration, now)
    decided_at = now + timedelta(days=30)
    disputes.lower_severity(reload_issue(issue), "It is minor.", actor=rita, now=decided_at)
    clock = issue.clocks.get(target_type="resolve")
    assert (clock.severity, clock.state, clock.next_at) == ("other", "running", None)
    assert clock.counted_seconds <= 10 * 3600


@pytest.mark.parametrize(
    ("name", "is_breached", "moves_due_date", "breach_change"),
    [
        ("accept_dispute", False, False, -1),
        ("correct_severity", False, True, -1),
        ("waive_breach", False, False, -1),
        ("exclude_issue", False, True, -1),
        ("dismiss_dispute", True, False, 0),
    ],
)
def test_effect_is_shown_before_the_decision_and_equals_it(
    disputed_issue: SupportIssue, rita: User, name: str, is_breached: bool, moves_due_date: bool, breach_change: int
) -> None:
    effect = preview(name, disputed_issue, rita)
    resolve = next(clock for clock in effect.clocks if clock.before.is_breached)
    assert resolve.after.is_breached is is_breached
    assert (resolve.before.due_at != resolve.after.due_at) is moves_due_date
    assert effect.after.breached - effect.before.breached == breach_change
    assert reload_issue(disputed_issue).disputed == "breach"
    assert disputed_issue.breaches.filter(retracted_at=None).count() == 1
    getattr(disputes, name)(disputed_issue, "Because.", actor=rita, now=timezone.now())
    clock = disputed_issue.clocks.get(target_type=resolve.target_type)
    assert (clock.due_at if clock.is_committed else None) == resolve.after.due_at
    assert disputed_issue.breaches.filter(retracted_at=None).exists() is is_breached


@pytest.mark.parametrize("name", OUTCOMES)
def test_outcome_is_recorded_and_the_partner_is_notified(
    sign_in: SignIn, disputed_issue: SupportIssue, alice: User, rita: User, name: str
) -> None:
    event_type, email, outcome = OUTCOMES[name]
    url = f"/issues/{disputed_issue.uuid}/{name.replace('_', '-')}/"
    client = sign_in(rita)
    assert client.post(url, {"reason": ""}).status_code == 422
    assert client.post(url, {"reason": "The label was wrong."}).status_code == 302
    event = AuditEvent.objects.get(event_type=event_type)
    assert (event.actor, event.note) == (str(rita), "The label was wrong.")
    message = EmailMessage.objects.get(name=email, to=alice.email)
    assert "The label was wrong." in message.text
    assert reload_issue(disputed_issue).disputed == ""
    assert disputed_issue.breaches.get().outcome == outcome
    assert client.post(url, {"reason": "Again."}).status_code == 422
    assert AuditEvent.objects.filter(event_type=event_type).count() == 1


@pytest.mark.parametrize("name", ["accept_dispute", "waive_breach"])
def test_settled_breach_is_not_recorded_again(disputed_issue: SupportIssue, rita: User, name: str) -> None:
    now = timezone.now()
    getattr(disputes, name)(disputed_issue, "Because.", actor=rita, now=now)
    projection.rebuild_projections([disputed_issue.pk], now + timedelta(minutes=5))
    tasks.advance_due_clocks(now + timedelta(minutes=5))
    assert SlaBreach.objects.filter(issue=disputed_issue).count() == 1
    clock = disputed_issue.clocks.get(is_committed=True, breaches__isnull=False)
    assert (clock.state, clock.breached_at, clock.next_at) == ("overdue", None, None)
    replay = replay_issues(SupportIssue.objects.filter(pk=disputed_issue.pk), now + timedelta(minutes=5))
    assert [text for _, differences in replay for text in differences if ": breach is" in text] == []


def test_dispute_page_shows_the_outcomes_with_their_effect(
    sign_in: SignIn, disputed_issue: SupportIssue, alice: User, rita: User
) -> None:
    url = f"/issues/{disputed_issue.uuid}/dispute/"
    page = parse(sign_in(rita).get(url))
    effects = {
        field["value"]: [get_label(line.text) for line in field.parent.select(".effect > span")] or ["none"]
        for field in page.select("input[name=decision]")
    }
    assert effects == {
        "accept_dispute": ["Resolution: breached → no breach", "On time"],
        "correct_severity": ["Resolution: breached → no breach", "Resolution due", "On time"],
        "waive_breach": ["Resolution: breached → waived", "On time"],
        "lower_severity": ["none"],
        "exclude_issue": ["Resolution: breached → no breach", "Resolution due", "On time"],
        "dismiss_dispute": ["none"],
    }
    assert "It never was critical." in page.text
    assert len(page.select("main form")) == 1
    assert sign_in(alice).get(url).status_code == 403
    disputes.dismiss_dispute(disputed_issue, "No.", actor=rita, now=timezone.now())
    assert sign_in(rita).get(url)["Location"] == f"/issues/{disputed_issue.uuid}/"


@pytest.mark.parametrize(
    ("data", "errors"),
    [
        ({"reason": "The label was wrong."}, ["Select a decision."]),
        ({"decision": "waive_breach", "reason": " "}, ["Enter a reason."]),
        ({"decision": "dispute_breach", "reason": "Mine."}, ["Select a valid choice."]),
    ],
)
def test_incomplete_decision_is_refused_with_its_input(
    sign_in: SignIn, disputed_issue: SupportIssue, rita: User, data: dict[str, str], errors: list[str]
) -> None:
    response = sign_in(rita).post(f"/issues/{disputed_issue.uuid}/dispute/", data)
    page = parse(response)
    shown = [each.get_text(strip=True).partition(" dispute_breach")[0] for each in page.select("p.error")]
    checked = [each["value"] for each in page.select("input[name=decision]:checked")]
    assert (response.status_code, [text.startswith(e) for text, e in zip(shown, errors, strict=True)]) == (422, [True])
    assert checked == [name for name in ("waive_breach",) if name == data.get("decision")]
    assert page.select_one("textarea").text.strip() == data["reason"].strip()
    assert reload_issue(disputed_issue).disputed == "breach"


def test_dispute_is_decided_once_with_one_form(sign_in: SignIn, disputed_issue: SupportIssue, rita: User) -> None:
    url = f"/issues/{disputed_issue.uuid}/dispute/"
    client = sign_in(rita)
    data = {"decision": "waive_breach", "reason": "GitHub was down."}
    assert client.post(url, data)["Location"] == f"/issues/{disputed_issue.uuid}/"
    assert (reload_issue(disputed_issue).disputed, disputed_issue.breaches.get().outcome) == ("", "waived")
    again = client.post(url, data)
    assert (again.status_code, parse(again).select_one("p.error").get_text(strip=True)) == (
        422,
        "This issue has no open dispute.",
    )


def test_waived_breach_stays_visible(sign_in: SignIn, disputed_issue: SupportIssue, alice: User, rita: User) -> None:
    disputes.waive_breach(disputed_issue, "GitHub was down.", actor=rita, now=timezone.now())
    page = sign_in(alice).get(f"/issues/{disputed_issue.uuid}/").content.decode()
    assert "Waived" in page
    assert "The program waived the breach: GitHub was down." in page


def test_severity_dispute_is_decided_by_the_severity_alone(
    issues: dict[str, SupportIssue], alice: User, rita: User
) -> None:
    issue = issues["at_risk"]
    now = timezone.now()
    disputes.request_lower_severity(issue, "It is a question.", actor=alice, now=now)
    with pytest.raises(ActionRefused, match=r"This dispute is about the severity\. Lower or correct the severity"):
        disputes.accept_dispute(reload_issue(issue), "It is.", actor=rita, now=now)
    assert (reload_issue(issue).severity, reload_issue(issue).disputed) == ("critical", "severity")
    disputes.lower_severity(reload_issue(issue), "It is.", actor=rita, now=now)
    assert (reload_issue(issue).severity, reload_issue(issue).disputed) == ("other", "")
    assert AuditEvent.objects.filter(event_type="issue.severity_reduced").count() == 1


def test_severity_dispute_is_not_accepted_from_an_earlier_page(
    issues: dict[str, SupportIssue], alice: User, rita: User
) -> None:
    issue = issues["breached"]
    now = timezone.now()
    earlier = reload_issue(issue)
    disputes.request_lower_severity(issue, "It is a question.", actor=alice, now=now)
    with pytest.raises(ActionRefused, match="This dispute is about the severity"):
        disputes.accept_dispute(earlier, "It is.", actor=rita, now=now)
    assert (issue.breaches.filter(retracted_at=None).count(), reload_issue(issue).disputed) == (1, "severity")


@pytest.mark.parametrize("request_again", [disputes.dispute_breach, disputes.request_lower_severity])
def test_open_dispute_of_a_breach_stays_as_it_is(
    disputed_issue: SupportIssue, alice: User, sign_in: SignIn, request_again: Callable[..., Any]
) -> None:
    with pytest.raises(ActionRefused, match="This issue already has an open dispute"):
        request_again(disputed_issue, "Once more.", actor=alice, now=timezone.now())
    unchanged = reload_issue(disputed_issue)
    assert (unchanged.disputed, unchanged.disputed_at) == ("breach", disputed_issue.disputed_at)
    response = sign_in(alice).get(f"/issues/{disputed_issue.uuid}/")
    assert response.context["decisions"] == []


def test_dispute_page_shows_the_statements_of_both_sides(
    sign_in: SignIn, issues: dict[str, SupportIssue], alice: User, rita: User
) -> None:
    issue = issues["breached"]
    now = timezone.now()
    disputes.dispute_breach(issue, "It is wrong.", actor=alice, now=now)
    disputes.dismiss_dispute(issue, "It is right.", actor=rita, now=now)
    disputes.request_lower_severity(issue, "It is a question.", actor=alice, now=now)
    disputes.dispute_breach(issue, "We answered.", actor=alice, now=now)
    page = parse(sign_in(rita).get(f"/issues/{issue.uuid}/dispute/"))
    (statements,) = page.select('ol[aria-label^="Statements"]')
    notes = [each.get_text(strip=True) for each in statements.select(".entry-body")]
    assert notes == ["It is wrong.", "It is right.", "It is a question.", "We answered."]


def test_reason_is_restored_after_a_sign_in(
    client: Any, sign_in: SignIn, issues: dict[str, SupportIssue], alice: User
) -> None:
    page = f"/issues/{issues['breached'].uuid}/dispute-breach/"
    client.post(page, {"reason": "We answered."})
    client.force_login(alice)
    response = client.get(page)
    form = parse(response).select_one("details.decision[open] textarea")
    assert (response.status_code, form and form.text.strip()) == (200, "We answered.")
    assert client.get(page)["Location"] == f"/issues/{issues['breached'].uuid}/"


def test_refused_form_of_the_partner_is_open(sign_in: SignIn, issues: dict[str, SupportIssue], alice: User) -> None:
    issue = issues["breached"]
    response = sign_in(alice).post(f"/issues/{issue.uuid}/dispute-breach/", {"reason": " "})
    forms = {each["id"]: each.has_attr("open") for each in parse(response).select("details.decision")}
    assert (response.status_code, forms) == (422, {"request-lower-severity": False, "dispute-breach": True})


def test_second_dispute_from_an_earlier_page_is_refused_with_its_text(
    sign_in: SignIn, disputed_issue: SupportIssue, alice: User
) -> None:
    response = sign_in(alice).post(f"/issues/{disputed_issue.uuid}/dispute-breach/", {"reason": "We answered."})
    (form,) = parse(response).select("details.decision[open]")
    assert (response.status_code, form["id"], form.textarea.text.strip()) == (422, "dispute-breach", "We answered.")
    assert str(disputes.OPEN_DISPUTE_MESSAGE) in form.text


def test_undisputed_breach_cannot_be_waived(issues: dict[str, SupportIssue], rita: User) -> None:
    with pytest.raises(ActionRefused, match=r"This issue has no open dispute\."):
        disputes.waive_breach(issues["breached"], "Because.", actor=rita, now=timezone.now())


def test_api_shows_the_effects_and_decides(disputed_issue: SupportIssue, alice: User, rita: User) -> None:
    url = f"/issues/{disputed_issue.uuid}/dispute"
    reviewer = create_api_client(add_second_factor(rita))
    effects = reviewer.get(url).json()["outcomes"]
    waived = next(effect for effect in effects if effect["outcome"] == "waive_breach")
    assert [clock["breached_before"] for clock in waived["clocks"]].count(True) == 1
    assert [clock["breached_after"] for clock in waived["clocks"]].count(True) == 0
    assert waived["breached_before"] - waived["breached_after"] == 1
    assert create_api_client(alice).get(url).status_code == 403
    assert reviewer.post(f"/issues/{disputed_issue.uuid}/waive-breach", {"reason": "Outage."}).status_code == 200
    assert reviewer.get(url).status_code == 409
