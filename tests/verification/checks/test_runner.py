"""Tests that a run stores its results and sets the status of each requirement."""

from dataclasses import replace
from datetime import timedelta

import pytest

from integrations.submissions.models import Integration, RequirementFulfillment
from tests.conftest import NOW, create_integration
from tests.verification.checks.fake_sources import (
    REPOSITORY,
    FakeSources,
    build_registry_listing,
    build_release_answers,
)
from verification.checks.models import CheckResult
from verification.checks.services.runner import (
    build_integration_subject,
    calculate_retry_at,
    list_checked_requirements,
    run_integration_checks,
)
from verification.checks.types import CHECKS
from verification.outcomes import Outcome, Result
from verification.sources.errors import SourceUnavailableError

pytestmark = pytest.mark.any_database

VALID_ANSWERS = {
    **build_release_answers(),
    "listing_answer": build_registry_listing(versions=("1.0.0",), newest="1.0.0", protocols=("5.0",)),
}


@pytest.fixture
def mandatory_requirements(provider):
    """Return the requirements except hints, which a repository with only a license doesn't fulfill."""
    return [requirement for requirement in list_checked_requirements(provider) if not requirement.optional]


def get_statuses(row):
    return dict(
        RequirementFulfillment.objects.filter(integration=row, status__gt="").values_list("requirement_id", "status")
    )


def test_run_sets_the_status_of_each_requirement(provider, mandatory_requirements):
    retry_at = run_integration_checks(
        provider, {r.id for r in mandatory_requirements}, now=NOW, sources=FakeSources(**VALID_ANSWERS)
    )
    assert retry_at is None
    assert get_statuses(provider) == {r.id: "pass" for r in mandatory_requirements}


def test_only_hints_have_warnings(edition_2026, provider):
    run_integration_checks(provider, now=NOW, sources=FakeSources(**VALID_ANSWERS))
    assert get_statuses(provider)["TP-TAG"] == "warn"
    assert all(
        requirement.optional
        for requirement in list_checked_requirements(provider)
        if get_statuses(provider)[requirement.id] != "pass"
    )


@pytest.mark.every_database
def test_run_stores_each_result(provider, mandatory_requirements):
    run_integration_checks(
        provider, {r.id for r in mandatory_requirements}, now=NOW, sources=FakeSources(**VALID_ANSWERS)
    )
    stored_results = {r.key: (r.outcome, r.version, r.at) for r in CheckResult.objects.filter(integration=provider)}
    assert stored_results == {
        key: ("pass", CHECKS[key].version, NOW) for r in mandatory_requirements for key in r.checks
    }
    license = CheckResult.objects.get(key="repository.license")
    assert license.inspected_summary == "repository acme/terraform-provider-rocket, id 4711, commit 9f3c1e"
    assert {
        "label": "Accepted by the program",
        "value": "One of 15 open-source licenses.",
        "url": "",
    } in license.evidence


def test_run_stores_the_repository_and_the_release_of_each_result(provider):
    run_integration_checks(provider, {"TP-REL", "TP-LIC"}, now=NOW, sources=FakeSources(**VALID_ANSWERS))
    release, license = (provider.fulfillments.get(requirement_id=id) for id in ("TP-REL", "TP-LIC"))
    subjects = {"repository": REPOSITORY.full_name, "release": "v1.0.0"}
    assert {item["key"]: item["subjects"] for item in release.detail} == {
        "repository.release": subjects,
        "repository.tag_branch": subjects,
    }
    assert [item["subjects"] for item in license.detail] == [{"repository": REPOSITORY.full_name}]
    assert {*license.detail[0]} == {
        *("key", "title", "version", "outcome", "summary", "advice", "evidence"),
        *("unreachable", "needs_access", "inspected_summary", "subjects"),
    }


def test_run_of_one_requirement_does_not_change_the_others(provider):
    run_integration_checks(provider, {"TP-LIC"}, now=NOW, sources=FakeSources(**VALID_ANSWERS))
    assert get_statuses(provider) == {"TP-LIC": "pass"}


def test_worst_result_is_the_status_of_the_requirement(provider):
    run_integration_checks(provider, now=NOW, sources=FakeSources(replace(REPOSITORY, name="rocket"), **VALID_ANSWERS))
    fulfillment = RequirementFulfillment.objects.get(integration=provider, requirement_id="TP-SRC")
    assert fulfillment.status == "fail"
    assert fulfillment.summary.startswith("rocket doesn't have the required name")
    assert {d["key"]: d["outcome"] for d in fulfillment.detail} == {
        "repository.public": "pass",
        "repository.name": "fail",
        "repository.owner": "pass",
        "repository.renamed": "pass",
    }


