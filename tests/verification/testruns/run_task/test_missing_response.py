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


def evaluate(rule: str, *exchanges: Exchange) -> tuple[str, str]:
    result = next(each for each in RULES.evaluate(RunTaskRecords(exchanges)) if each["rule"] == rule)
    return str(result["outcome"]), result["summary"]


UNRESOLVED = ("error", "We couldn't run this rule: The name can't be resolved.")
SLOW = ("not_run", "We couldn't test this rule: The endpoint didn't respond within 0.0 seconds.")


@pytest.mark.parametrize(("rule", "step"), [("signature.raw", "spaced"), ("future", "future")])
@pytest.mark.parametrize(("end_state", "expected"), [("unresolved", UNRESOLVED), ("slow", SLOW)])
def test_missing_response_is_not_evaluated_as_a_status(
    rule: str, step: str, end_state: str, expected: tuple[str, str]
) -> None:
    assert evaluate(rule, build_exchange("verify", 200), build_exchange(step, 0, end_state)) == expected


@pytest.mark.parametrize("rule", ["signature.raw", "unsigned", "future"])
@pytest.mark.parametrize("exchange", [("verify", 0, "unresolved"), ("verify", 202)])
def test_rule_that_needs_the_verification_blames_no_one(rule: str, exchange: tuple[str, int, str]) -> None:
    is_signed = rule != "unsigned"
    results = RULES.evaluate(RunTaskRecords((build_exchange(*exchange),), is_signed=is_signed))
    summary = next(each["summary"] for each in results if each["rule"] == rule)
    assert summary == "The normal verification request didn't return 200, so we couldn't test this rule."


def test_raw_signature_is_not_evaluated_without_a_response_to_the_wrong_one() -> None:
    exchanges = build_exchange("verify", 200), build_exchange("spaced", 200), build_exchange("wrong", 0, "unresolved")
    assert evaluate("signature.raw", *exchanges) == UNRESOLVED
