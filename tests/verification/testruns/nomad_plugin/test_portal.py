"""Tests of Nomad plugin tests in the portal."""

import html
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services.creation import change_description
from portal.core.errors import ActionRefused
from portal.jobs.definitions import DEFAULT_LEASE
from portal.jobs.execution import claim, run_due_jobs
from portal.jobs.models import Job
from tests.conftest import create_integration
from tests.verification.markers import needs_sandbox
from tests.verification.testruns.nomad_plugin.world import READABLE, write_executable
from verification.checks import execution
from verification.checks.services.runner import build_integration_subject
from verification.sandbox.types import SandboxUnavailable
from verification.testruns import services
from verification.testruns.kinds import sandbox_kind
from verification.testruns.kinds.nomad_plugin.records import STATUS_ANSWERED, NomadPluginRecords, PluginCall
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS

FORM_DATA = {"version": "1.0.0", "name": "example", "config": '{"address": "127.0.0.1:9999"}'}


@pytest.fixture
def booster(acme: Any, alice: Any) -> Integration:
    return create_integration(
        acme, alice, category="container-runtime", repository="acme/nomad-driver-example", name="Booster"
    )


def fetch_plugin_without_api_version(row: TestRun, folder: Path) -> Path:
    return write_executable("driver", "no-api")


def fail_after_the_first_step(row: TestRun, folder: Path) -> Path:
    step = PluginCall("direct", "Direct start", STATUS_ANSWERED, data={"code": 1, "output": "plugin"})
    KINDS[row.kind].store_progress(row, replace(NomadPluginRecords.load(row.records), steps=(step,)))
    raise SandboxUnavailable("The sandbox failed.")


@pytest.mark.django_db
def test_failure_after_the_first_step_is_an_error_and_keeps_its_result(booster: Integration, alice: Any) -> None:
    row = services.start_test_run("nomad_plugin", booster, FORM_DATA, actor=alice, now=timezone.now())
    services.execute_test_run(row.pk, program_fetcher=fail_after_the_first_step)
    row.refresh_from_db()
    assert (row.outcome, [each["outcome"] for each in row.results[:2]]) == ("error", ["pass", "error"])
    assert row.results[1]["summary"] == "We couldn't run this rule: The sandbox failed."


@needs_sandbox
@pytest.mark.django_db(transaction=True)
def test_result_is_stored_and_reported_to_the_check(
    booster: Integration, alice: Any, client: Client, monkeypatch: Any
) -> None:
    monkeypatch.setattr(sandbox_kind, "READABLE_FOLDERS", READABLE)
    row = services.start_test_run("nomad_plugin", booster, FORM_DATA, actor=alice, now=timezone.now())
    services.execute_test_run(row.pk, program_fetcher=fetch_plugin_without_api_version)
    row.refresh_from_db()
    assert (row.inputs["type"], row.outcome, len(row.records["steps"])) == ("driver", "fail", 11)
    assert [each["rule"] for each in row.results if each["outcome"] != "pass"] == ["info.api"]
    check = execution.run_check("plugin.test_run", build_integration_subject(booster), None)
    assert (str(check.outcome), check.summary) == (
        "fail",
        "The driver plugin failed its test run. 1 of 13 rules didn't pass.",
    )
    client.force_login(alice)
    page = html.unescape(client.get(reverse("testruns:nomad_plugin", args=[booster.uuid])).content.decode())
    assert "The plugin reports no API version, so Nomad wouldn't load it." in page
    data = client.get(reverse("testruns:nomad_plugin_json", args=[booster.uuid])).json()
    assert (data["outcome"], data["target"]["name"]) == ("fail", "example")


@pytest.mark.django_db
def test_interrupted_test_run_is_repeated_once_and_then_an_error(booster: Integration, alice: Any) -> None:
    now = timezone.now()
    row = services.start_test_run("nomad_plugin", booster, FORM_DATA, actor=alice, now=now)
    now = timezone.now()
    for _ in range(2):
        assert claim(Job.objects.filter(queue="sandbox"), now)
        now += DEFAULT_LEASE
    assert run_due_jobs("sandbox", now) == {}
    row.refresh_from_db()
    assert (row.outcome, row.results[0]["summary"]) == (
        "error",
        "We couldn't run this rule: Our worker stopped before the test run ended.",
    )