@pytest.mark.every_database
def test_outage_is_an_error_and_retried(provider):
    retry_at = run_integration_checks(
        provider, {"TP-LIC"}, now=NOW, sources=FakeSources(SourceUnavailableError("Down."), **VALID_ANSWERS)
    )
    fulfillment = RequirementFulfillment.objects.get(integration=provider, requirement_id="TP-LIC")
    assert retry_at == NOW + timedelta(minutes=10)
    assert (fulfillment.status, fulfillment.summary) == ("error", "We couldn't complete this check: Down.")
    assert fulfillment.retry_at == NOW + timedelta(minutes=10)


def test_outage_keeps_the_earlier_status(provider):
    run_integration_checks(provider, now=NOW, sources=FakeSources(**VALID_ANSWERS))
    run_integration_checks(
        provider, now=NOW + timedelta(hours=1), sources=FakeSources(SourceUnavailableError("Down."), **VALID_ANSWERS)
    )
    assert get_statuses(provider)["TP-LIC"] == "pass"


def test_exception_in_a_check_is_an_error_on_our_side(provider, monkeypatch):
    def raise_error(_subject, _sources):
        raise ZeroDivisionError

    monkeypatch.setitem(CHECKS, "repository.license", replace(CHECKS["repository.license"], run=raise_error))
    run_integration_checks(provider, {"TP-LIC"}, now=NOW, sources=FakeSources(**VALID_ANSWERS))
    check_result = CheckResult.objects.get(key="repository.license")
    assert (check_result.outcome, check_result.version) == ("error", 2)
    assert check_result.summary == "We couldn't complete this check because of an error on our side. No action needed."


@pytest.mark.every_database
def test_unregistered_check_is_not_run(provider, monkeypatch):
    monkeypatch.delitem(CHECKS, "repository.license")
    run_integration_checks(provider, {"TP-LIC"}, now=NOW, sources=FakeSources(**VALID_ANSWERS))
    assert get_statuses(provider) == {"TP-LIC": "not_run"}


def test_long_summary_is_truncated(provider, monkeypatch):
    def return_long_summary(_subject, _sources):
        return Result(Outcome.FAIL, "x" * 2000)

    monkeypatch.setitem(CHECKS, "repository.license", replace(CHECKS["repository.license"], run=return_long_summary))
    run_integration_checks(provider, {"TP-LIC"}, now=NOW, sources=FakeSources(**VALID_ANSWERS))
    assert len(CheckResult.objects.get(key="repository.license").summary) == 500


@pytest.mark.every_database
def test_results_are_append_only(provider):
    run_integration_checks(provider, {"TP-LIC"}, now=NOW, sources=FakeSources(**VALID_ANSWERS))
    check_result = CheckResult.objects.get()
    with pytest.raises(TypeError):
        check_result.save()
    with pytest.raises(TypeError):
        CheckResult.objects.update(outcome="pass")


@pytest.mark.every_database
def test_newest_results_are_the_last_of_each_check(provider):
    for sources in (FakeSources(None, **VALID_ANSWERS), FakeSources(**VALID_ANSWERS)):
        run_integration_checks(provider, {"TP-LIC", "TP-REL"}, now=NOW, sources=sources)
    assert [(r.key, r.outcome) for r in CheckResult.objects.filter(integration=provider).newest()] == [
        ("repository.license", "pass"),
        ("repository.release", "pass"),
        ("repository.tag_branch", "pass"),
    ]


def test_subject_has_the_values_of_the_integration(provider):
    subject = build_integration_subject(Integration.objects.get(pk=provider.pk))
    assert (subject.program, subject.product, subject.name) == ("terraform-provider", "Terraform", "Rocket")
    assert (subject.namespace, subject.provider, subject.repository_id) == ("acme", "rocket", 4711)
    assert "MPL-2.0" in subject.licenses.allow


@pytest.mark.parametrize(("attempt", "minutes"), [(0, 10), (1, 10), (2, 30), (3, 120), (4, 360), (5, 1440), (99, 1440)])
def test_delays_between_attempts_grow(attempt, minutes):
    assert calculate_retry_at(attempt, NOW) == NOW + timedelta(minutes=minutes)


def test_subject_has_the_other_repositories_of_the_partner_in_the_program(provider, acme, globex, alice, charlie):
    create_integration(
        acme, alice, "terraform-provider", name="Lander", repository="acme-labs/terraform-provider-lander"
    )
    create_integration(acme, alice, "nomad", name="Driver", repository="acme/nomad-driver")
    create_integration(
        globex, charlie, "terraform-provider", name="Globe", repository="globex/terraform-provider-globe"
    )
    assert build_integration_subject(provider).siblings == ("acme-labs/terraform-provider-lander",)
