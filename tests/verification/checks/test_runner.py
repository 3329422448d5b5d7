from dataclasses import replace
from datetime import timedelta

import pytest

from integrations.submissions.models import Integration, RequirementFulfillment
from tests.conftest import NOW, begin
from tests.verification.checks.fake_sources import (
    REPOSITORY,
    FakeSources,
    build_registry_listing,
    build_release_answers,
)
from verification.checks.models import CheckResult
from verification.checks.runner import (
    RunSummary,
    build_integration_subject,
    calculate_retry_at,
    list_checked_requirements,
    run_integration_checks,
)
from verification.checks.types import CHECKS
from verification.outcomes import Outcome, Result
from verification.sources.errors import SourceUnavailableError

pytestmark = pytest.mark.any_database

GOOD = {
    **build_release_answers(),
    "published_said": build_registry_listing(versions=("1.0.0",), newest="1.0.0", protocols=("5.0",)),
}


@pytest.fixture
def provider(acme, alice):
    """Acme's integration in the Terraform provider program."""
    return begin(acme, alice, "terraform-provider")


@pytest.fixture
def deciding(provider):
    """Return the required requirements, without hints, which a repository with only a license doesn't fulfill."""
    return [requirement for requirement in list_checked_requirements(provider) if not requirement.optional]


def statuses(row):
    return dict(
        RequirementFulfillment.objects.filter(integration=row, status__gt="").values_list("requirement_id", "status")
    )


def test_run_hands_each_verdict_down(provider, deciding):
    assert run_integration_checks(
        provider, {r.id for r in deciding}, now=NOW, sources=FakeSources(**GOOD)
    ) == RunSummary(Outcome.PASS)
    assert statuses(provider) == {r.id: "pass" for r in deciding}


def test_hint_is_handed_down_and_blocks_nothing(edition_2026, provider):
    run_integration_checks(provider, now=NOW, sources=FakeSources(**GOOD))
    assert statuses(provider)["TP-TAG"] == "warn"
    assert all(
        requirement.optional
        for requirement in list_checked_requirements(provider)
        if statuses(provider)[requirement.id] != "pass"
    )


@pytest.mark.every_database
def test_run_keeps_what_each_check_said(provider, deciding):
    run_integration_checks(provider, {r.id for r in deciding}, now=NOW, sources=FakeSources(**GOOD))
    stored_results = {r.key: (r.outcome, r.version, r.at) for r in CheckResult.objects.filter(integration=provider)}
    assert stored_results == {key: ("pass", CHECKS[key].version, NOW) for r in deciding for key in r.checks}
    license = CheckResult.objects.get(key="repository.license")
    assert license.inspected_summary == "repository acme/terraform-provider-rocket, id 4711, commit 9f3c1e"
    assert {
        "label": "Accepted by the program",
        "value": "One of 15 open-source licenses.",
        "url": "",
    } in license.evidence


def test_run_keeps_the_repository_and_release_that_each_check_looked_at(provider):
    run_integration_checks(provider, {"TP-REL", "TP-LIC"}, now=NOW, sources=FakeSources(**GOOD))
    release, license = (provider.fulfillments.get(requirement_id=id) for id in ("TP-REL", "TP-LIC"))
    subjects = {"repository": REPOSITORY.full_name, "release": "v1.0.0"}
    assert {item["key"]: item["subjects"] for item in release.detail} == {
        "repository.release": subjects,
        "repository.tag_branch": subjects,
    }
    assert [item["subjects"] for item in license.detail] == [{"repository": REPOSITORY.full_name}]


def test_run_of_one_requirement_leaves_the_others(provider):
    run_integration_checks(provider, {"TP-LIC"}, now=NOW, sources=FakeSources(**GOOD))
    assert statuses(provider) == {"TP-LIC": "pass"}


def test_worst_check_decides_for_the_requirement(provider):
    run_integration_checks(provider, now=NOW, sources=FakeSources(replace(REPOSITORY, name="rocket"), **GOOD))
    state = RequirementFulfillment.objects.get(integration=provider, requirement_id="TP-SRC")
    assert state.status == "fail"
    assert state.summary.startswith("rocket doesn't have the required name")
    assert {d["key"]: d["outcome"] for d in state.detail} == {
        "repository.public": "pass",
        "repository.name": "fail",
        "repository.owner": "pass",
        "repository.renamed": "pass",
    }


