"""Results from CI: kept as theirs, looked at by lot and where they decide, and a disagreement becomes a finding."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from integrations.submissions.models import Finding, Integration
from portal.notifications.models import EmailMessage
from tests.portal.api.calling import Caller, caller
from tests.portal.api.test_tokens import kind
from verification.checks import execution
from verification.checks.execution import list_required_check_keys
from verification.checks.models import CheckResult, CheckRun, CiCheckReport
from verification.checks.runner import build_integration_subject, list_checked_requirements
from verification.checks.services import ci_reports
from verification.checks.services.ci_reports import ReportedResults
from verification.outcomes import Outcome, Result
from verification.preflight.report import PreflightReport

COMMIT = "9f3c1e0d2b4a"


@pytest.fixture
def ci(alice: Any, acme: Any) -> Caller:
    return caller(alice, partner=acme)


@pytest.fixture
def key(rocket: Any) -> str:
    """One of the checks that its path waits for."""
    return str(list_required_check_keys(list_checked_requirements(rocket))[0])


def report(who: Caller, row: Any, key: str, outcome: str = "pass", commit: str = COMMIT, **more: Any) -> Any:
    body = {"commit": commit, "checks": [{"id": key, "outcome": outcome, "summary": "So it is."}], **more}
    return who.post(f"/integrations/{row.uuid}/check-results", body)


def create_check_result(row: Any, key: str, outcome: str) -> CheckResult:
    now = timezone.now()
    return CheckResult.objects.create(
        integration=row, key=key, version=1, outcome=outcome, summary="Seen by us.", at=now, confirmed_at=now
    )


def test_report_is_kept_as_theirs_and_never_as_ours(ci: Caller, rocket: Any, key: str) -> None:
    answer = report(ci, rocket, key)
    assert (answer.status_code, answer.json()["reported_by"]) == (201, "Acme's token ci")
    assert CheckResult.objects.count() == 0
    assert not rocket.fulfillments.exists()
    assert [row["commit"] for row in ci.get(f"/integrations/{rocket.uuid}/check-results").json()["items"]] == [COMMIT]
    ours = {row["id"]: row["outcome"] for row in ci.get(f"/integrations/{rocket.uuid}/checks").json()["checks"]}
    assert ours[key] == "not_run"


def test_report_is_read_where_its_location_leads(ci: Caller, rocket: Any, key: str, charlie: Any) -> None:
    place = report(ci, rocket, key)["Location"].removeprefix("http://testserver")
    assert (ci.get(place).json()["commit"], ci.get(place).json()["compared_at"]) == (COMMIT, None)
    assert caller(charlie).get(place).status_code == 404
    create_check_result(rocket, key, "fail")
    ci_reports.compare_due_reports()
    assert [each["found"] for each in ci.get(place).json()["disagreements"]] == ["fail"]


def test_what_would_decide_something_is_looked_at(ci: Caller, rocket: Any, key: str) -> None:
    assert report(ci, rocket, key).json()["sampled"] == "decides a requirement"
    assert CheckRun.objects.open().get(integration=rocket).reason == f"CI reported {COMMIT}"


def test_lot_falls_on_one_in_ten_and_the_same_way_again(rocket: Any, now: Any) -> None:
    reports = [ReportedResults(f"{number:040x}", "", "", "", [{"id": "x", "outcome": "fail"}]) for number in range(400)]
    reasons = [ci_reports.get_sampling_reason(rocket, result, now) for result in reports]
    assert reasons == [ci_reports.get_sampling_reason(rocket, result, now) for result in reports]
    assert set(reasons) == {"", "random sample of one in 10"}
    assert 20 <= sum(map(bool, reasons)) <= 65


def test_disagreement_is_shown_and_becomes_a_finding_once(ci: Caller, rocket: Any, key: str) -> None:
    report(ci, rocket, key)
    assert ci_reports.compare_due_reports() == 0  # the portal has not looked yet
    create_check_result(rocket, key, "fail")
    assert ci_reports.compare_due_reports() == 1
    assert ci_reports.compare_due_reports() == 0
    disagreements = CiCheckReport.objects.get().disagreements
    assert disagreements == [{"id": key, "reported": "pass", "found": "fail", "summary": "Seen by us."}]
    finding = Finding.objects.get()
    assert (finding.raised_by, finding.due_at is not None) == (None, True)
    assert f"{key}: reported pass, found fail." in finding.text
    assert rocket.events.last().event_type == "check.disagreed"


def test_disagreement_is_emailed_to_the_partner_and_anyone_who_reviews_it(
    ci: Caller, rocket: Any, key: str, rita: Any
) -> None:
    Integration.objects.update(reviewer=rita)
    report(ci, rocket, key)
    create_check_result(rocket, key, "fail")
    ci_reports.compare_due_reports()
    emails = EmailMessage.objects.filter(name="checks_disagree").order_by("to")
    assert [mail.to for mail in emails] == ["alice@acme.example", "rita@program.example"]
    assert all(f"{key}: reported pass, found fail." in mail.text for mail in emails)


@pytest.mark.parametrize(
    ("reported_outcome", "observed_outcome"),
    [("pass", "pass"), ("not_run", "fail"), ("pass", "warn"), ("fail", "not_run")],
)
def test_what_agrees_or_says_nothing_is_no_disagreement(
    ci: Caller, rocket: Any, key: str, reported_outcome: str, observed_outcome: str
) -> None:
    report(ci, rocket, key, reported_outcome)
    CiCheckReport.objects.update(sampled="random sample of one in 10")
    create_check_result(rocket, key, observed_outcome)
    ci_reports.compare_due_reports()
    assert (CiCheckReport.objects.get().disagreements, Finding.objects.count()) == ([], 0)
    assert CiCheckReport.objects.get().compared_at is not None


def test_report_outlasts_an_outage_of_ours(ci: Caller, rocket: Any, key: str) -> None:
    report(ci, rocket, key)
    create_check_result(rocket, key, "error")
    assert (ci_reports.compare_due_reports(), CiCheckReport.objects.get().compared_at) == (0, None)
    CheckResult.objects.all().delete()
    create_check_result(rocket, key, "fail")
    assert (ci_reports.compare_due_reports(), Finding.objects.count()) == (1, 1)


def test_report_waits_a_month_for_an_answer_of_ours(ci: Caller, rocket: Any, key: str) -> None:
    report(ci, rocket, key)
    create_check_result(rocket, key, "fail")
    assert ci_reports.compare_due_reports(timezone.now() + ci_reports.COMPARISON_PERIOD) == 0


def test_result_from_before_the_report_settles_nothing(ci: Caller, rocket: Any, key: str) -> None:
    create_check_result(rocket, key, "fail")
    report(ci, rocket, key)
    CiCheckReport.objects.update(at=timezone.now() + timedelta(minutes=1))
    assert ci_reports.compare_due_reports() == 0


def test_report_about_something_else_is_refused(ci: Caller, rocket: Any, key: str) -> None:
    assert kind(report(ci, rocket, key, program="vault")) == "requirements-not-met"
    assert kind(report(ci, rocket, key, repository="globex/other")) == "requirements-not-met"
    assert CiCheckReport.objects.count() == 0


def test_preflight_prints_what_is_taken(ci: Caller, rocket: Any, key: str) -> None:
    subject = build_integration_subject(rocket)
    disagreements = PreflightReport(subject, {key: Result(Outcome.PASS, "It is.")}).as_dict()
    assert execution.serialize_result(key, Result(Outcome.PASS, "It is."))["id"] == key
    answer = ci.post(f"/integrations/{rocket.uuid}/check-results", disagreements | {"commit": COMMIT})
    assert (answer.status_code, answer.json()["outcome"]) == (201, "pass")


def test_reader_reports_nothing(alice: Any, acme: Any, rocket: Any, key: str, charlie: Any) -> None:
    assert report(caller(alice, partner=acme, role="viewer"), rocket, key).status_code == 403
    assert report(caller(charlie), rocket, key).status_code == 404
