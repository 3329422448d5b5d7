"""Tests of results from CI: storage, random and required verification, and findings about disagreements."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from integrations.submissions.models import Finding, Integration
from portal.notifications.models import EmailMessage
from tests.portal import pseudo_language
from tests.portal.api.client import ApiClient, create_api_client
from tests.portal.api.test_tokens import get_problem_type
from verification.checks import execution
from verification.checks.execution import list_required_check_keys
from verification.checks.models import CheckResult, CheckRun, CiCheckReport, Observation
from verification.checks.services import ci_reports
from verification.checks.services.runner import build_integration_subject, list_checked_requirements
from verification.outcomes import Outcome, Result
from verification.preflight.report import PreflightReport

COMMIT = "9f3c1e0d2b4a"


@pytest.fixture
def ci(alice: Any, acme: Any) -> ApiClient:
    return create_api_client(alice, partner=acme)


@pytest.fixture
def key(rocket: Any) -> str:
    """Return a check that the next step waits for."""
    return str(list_required_check_keys(list_checked_requirements(rocket))[0])


def send_report(who: ApiClient, row: Any, key: str, outcome: str = "pass", commit: str = COMMIT, **more: Any) -> Any:
    body = {"commit": commit, "checks": [{"id": key, "outcome": outcome, "summary": "So it is."}], **more}
    return who.post(f"/integrations/{row.uuid}/check-results", body)


def create_check_result(row: Any, key: str, outcome: str) -> CheckResult:
    now = timezone.now()
    return CheckResult.objects.create(
        integration=row, key=key, version=1, outcome=outcome, summary="Seen by us.", at=now, confirmed_at=now
    )


def test_report_is_stored_separately_from_results_of_the_portal(ci: ApiClient, rocket: Any, key: str) -> None:
    answer = send_report(ci, rocket, key)
    assert (answer.status_code, answer.json()["reported_by"]) == (201, "Acme's token ci")
    assert CheckResult.objects.count() == 0
    assert not rocket.fulfillments.exists()
    assert [row["commit"] for row in ci.get(f"/integrations/{rocket.uuid}/check-results").json()["items"]] == [COMMIT]
    ours = {row["id"]: row["outcome"] for row in ci.get(f"/integrations/{rocket.uuid}/checks").json()["checks"]}
    assert ours[key] == "not_run"


def test_checks_without_a_result_are_listed_as_not_run(ci: ApiClient, rocket: Any, key: str, now: Any) -> None:
    CheckRun.objects.update(finished_at=now)
    create_check_result(rocket, key, "pass")
    checks = ci.get(f"/integrations/{rocket.uuid}/checks").json()["checks"]
    keys = list_required_check_keys(list_checked_requirements(rocket))
    assert {each["id"]: each["outcome"] for each in checks} == dict.fromkeys(keys, "not_run") | {key: "pass"}


def test_report_is_available_at_its_location(ci: ApiClient, rocket: Any, key: str, charlie: Any) -> None:
    place = send_report(ci, rocket, key)["Location"].removeprefix("http://testserver")
    assert (ci.get(place).json()["commit"], ci.get(place).json()["compared_at"]) == (COMMIT, None)
    assert create_api_client(charlie).get(place).status_code == 404
    create_check_result(rocket, key, "fail")
    ci_reports.compare_due_reports()
    assert [each["portal_outcome"] for each in ci.get(place).json()["disagreements"]] == ["fail"]


def test_decisive_report_is_verified(ci: ApiClient, rocket: Any, key: str) -> None:
    assert send_report(ci, rocket, key).json()["sampled"] == "decides a requirement"
    assert CheckRun.objects.open().get(integration=rocket).reason == f"CI reported {COMMIT}"


def test_reason_of_the_run_is_stored_in_the_default_language(rocket: Any, key: str, alice: Any, now: Any) -> None:
    report = CiCheckReport(integration=rocket, commit=COMMIT, results=[{"id": key, "outcome": "pass"}])
    with pseudo_language.activate_pseudo_language():
        ci_reports.report_ci_results(report, "", "", actor=alice, now=now)
    assert CheckRun.objects.open().get(integration=rocket).reason == f"CI reported {COMMIT[:12]}"


def test_one_in_ten_reports_is_selected_reproducibly(rocket: Any, now: Any) -> None:
    results = [{"id": "x", "outcome": "fail"}]
    reports = [CiCheckReport(integration=rocket, commit=f"{number:040x}", results=results) for number in range(400)]
    reasons = [ci_reports.get_sampling_reason(report, now) for report in reports]
    assert reasons == [ci_reports.get_sampling_reason(report, now) for report in reports]
    assert set(reasons) == {"", "random sample of one in 10"}
    assert 20 <= sum(map(bool, reasons)) <= 65


def test_disagreement_is_shown_and_creates_one_finding(ci: ApiClient, rocket: Any, key: str) -> None:
    send_report(ci, rocket, key)
    assert ci_reports.compare_due_reports() == 0  # the portal has not run the check yet
    create_check_result(rocket, key, "fail")
    assert ci_reports.compare_due_reports() == 1
    assert ci_reports.compare_due_reports() == 0
    disagreements = CiCheckReport.objects.get().disagreements
    outcomes = {"reported_outcome": "pass", "portal_outcome": "fail"}
    assert disagreements == [{"id": key, "summary": "Seen by us."} | outcomes]
    finding = Finding.objects.get()
    assert (finding.raised_by, finding.due_at is not None) == (None, True)
    assert f"{key}: reported pass, portal result fail." in finding.text
    assert rocket.events.last().event_type == "check.disagreed"


def test_disagreement_is_emailed_to_the_partner_and_the_reviewer(
    ci: ApiClient, rocket: Any, key: str, rita: Any
) -> None:
    Integration.objects.update(reviewer=rita)
    send_report(ci, rocket, key)
    create_check_result(rocket, key, "fail")
    ci_reports.compare_due_reports()
    emails = EmailMessage.objects.filter(name="checks_disagree").order_by("to")
    assert [mail.to for mail in emails] == ["alice@acme.example", "rita@program.example"]
    assert all(f"{key}: reported pass, portal result fail." in mail.text for mail in emails)


@pytest.mark.parametrize(
    ("reported_outcome", "observed_outcome"),
    [("pass", "pass"), ("not_run", "fail"), ("pass", "warn"), ("fail", "not_run")],
)
def test_equal_or_inconclusive_results_are_not_a_disagreement(
    ci: ApiClient, rocket: Any, key: str, reported_outcome: str, observed_outcome: str
) -> None:
    send_report(ci, rocket, key, reported_outcome)
    CiCheckReport.objects.update(sampled="random sample of one in 10")
    create_check_result(rocket, key, observed_outcome)
    ci_reports.compare_due_reports()
    assert (CiCheckReport.objects.get().disagreements, Finding.objects.count()) == ([], 0)
    assert CiCheckReport.objects.get().compared_at is not None


def test_report_survives_a_check_error(ci: ApiClient, rocket: Any, key: str) -> None:
    send_report(ci, rocket, key)
    create_check_result(rocket, key, "error")
    assert (ci_reports.compare_due_reports(), CiCheckReport.objects.get().compared_at) == (0, None)
    CheckResult.objects.all().delete()
    create_check_result(rocket, key, "fail")
    assert (ci_reports.compare_due_reports(), Finding.objects.count()) == (1, 1)


def test_report_waits_until_an_absence_is_certain(ci: ApiClient, rocket: Any, key: str) -> None:
    """CI reports a missing file as a failure at once. The portal warns of it for a day."""
    send_report(ci, rocket, key, "fail")
    CiCheckReport.objects.update(sampled="random sample of one in 10")
    now = timezone.now()
    Observation.objects.create(
        integration=rocket, key=f"seen:{key}", value="", source=key, since=now, confirmed_at=now, missing_since=now
    )
    create_check_result(rocket, key, "warn")
    assert ci_reports.compare_due_reports() == 0
    create_check_result(rocket, key, "fail")
    assert (ci_reports.compare_due_reports(), CiCheckReport.objects.get().disagreements) == (1, [])


def test_waiting_report_does_not_delay_the_others(ci: ApiClient, rocket: Any, key: str) -> None:
    other_key = str(list_required_check_keys(list_checked_requirements(rocket))[1])
    send_report(ci, rocket, other_key, commit="a" * 12)
    send_report(ci, rocket, key)
    CiCheckReport.objects.update(sampled="random sample of one in 10")
    create_check_result(rocket, key, "fail")
    assert ci_reports.compare_due_reports(limit=1) == 1
    assert CiCheckReport.objects.get(compared_at=None).commit == "a" * 12


def test_report_waits_a_month_for_a_result_of_the_portal(ci: ApiClient, rocket: Any, key: str) -> None:
    send_report(ci, rocket, key)
    create_check_result(rocket, key, "fail")
    assert ci_reports.compare_due_reports(timezone.now() + ci_reports.COMPARISON_PERIOD) == 0


def test_result_before_the_report_does_not_settle_it(ci: ApiClient, rocket: Any, key: str) -> None:
    create_check_result(rocket, key, "fail")
    send_report(ci, rocket, key)
    CiCheckReport.objects.update(at=timezone.now() + timedelta(minutes=1))
    assert ci_reports.compare_due_reports() == 0


def test_report_about_something_else_is_refused(ci: ApiClient, rocket: Any, key: str) -> None:
    assert get_problem_type(send_report(ci, rocket, key, program="vault")) == "conflict"
    assert get_problem_type(send_report(ci, rocket, key, repository="globex/other")) == "conflict"
    body = {"commit": COMMIT, "checks": [{"id": key, "outcome": "pass"}], "program": "vault"}
    any_version = ci.post(f"/integrations/{rocket.uuid}/check-results", body, **{"If-Match": "*"})
    assert (any_version.status_code, get_problem_type(any_version)) == (409, "conflict")
    assert CiCheckReport.objects.count() == 0


def test_report_with_unknown_checks_is_refused(ci: ApiClient, rocket: Any, key: str) -> None:
    checks = [{"id": each, "outcome": "pass"} for each in (key, "renamed.check", "newer.check")]
    answer = ci.post(f"/integrations/{rocket.uuid}/check-results", {"commit": COMMIT, "checks": checks})
    assert (answer.status_code, answer.json()["detail"], answer.json()["errors"]) == (
        422,
        "This portal doesn't have these checks: renamed.check, newer.check."
        " Install portal-preflight from the commit that the portal runs.",
        [
            {"field": "checks.1.id", "message": "Unknown check."},
            {"field": "checks.2.id", "message": "Unknown check."},
        ],
    )
    assert CiCheckReport.objects.count() == 0


def test_output_of_preflight_is_accepted(ci: ApiClient, rocket: Any, key: str) -> None:
    subject = build_integration_subject(rocket)
    disagreements = PreflightReport(subject, {key: Result(Outcome.PASS, "It is.")}).as_dict()
    assert execution.serialize_result(key, Result(Outcome.PASS, "It is."))["id"] == key
    answer = ci.post(f"/integrations/{rocket.uuid}/check-results", disagreements | {"commit": COMMIT})
    assert (answer.status_code, answer.json()["outcome"]) == (201, "pass")


def test_read_only_token_cannot_report(alice: Any, acme: Any, rocket: Any, key: str, charlie: Any) -> None:
    assert send_report(create_api_client(alice, partner=acme, role="viewer"), rocket, key).status_code == 403
    assert send_report(create_api_client(charlie), rocket, key).status_code == 404


def test_number_that_a_database_cannot_store_is_refused(ci: ApiClient, rocket: Any) -> None:
    body = f'{{"commit": "{COMMIT}", "checks": [{{"id": "a", "outcome": "pass", "evidence": [{{"size": 1e400}}]}}]}}'
    answer = ci.post(f"/integrations/{rocket.uuid}/check-results", body)
    assert (answer.status_code, get_problem_type(answer)) == (400, "malformed-body")
    assert CiCheckReport.objects.count() == 0
