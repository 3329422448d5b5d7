"""How does a good endpoint come out, with a key and without one, and what would its runs do?"""

import json
from dataclasses import replace

import pytest

from tests.verification.testruns.endpoints import rehearsed
from verification.outcomes import Outcome
from verification.testruns.kinds.run_task import report, rules
from verification.testruns.kinds.run_task.enforcement import effects
from verification.testruns.kinds.run_task.protocol import STAGES
from verification.testruns.kinds.run_task.records import as_dict, exchange_of


def test_good_endpoint_passes_everything() -> None:
    seen = rehearsed(stages=STAGES, settle=1)
    assert {str(verdict.outcome) for verdict in rules.judge(seen)} == {"pass"}
    assert report.exit_code(seen) == 0


def test_runs_follow_the_enforcement() -> None:
    told = [(each.scenario, each.result, each.mandatory, each.advisory) for each in effects(rehearsed())]
    assert told == [
        ("passing", "passed", "The run goes on.", "The run goes on."),
        (
            "failing", "failed", "The run stops, after the plan, before anybody can confirm it.",
            "The run goes on with a warning.",
        ),
    ]  # fmt: skip


@pytest.mark.parametrize("stages", [STAGES[1:2], STAGES[:2], STAGES])
def test_endpoint_sees_both_enforcements_and_no_run_goes_on_after_it_was_stopped(stages: tuple[str, ...]) -> None:
    seen = rehearsed(stages=stages)
    sent = {run.act: json.loads(run.sent_body)["task_result_enforcement_level"] for run in seen.runs()}
    assert set(sent.values()) == {"mandatory", "advisory"}
    assert {each.act: each.level for each in effects(seen)} == sent
    failing = [sent[f"failing.{stage}"] for stage in stages]
    assert failing == ["advisory"] * (len(stages) - 1) + ["mandatory"]


def test_run_without_a_result_waits_until_nothing_more_can_come() -> None:
    seen = replace(rehearsed(), knocks=())
    ended = {each.mandatory for each in effects(replace(seen, over=True))}
    assert ended == {
        "The run stops, after the plan, before anybody can confirm it. The task itself errs, which counts as failed."
    }
    assert {(each.mandatory, each.advisory) for each in effects(replace(seen, over=False))} == {("The run waits.",) * 2}


def test_what_was_kept_without_a_level_is_still_read() -> None:
    old = as_dict(rehearsed().runs()[0])
    del old["level"]
    assert exchange_of(old).level == ""


def test_endpoint_without_a_key_is_warned() -> None:
    found = {verdict.rule: verdict.outcome for verdict in rules.judge(rehearsed(key=""))}
    assert found["unsigned"] == Outcome.WARN
    assert not set(rules.SIGNATURES) & set(found)
    assert {outcome for rule, outcome in found.items() if rule != "unsigned"} == {Outcome.PASS}


def test_refusal_of_everything_is_no_refusal_of_what_is_wrong() -> None:
    seen = rehearsed()
    refused = tuple(replace(each, status=401) for each in seen.exchanges)
    found = {each.rule: str(each.outcome) for each in rules.judge(replace(seen, exchanges=refused, knocks=()))}
    assert [found[key] for key in ("verification", "answer")] == ["fail", "fail"]
    assert {found[key] for key in (*rules.SIGNATURES, "malformed", "future", "token", "end")} == {"not_run"}


def test_nobody_there_ends_at_once() -> None:
    from verification.sources.http.client import Outbound
    from verification.testruns.kinds.run_task.driver import Target, play
    from verification.testruns.kinds.run_task.local_server import listening

    target = Target("http://127.0.0.1:9/run-task", "key", ("post_plan",))
    with listening(target) as place:
        seen = play(target, place, Outbound(loopback=True))
    assert [each.ended for each in seen.exchanges] == ["unreachable"]
    assert rules.judge(seen)[0].sentence == "Nothing listens there: 127.0.0.1:9 did not answer usably."
    assert report.exit_code(seen) == 1
    assert {str(each.outcome) for each in rules.judge(seen)} == {"fail", "not_run"}
