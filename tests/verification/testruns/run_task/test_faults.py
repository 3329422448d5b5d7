"""Tests of each fault of an endpoint."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.verification.testruns.endpoints import example, run_endpoint_test
from verification.testruns.kinds.run_task.records import RunTaskRecords
from verification.testruns.kinds.run_task.rules import RULES

RESULT_RULES = (
    "token",
    "form",
    "limits",
    "outcomes",
    "end",
    "progress",
    "once",
    "scenario.passing",
    "scenario.failing",
)
NO_FINAL_RESULT = {"end": "fail", **dict.fromkeys(("once", "scenario.passing", "scenario.failing"), "not_run")}
RESULT_REFUSED = dict.fromkeys(("end", "progress", "once", "scenario.passing", "scenario.failing"), "not_run")
RESULT_UNREADABLE = RESULT_REFUSED | {"outcomes": "not_run"}
WITHOUT_RESULTS = dict.fromkeys(RESULT_RULES, "not_run")
VERDICTS: dict[str, dict[str, str]] = {
    "verification-202": {"verification": "fail", "signature.raw": "not_run", "future": "not_run"},
    "verification-callback": {"verification.quiet": "warn"},
    "accepts-unsigned": {"signature.unsigned": "fail"},
    "accepts-wrong-signature": {"signature.wrong": "fail", "signature.raw": "not_run"},
    "verifies-parsed-body": {"signature.raw": "fail"},
    "malformed-500": {"malformed": "fail"},
    "rejects-new-stage": {"future": "warn"},
    "redirects": {
        "verification": "fail",
        "response": "fail",
        "signature.raw": "not_run",
        "future": "not_run",
        **dict.fromkeys(("signature.unsigned", "signature.wrong", "malformed"), "warn"),
        **WITHOUT_RESULTS,
    },
    "closes-connection": {"response": "fail", **WITHOUT_RESULTS},
    "slow-response": {"response_time": "warn"},
    "slow-body": {"body": "fail"},
    "endless-body": {"body": "fail"},
    "no-callback": WITHOUT_RESULTS | {"end": "fail"},
    "never-finishes": NO_FINAL_RESULT | {"outcomes": "not_run"},
    "stops-reporting": {"progress": "fail"},
    "late-result": NO_FINAL_RESULT,
    "duplicate-result": {"once": "warn"},
    "contradictory-results": {"once": "fail"},
    "missing-token": RESULT_REFUSED | {"token": "fail"},
    "token-of-another-run": RESULT_REFUSED | {"token": "fail"},
    "posts-result": RESULT_REFUSED | {"form": "fail"},
    "invalid-result": RESULT_UNREADABLE | {"form": "fail", "limits": "not_run"},
    "huge-result": RESULT_UNREADABLE | {"limits": "fail"},
    "invalid-outcomes": RESULT_REFUSED | {"outcomes": "fail"},
    "always-passes": {"scenario.failing": "fail"},
}
LIMITS = {  # longer limits for faults that take time themselves
    "slow-response": {"silence_seconds": 5.0, "request_timeout_seconds": 5.0, "end_seconds": 10.0},
    "stops-reporting": {"settle_seconds": 1.6, "end_seconds": 10.0},
    "late-result": {"settle_seconds": 1.6, "silence_seconds": 2.0},
    "never-finishes": {"silence_seconds": 2.0},
}
TOLERATED_FAULTS = {
    "outcome_id": "“outcome_id” is the name in the JSON schema. The API page and the client library use “outcome-id”.",
    "outcomes-in-attributes": "Outcomes are inside attributes, as on the integrations page. The API page and the "
    "client library put them under relationships.",
    "long-body": "Outcome 1: “body” has 20010 characters. The JSON schema allows 10000, the API page up to 5 MB.",
    "tag-with-space": "The tag “Cost center” contains a space. The API page has one, too. The JSON schema forbids it.",
    "responds-after-work": None,
    "unexpected-body": None,
}


@pytest.fixture(scope="module")
def records_by_fault() -> dict[str, RunTaskRecords]:
    """Test every fault and variant concurrently."""
    every = [*example.FAULTS, *example.VARIANTS]
    with ThreadPoolExecutor(16) as pool:
        return dict(zip(every, pool.map(lambda how: run_endpoint_test(how, **LIMITS.get(how, {})), every), strict=True))


def list_outcomes_except_pass(records: RunTaskRecords) -> dict[str, str]:
    return {each["rule"]: str(each["outcome"]) for each in RULES.evaluate(records) if each["outcome"] != "pass"}


def test_there_are_25_faults() -> None:
    assert (len(example.FAULTS), set(VERDICTS)) == (25, set(example.FAULTS))


@pytest.mark.parametrize("fault", sorted(VERDICTS))
def test_fault_has_its_verdicts(fault: str, records_by_fault: dict[str, RunTaskRecords]) -> None:
    assert list_outcomes_except_pass(records_by_fault[fault]) == VERDICTS[fault]


@pytest.mark.parametrize("variant", sorted(TOLERATED_FAULTS))
def test_contradiction_between_documents_is_tolerated_and_named(
    variant: str, records_by_fault: dict[str, RunTaskRecords]
) -> None:
    notes = [note for verdict in RULES.evaluate(records_by_fault[variant]) for note in verdict["notes"]]
    expected_note = TOLERATED_FAULTS[variant]
    assert (list_outcomes_except_pass(records_by_fault[variant]), notes) == (
        {},
        [expected_note] if expected_note else [],
    )


def test_no_secret_is_in_the_record(records_by_fault: dict[str, RunTaskRecords]) -> None:
    texts = [str(records.exchanges) + str(records.callbacks) for records in records_by_fault.values()]
    assert not [text for text in texts if "correct horse" in text]
    assert all('access_token":"[redacted]' in text for text in texts)
