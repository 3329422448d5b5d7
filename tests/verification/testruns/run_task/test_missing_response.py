"""Tests of the rules for requests that got no response."""

import pytest

from verification.testruns.kinds.run_task.records import Exchange, RunTaskRecords
from verification.testruns.kinds.run_task.rules import RULES


def build_exchange(key: str, status: int, end_state: str = "complete") -> Exchange:
    return Exchange(
        status=status,
        end_state=end_state,
        message="The name can't be resolved.",
        key=key,
        title=key,
        url="https://run.acme.io/",
        sent_headers=(),
        sent_body="",
    )


@pytest.mark.parametrize(("rule", "step"), [("signature.raw", "spaced"), ("future", "future")])
@pytest.mark.parametrize("end_state", ["unresolved", "slow"])
def test_missing_response_is_not_evaluated_as_a_status(rule: str, step: str, end_state: str) -> None:
    records = RunTaskRecords((build_exchange("verify", 200), build_exchange(step, 0, end_state)))
    result = next(each for each in RULES.evaluate(records) if each.rule == rule)
    assert (str(result.outcome), result.summary.startswith("We couldn't test this rule: ")) == ("not_run", True)