@pytest.mark.every_database
def test_outage_is_ours_and_tried_again(provider):
    ran = run_integration_checks(
        provider, {"TP-LIC"}, now=NOW, sources=FakeSources(SourceUnavailableError("Down."), **GOOD)
    )
    state = RequirementFulfillment.objects.get(integration=provider, requirement_id="TP-LIC")
    assert ran == RunSummary(Outcome.ERROR, NOW + timedelta(minutes=10))
    assert (state.status, state.summary) == ("error", "We couldn't complete this check: Down.")
    assert state.retry_at == NOW + timedelta(minutes=10)


def test_outage_keeps_what_was_found_before(provider):
    run_integration_checks(provider, now=NOW, sources=FakeSources(**GOOD))
    run_integration_checks(
        provider, now=NOW + timedelta(hours=1), sources=FakeSources(SourceUnavailableError("Down."), **GOOD)
    )
    assert statuses(provider)["TP-LIC"] == "pass"


def test_fault_of_a_check_is_ours(provider, monkeypatch):
    def breaks(_subject, _sources):
        raise ZeroDivisionError

    monkeypatch.setitem(CHECKS, "repository.license", replace(CHECKS["repository.license"], run=breaks))
    run_integration_checks(provider, {"TP-LIC"}, now=NOW, sources=FakeSources(**GOOD))
    check_result = CheckResult.objects.get(key="repository.license")
    assert (check_result.outcome, check_result.version) == ("error", 2)
    assert check_result.summary == "We couldn't complete this check because of an error on our side. No action needed."


@pytest.mark.every_database
def test_check_that_has_gone_is_not_run(provider, monkeypatch):
    monkeypatch.delitem(CHECKS, "repository.license")
    assert run_integration_checks(provider, {"TP-LIC"}, now=NOW, sources=FakeSources(**GOOD)).outcome == Outcome.NOT_RUN
    assert statuses(provider) == {"TP-LIC": "not_run"}


def test_long_summary_does_not_break_the_run(provider, monkeypatch):
    def talks(_subject, _sources):
        return Result(Outcome.FAIL, "x" * 2000)

    monkeypatch.setitem(CHECKS, "repository.license", replace(CHECKS["repository.license"], run=talks))
    run_integration_checks(provider, {"TP-LIC"}, now=NOW, sources=FakeSources(**GOOD))
    assert len(CheckResult.objects.get(key="repository.license").summary) == 500


@pytest.mark.every_database
def test_results_are_append_only(provider):
    run_integration_checks(provider, {"TP-LIC"}, now=NOW, sources=FakeSources(**GOOD))
    check_result = CheckResult.objects.get()
    with pytest.raises(TypeError):
        check_result.save()
    with pytest.raises(TypeError):
        CheckResult.objects.update(outcome="pass")


@pytest.mark.every_database
def test_latest_results_are_the_last_of_each(provider):
    for outcome in (FakeSources(None, **GOOD), FakeSources(**GOOD)):
        run_integration_checks(provider, {"TP-LIC", "TP-REL"}, now=NOW, sources=outcome)
    assert [(r.key, r.outcome) for r in CheckResult.objects.filter(integration=provider).newest()] == [
        ("repository.license", "pass"),
        ("repository.release", "pass"),
        ("repository.tag_branch", "pass"),
    ]


def test_subject_is_plain_values(provider):
    subject = build_integration_subject(Integration.objects.get(pk=provider.pk))
    assert (subject.program, subject.product, subject.name) == ("terraform-provider", "Terraform", "Rocket")
    assert (subject.namespace, subject.provider, subject.repository_id) == ("acme", "rocket", 4711)
    assert "MPL-2.0" in subject.allowed_licenses


@pytest.mark.parametrize(("attempt", "minutes"), [(0, 10), (1, 10), (2, 30), (3, 120), (4, 360), (5, 1440), (99, 1440)])
def test_pauses_between_attempts_grow(attempt, minutes):
    assert calculate_retry_at(attempt, NOW) == NOW + timedelta(minutes=minutes)


def test_subject_knows_the_partner_other_repositories_of_the_program(provider, acme, globex, alice, charlie):
    begin(acme, alice, "terraform-provider", name="Lander", repository="acme-labs/terraform-provider-lander")
    begin(acme, alice, "nomad", name="Driver", repository="acme/nomad-driver")
    begin(globex, charlie, "terraform-provider", name="Globe", repository="globex/terraform-provider-globe")
    assert build_integration_subject(provider).siblings == ("acme-labs/terraform-provider-lander",)