@pytest.mark.django_db(transaction=True)
def test_without_a_sandbox_every_rule_is_not_run(
    booster: Integration, alice: Any, settings: Any, tmp_path: Path
) -> None:
    settings.SANDBOX_SOCKET = str(tmp_path / "missing.sock")
    row = services.start_test_run("nomad_plugin", booster, FORM_DATA, actor=alice, now=timezone.now())
    services.execute_test_run(row.pk, program_fetcher=fetch_plugin_without_api_version)
    row.refresh_from_db()
    assert {each["outcome"] for each in row.results} == {row.outcome} == {"not_run"}
    assert execution.run_check("plugin.test_run", build_integration_subject(booster), None).summary == (
        "The test run was incomplete. 13 of 13 rules have no result."
    )


@pytest.mark.django_db
def test_result_counts_only_for_the_repository_that_was_tested(booster: Integration, alice: Any) -> None:
    now = timezone.now()
    change_description(booster, {"repository_id": 4711}, actor=alice, now=now)
    row = services.start_test_run("nomad_plugin", booster, FORM_DATA, actor=alice, now=now)
    services.KINDS[row.kind].abandon(TestRun.objects.get(pk=row.pk), "")

    def run_check() -> str:
        subject = build_integration_subject(Integration.objects.get(pk=booster.pk))
        return execution.run_check("plugin.test_run", subject, None).summary

    result = "The driver plugin couldn't complete its test run. 13 of 13 rules didn't pass."
    assert run_check() == result
    change_description(booster, {"repository": "acme/nomad-driver-renamed"}, actor=alice, now=now)
    assert run_check() == result
    other = {"repository": "acme/nomad-driver-other", "repository_id": 4712}
    change_description(booster, other, actor=alice, now=now)
    assert run_check() == "The last test run was of another repository. Start a new one."


@pytest.mark.django_db
def test_only_members_start_a_test_run_and_only_one_is_open(booster: Integration, alice: Any, charlie: Any) -> None:
    services.start_test_run("nomad_plugin", booster, FORM_DATA, actor=alice, now=timezone.now())
    with pytest.raises(ActionRefused, match="A test run is in progress"):
        services.start_test_run("nomad_plugin", booster, FORM_DATA, actor=alice, now=timezone.now())
    with pytest.raises(ActionRefused, match="Only owners, editors, and program staff"):
        services.start_test_run("nomad_plugin", booster, FORM_DATA, actor=charlie, now=timezone.now())


@pytest.mark.django_db
def test_other_categories_have_no_page(acme: Any, alice: Any, client: Client) -> None:
    other = create_integration(acme, alice, category="storage", repository="acme/nomad-acme-csi", name="Volumes")
    client.force_login(alice)
    assert client.get(reverse("testruns:nomad_plugin", args=[other.uuid])).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("config", "expected_error"),
    [
        ("{", "Enter valid JSON. Error in line 1, column 2."),
        ("[1]", "Enter a JSON object."),
        ('{"a": NaN}', "Remove the value that can't be encoded from the configuration."),
        ('{"a": 123456789012345678901234567890}', "Remove the value that can't be encoded from the configuration."),
        ('{"a": "\\ud800"}', "Remove the value that can't be encoded from the configuration."),
        ('{"a":' + "[" * 5000 + "]" * 5000 + "}", "Remove the value that can't be encoded from the configuration."),
    ],
)
def test_invalid_configuration_is_shown_as_field_error(
    booster: Integration, alice: Any, client: Client, config: str, expected_error: str
) -> None:
    client.force_login(alice)
    page = client.post(reverse("testruns:nomad_plugin", args=[booster.uuid]), {**FORM_DATA, "config": config})
    assert (page.status_code, TestRun.objects.count()) == (422, 0)
    assert expected_error in html.unescape(page.content.decode())
