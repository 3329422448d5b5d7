"""Tests of the requests of a run task test."""

import json
from datetime import UTC, datetime
from typing import Any

from verification.testruns.kinds.run_task.protocol import STAGES, RunTaskTarget, RunTaskUrls, build_request

URLS = RunTaskUrls("https://portal.example/callback", "https://portal.example/plan", "https://portal.example/files")
STARTED_AT = datetime(2026, 4, 14, 9, 0, tzinfo=UTC)
RUN_FIELDS = ("run_id", "configuration_version_id", "run_app_url", "run_created_at", "run_message", "workspace_id")
SHARED_FIELDS = ("organization_name", "project_id", "project_name", "project_app_url")


def build_requests(test_run_id: str = "one", stages: tuple[str, ...] = STAGES) -> dict[str, dict[str, Any]]:
    """Return the requests with valid JSON, by act."""
    target = RunTaskTarget("https://run.acme.io/", "key", stages, test_run_id=test_run_id, started_at=STARTED_AT)
    every = [act for act in target.list_steps() if act.body != "malformed"]
    bodies_by_step = {act.key: build_request(target, act, URLS, "t")[1] for act in every}
    return {key: json.loads(body) for key, body in bodies_by_step.items()}


def list_values(documents: dict[str, dict[str, Any]], field: str, start: str = "") -> set[str]:
    return {document[field] for key, document in documents.items() if key.startswith(start)}


def test_stages_of_a_scenario_are_one_run() -> None:
    documents = build_requests()
    for scenario in ("passing.", "failing."):
        assert {field: len(list_values(documents, field, scenario)) for field in RUN_FIELDS} == dict.fromkeys(
            RUN_FIELDS, 1
        )
    assert list_values(documents, "run_id", "passing.") != list_values(documents, "run_id", "failing.")
    assert list_values(documents, "configuration_version_id", "passing.").isdisjoint(
        list_values(documents, "configuration_version_id", "failing.")
    )


def test_project_and_organization_are_those_of_the_whole_test_run() -> None:
    documents = build_requests()
    assert {field: len(list_values(documents, field)) for field in SHARED_FIELDS} == dict.fromkeys(SHARED_FIELDS, 1)


def test_workspace_has_one_id_wherever_it_is_named() -> None:
    pairs = {(each["workspace_name"], each["workspace_id"]) for each in build_requests().values()}
    assert len(pairs) == len(dict(pairs)) == len({number for _, number in pairs}) == 2


def test_task_results_and_probes_are_distinguished() -> None:
    documents = build_requests()
    assert len(list_values(documents, "task_result_id")) == len(documents)
    probes = [each["run_id"] for key, each in documents.items() if "." not in key]
    assert len(set(probes) | list_values(documents, "run_id", "passing.")) == len(probes) + 1


def test_another_test_run_has_other_identifiers() -> None:
    one = build_requests("one")
    two = build_requests("two")
    for field in ("run_id", "configuration_version_id", "workspace_id", "project_id"):
        assert list_values(one, field).isdisjoint(list_values(two, field))
