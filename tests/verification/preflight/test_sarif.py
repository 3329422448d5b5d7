"""Tests of SARIF output against the schema of SARIF 2.1.0."""

import json

import jsonschema
import pytest

from tests.verification.preflight.conftest import NAME
from tests.verification.preflight.sarif_schema import validate_sarif
from verification.checks.types import CHECKS
from verification.outcomes import Evidence, Outcome, Result
from verification.preflight.report import PreflightReport
from verification.preflight.sarif import build_sarif
from verification.sources.errors import SourceUnavailableError

PASS = Result(Outcome.PASS, "It is good.")


@pytest.fixture
def run_sarif(run_program):
    def run(**results):
        log = json.loads(run_program("--format", "sarif", **results)[1])
        validate_sarif(log)
        (run,) = log["runs"]
        return run

    return run


def test_schema_refuses_a_log_without_message():
    with pytest.raises(jsonschema.ValidationError, match="'message' is a required property"):
        validate_sarif(
            {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"ruleId": "x"}]}]}
        )


def test_findings_are_results_and_undecided_checks_notifications(run_sarif):
    evidence = (
        Evidence("panic", "a b.go", f"https://github.com/{NAME}/blob/{'a' * 40}/internal/a%20b.go"),
        Evidence("Elsewhere", "x", "https://acme.example/x"),
    )
    run = run_sarif(
        **{
            "repository.license": Result(Outcome.FAIL, "No license."),
            "b": PASS,
            "c": Result(Outcome.WARN, "It panics.", evidence),
            "d": SourceUnavailableError("Down."),
            "e": Result(Outcome.NOT_RUN, "A reviewer decides."),
            "hint.f": Result(Outcome.FAIL, "Hm."),
        }
    )
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["repository.license", "b", "c", "d", "e", "hint.f"]
    assert rules[0] == {
        "id": "repository.license",
        "name": "RepositoryLicense",
        "shortDescription": {"text": "Title of repository.license"},
        "fullDescription": {"text": "Title of repository.license"},
        "help": {"text": "Advice of repository.license."},
        "properties": {"version": 3, "hint": False},
    }
    found = [
        (
            result["ruleId"],
            result["ruleIndex"],
            result["level"],
            result["message"]["text"],
            [location["physicalLocation"]["artifactLocation"]["uri"] for location in result["locations"]],
        )
        for result in run["results"]
    ]
    assert found == [
        ("repository.license", 0, "error", "No license. Advice of repository.license.", ["LICENSE"]),
        ("c", 2, "warning", "It panics. Advice of c.", ["internal/a%20b.go"]),
        ("hint.f", 5, "note", "Hm. Advice of hint.f.", ["README.md"]),
    ]
    (invocation,) = run["invocations"]
    assert invocation == {
        "executionSuccessful": False,
        "toolExecutionNotifications": [
            {
                "associatedRule": {"id": "d", "index": 3},
                "level": "warning",
                "message": {"text": "We couldn't complete this check: Down."},
            },
            {
                "associatedRule": {"id": "e", "index": 4},
                "level": "note",
                "message": {"text": "A reviewer decides."},
            },
        ],
    }


def test_run_without_findings_has_no_results(run_sarif):
    run = run_sarif(a=PASS)
    assert (run["results"], run["invocations"]) == (
        [],
        [{"executionSuccessful": True, "toolExecutionNotifications": []}],
    )


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_check_with_every_outcome_is_valid(outcome, subject):
    results = {key: Result(outcome, "Said.", (Evidence("Seen", "\x00<x>", ""),)) for key in CHECKS}
    log = build_sarif(PreflightReport(subject, results))
    validate_sarif(log)
    help_addresses = {rule["id"]: rule.get("helpUri", "") for rule in log["runs"][0]["tool"]["driver"]["rules"]}
    assert help_addresses == {key: check.help for key, check in CHECKS.items()}
