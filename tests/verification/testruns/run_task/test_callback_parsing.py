"""Tests of callbacks with invalid outcomes."""

import json

import pytest

from verification.testruns.kinds.run_task.callback_parsing import parse_callback


def parse_outcome(tags: object) -> tuple[str, ...]:
    """Return the problems of an outcome with these tags."""
    attributes = {"outcome-id": "1", "description": "Finding", "tags": tags}
    outcomes = {"data": [{"type": "task-result-outcomes", "attributes": attributes}]}
    data = {"type": "task-results", "attributes": {"status": "passed"}, "relationships": {"outcomes": outcomes}}
    return parse_callback(json.dumps({"data": data}).encode()).outcome_problems


def test_long_tag_name_is_shortened_in_its_problem() -> None:
    name = "x" * 5_000_000
    assert parse_outcome({name: "high"}) == (f"Outcome 1: the tag “{'x' * 40}”: “{'x' * 40}” isn't a list.",)


def test_only_the_first_invalid_label_of_a_tag_is_reported() -> None:
    assert parse_outcome({"Severity": [{}] * 100_000}) == ("Outcome 1: the tag “Severity”: “label” is missing.",)


@pytest.mark.parametrize("outcome", [None, "text", ["list"]])
def test_outcome_that_is_not_an_object_is_named_by_its_number(outcome: object) -> None:
    data = {"type": "task-results", "attributes": {"status": "passed", "outcomes": [outcome]}}
    assert parse_callback(json.dumps({"data": data}).encode()).outcome_problems == ("Outcome 1 isn't an object.",)
