"""Tests of a good endpoint, with and without a key."""

import json
from dataclasses import replace

import pytest

from tests.verification.testruns.endpoints import run_endpoint_test
from verification.outcomes import Outcome, get_exit_code
from verification.sources.http.client import OutboundClient
from verification.testruns.kinds.run_task.driver import run_test
from verification.testruns.kinds.run_task.enforcement import build_effects
from verification.testruns.kinds.run_task.local_server import open_callback_server
from verification.testruns.kinds.run_task.protocol import STAGES, RunTaskTarget
from verification.testruns.kinds.run_task.rules import RULES

SIGNATURE_RULES = [rule.key for rule in RULES.file.rules if rule.variant == "signed"]


def test_good_endpoint_passes_everything() -> None:
    records = run_endpoint_test(stages=STAGES, settle_seconds=1)
    assert {str(verdict["outcome"]) for verdict in RULES.evaluate(records)} == {"pass"}
    assert get_exit_code(RULES.compute_outcome(RULES.evaluate(records))) == 0


def test_runs_follow_the_enforcement() -> None:
    effects = [
        (each.scenario, each.result, each.mandatory, each.advisory) for each in build_effects(run_endpoint_test())
    ]
    assert effects == [
        ("passing", "passed", "The run continues.", "The run continues."),
        (
            "failing",
            "failed",
            "The run stops after the plan, before anyone can confirm it.",
            "The run continues with a warning.",
        ),
    ]


@pytest.mark.parametrize("stages", [STAGES[1:2], STAGES[:2], STAGES])
def test_only_the_last_failing_run_is_mandatory(stages: tuple[str, ...]) -> None:
    records = run_endpoint_test(stages=stages)
    enforcement_levels = {run.key: json.loads(run.sent_body)["task_result_enforcement_level"] for run in records.runs}
    assert set(enforcement_levels.values()) == {"mandatory", "advisory"}
    assert {each.key: each.level for each in build_effects(records)} == enforcement_levels
    failing = [enforcement_levels[f"failing.{stage}"] for stage in stages]
    assert failing == ["advisory"] * (len(stages) - 1) + ["mandatory"]


def test_run_without_a_result_waits_until_the_end() -> None:
    records = replace(run_endpoint_test(), callbacks=())
    final_effects = {each.mandatory for each in build_effects(replace(records, is_complete=True))}
    assert final_effects == {
        (
            "The run stops after the plan, before anyone can confirm it. The task "
            "itself returned an error, which counts as failed."
        )
    }
    assert {(each.mandatory, each.advisory) for each in build_effects(replace(records, is_complete=False))} == {
        ("The run waits.",) * 2
    }


def test_endpoint_without_a_key_is_warned() -> None:
    outcome_by_rule = {verdict["rule"]: verdict["outcome"] for verdict in RULES.evaluate(run_endpoint_test(key=""))}
    assert outcome_by_rule["unsigned"] == Outcome.WARN
    assert not set(SIGNATURE_RULES) & set(outcome_by_rule)
    assert {outcome for rule, outcome in outcome_by_rule.items() if rule != "unsigned"} == {Outcome.PASS}


def test_endpoint_that_refuses_everything_passes_no_refusal_rule() -> None:
    records = run_endpoint_test()
    refused_exchanges = tuple(replace(each, status=401) for each in records.exchanges)
    outcome_by_rule = {
        each["rule"]: str(each["outcome"])
        for each in RULES.evaluate(replace(records, exchanges=refused_exchanges, callbacks=()))
    }
    assert [outcome_by_rule[key] for key in ("verification", "response")] == ["fail", "fail"]
    assert {outcome_by_rule[key] for key in (*SIGNATURE_RULES, "malformed", "future", "token", "end")} == {"not_run"}


def test_unreachable_endpoint_ends_the_test_run() -> None:
    target = RunTaskTarget("http://127.0.0.1:9/run-task", "key", ("post_plan",))
    with open_callback_server(target) as place:
        records = run_test(place, OutboundClient(loopback=True))
    assert [each.end_state for each in records.exchanges] == ["unreachable"]
    assert (
        RULES.evaluate(records)[0]["summary"] == "The endpoint isn't reachable: The connection to 127.0.0.1:9 failed."
    )
    assert get_exit_code(RULES.compute_outcome(RULES.evaluate(records))) == 1
    assert {str(each["outcome"]) for each in RULES.evaluate(records)} == {"fail", "not_run"}
