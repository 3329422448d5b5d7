"""Tests of the rules on records, for faults that the example provider doesn't have."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from verification.testruns.kinds.provider_lifecycle.plan_comparison import check_changes_in_place
from verification.testruns.kinds.provider_lifecycle.plan_parsing import (
    find_unmarked_secrets,
    list_state_objects,
    reduce_plan,
)
from verification.testruns.kinds.provider_lifecycle.records import CommandRecord, ProviderLifecycleRecords
from verification.testruns.kinds.provider_lifecycle.redaction import Secrets
from verification.testruns.kinds.provider_lifecycle.rules import RULES
from verification.testruns.terraform_cli import build_project_files

SERVER = "example_server.one"
PROVIDER = "registry.terraform.io/example/example"
NOTICE = "This binary is a plugin. These are not meant to be executed directly.\n"
CREATING = f"{SERVER}: Creating..."
ERROR = "\nError: Conflict\n\nThe server is locked.\n"


def build_plan(*actions: str, changed: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    change = {"provider": PROVIDER, "actions": list(actions), "changed": list(changed), "unknown": [], "replaces": []}
    return {"changes": {SERVER: change | more}, "expressions": {}}


def build_command_record(key: str, code: int = 0, **more: Any) -> CommandRecord:
    return CommandRecord(key, key.capitalize(), "finished", code=code, **more)


def evaluate(rule: str, *commands: CommandRecord, inputs: tuple[str, ...] = ()) -> tuple[str, str]:
    """Return the outcome and the summary of a rule after these commands."""
    records = ProviderLifecycleRecords(commands, is_complete=True, source="example/example", inputs=inputs)
    result = next(each for each in RULES.evaluate(records) if each["rule"] == rule)
    return str(result["outcome"]), result["summary"]


@pytest.mark.parametrize(
    ("code", "output", "expected"),
    [
        (1, NOTICE, ("pass", "The provider prints its notice and exits.")),
        (0, NOTICE, ("warn", "The provider prints its notice, but exits with code 0 as if it succeeded.")),
        (1, "Usage: …", ("warn", "The provider exits, but prints no notice that it is a plugin.")),
    ],
)
def test_direct_start_must_print_the_notice_and_fail(code: int, output: str, expected: tuple[str, str]) -> None:
    assert evaluate("direct", build_command_record("direct", code, output=output)) == expected


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        (("create",), ("pass", f"The plan creates {SERVER}.")),
        (
            ("update",),
            ("fail", f"With an empty state, the plan must only create objects. Other actions: {SERVER} (update)."),
        ),
        (
            ("delete", "create"),
            (
                "fail",
                f"With an empty state, the plan must only create objects. Other actions: {SERVER} (delete and create).",
            ),
        ),
    ],
)
def test_plan_with_an_empty_state_must_create_objects(actions: tuple[str, ...], expected: tuple[str, str]) -> None:
    assert evaluate("plan", build_command_record("plan", 2, plan=build_plan(*actions))) == expected


def test_unknown_resource_type_is_an_invalid_configuration() -> None:
    errors = "\nError: Invalid resource type\n\nThe provider doesn't support it.\n"
    expected = ("fail", "Invalid resource type: The provider doesn't support it.")
    assert evaluate("validate", build_command_record("validate", 1, errors=errors)) == expected


def test_object_without_an_id_is_not_in_the_state() -> None:
    plan = build_command_record("plan", 2, plan=build_plan("create"))
    apply = build_command_record("apply", state=())
    expected = f"The apply succeeded, but the state doesn't contain {SERVER}."
    assert evaluate("apply", plan, apply) == ("fail", expected)


def test_object_that_cannot_be_read_by_its_id_is_found_by_the_next_plan() -> None:
    expected = f"The same configuration would change {SERVER} (id) when planned again."
    assert evaluate("again", build_command_record("again", 2, plan=build_plan("create", changed=("id",)))) == (
        "fail",
        expected,
    )


def test_update_that_loses_the_object_is_found_by_the_next_plan() -> None:
    settled = build_command_record("settled", 2, plan=build_plan("create", changed=("id",)))
    expected = f"The changed configuration would change {SERVER} (id) when planned again."
    assert evaluate("change.again", build_command_record("update", state=()), settled) == ("fail", expected)


def test_update_that_returns_an_error_fails() -> None:
    expected = ("fail", "Conflict: The server is locked.")
    assert evaluate("change.apply", build_command_record("update", 1, errors=ERROR, state=(SERVER,))) == expected


def test_object_whose_destroy_fails_stays_in_the_state() -> None:
    failed = [build_command_record(key, 1, errors=ERROR, state=(SERVER,)) for key in ("destroy", "cleanup")]
    assert evaluate("destroy", *failed) == ("fail", "Conflict: The server is locked.")
    advice = "Check your test account for leftover resources."
    assert evaluate("left", *failed) == ("fail", f"{SERVER} couldn't be destroyed. {advice}")


def test_unreadable_state_is_not_a_complete_cleanup() -> None:
    summary = "The last state can't be read. Check your test account for leftover resources."
    assert evaluate("left", build_command_record("apply", state=()), build_command_record("update", 1)) == (
        "warn",
        summary,
    )
    assert evaluate("left", build_command_record("apply", 1)) == ("warn", summary)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ((), ("pass", "Everything was destroyed, and the state is empty.")),
        ((SERVER,), ("fail", f"The destroy succeeded, but the state still contains {SERVER}.")),
    ],
)
def test_destroy_that_succeeds_empties_the_state(state: tuple[str, ...], expected: tuple[str, str]) -> None:
    assert evaluate("destroy", build_command_record("destroy", state=state)) == expected


NO_FAILURE = "The apply that should fail succeeded, so we couldn't test this rule."
NOTHING_CREATED = (
    "The apply failed before it created anything, so we couldn't test this rule. Conflict: The server is locked."
)


@pytest.mark.parametrize(
    ("code", "output", "state", "left", "outcome", "summary"),
    [
        (0, CREATING, (SERVER,), (), "not_run", NO_FAILURE),
        (1, "", (), (), "not_run", NOTHING_CREATED),
        (1, CREATING, (), (), "fail", "The apply failed partway, and the state is empty. Created objects are lost."),
        (
            1,
            CREATING,
            (SERVER,),
            (),
            "pass",
            f"The apply failed partway. The state, marked for replacement, keeps {SERVER}, which could be destroyed.",
        ),
        (1, CREATING, (SERVER,), (SERVER,), "fail", f"The state keeps {SERVER}, but it can't be destroyed. "),
    ],
)
def test_failed_create_keeps_objects_with_an_id(
    code: int, output: str, state: tuple[str, ...], left: tuple[str, ...], outcome: str, summary: str
) -> None:
    partial = build_command_record("partial", code, output=output, errors=ERROR, state=state, tainted=state)
    result = evaluate("partial", partial, build_command_record("partial_destroy", state=left), inputs=("partial",))
    assert result == (outcome, summary)


@pytest.mark.parametrize(
    ("code", "output", "summary"),
    [
        (0, "", "The apply updated nothing in place, so we couldn't test this rule."),
        (0, f"{SERVER}: Modifying...", NO_FAILURE),
        (1, f"{SERVER}: Modifying...", "Not reached."),
    ],
)
def test_failed_update_is_evaluated_before_the_next_plan(code: int, output: str, summary: str) -> None:
    apply = build_command_record("failing_change", code, output=output, errors=ERROR if code else "")
    assert evaluate("failing.state", apply, inputs=("failing_change",)) == ("not_run", summary)


def build_expressions(**attributes: object) -> dict[str, Any]:
    return {"changes": {}, "expressions": {SERVER: attributes}}


BEFORE = build_expressions(address={"constant_value": "a"})
AFTER = build_expressions(address={"constant_value": "b"})["expressions"]


@pytest.mark.parametrize(
    ("plan", "outcome", "summary"),
    [
        (
            build_plan("update", changed=("address",)),
            "pass",
            f"The plan changes {SERVER} (address) in place, and nothing else.",
        ),
        (
            build_plan("update", changed=("address", "labels")),
            "fail",
            f"{SERVER} also changes labels, which the configuration doesn't change.",
        ),
        (
            build_plan("delete", "create", changed=("address",), replaces=["address"]),
            "fail",
            f"{SERVER} would be replaced because of address, not changed in place.",
        ),
        (
            {"changes": {}},
            "fail",
            f"The plan contains no change, although the configuration changes {SERVER} (address).",
        ),
    ],
)
def test_changed_argument_is_planned_in_place(plan: dict[str, Any], outcome: str, summary: str) -> None:
    result = check_changes_in_place(BEFORE, plan | {"expressions": AFTER})
    assert (str(result.outcome), result.summary) == (outcome, summary)


def test_data_source_is_neither_a_change_nor_an_object() -> None:
    change = {"address": "data.example_zone.a", "mode": "data", "change": {"actions": ["read"]}}
    assert reduce_plan(json.dumps({"resource_changes": [change]}), Secrets({})) == {"changes": {}, "expressions": {}}
    instances = [{"attributes": {}}, {"index_key": "b", "status": "tainted"}]
    resources = [{"mode": mode, "type": "t", "name": "n", "instances": instances} for mode in ("data", "managed")]
    assert list_state_objects(json.dumps({"resources": resources})) == (("t.n", 't.n["b"]'), ('t.n["b"]',))


def test_key_of_an_object_is_written_as_terraform_writes_it() -> None:
    instances = [{"index_key": key} for key in (0, "é", 'a"b', "${c}")]
    state = {"resources": [{"mode": "managed", "type": "t", "name": "n", "instances": instances}]}
    assert list_state_objects(json.dumps(state)) == (("t.n[0]", 't.n["é"]', 't.n["a\\"b"]', 't.n["$${c}"]'), ())


@pytest.mark.parametrize(("limit_share", "paths"), [(0, ("t.n: a",)), (0.6, None)])
def test_values_that_are_too_deep_do_not_end_the_test(limit_share: float, paths: tuple[str, ...] | None) -> None:
    # The parser accepts this many levels, but the search takes two calls for each.
    levels = int(sys.getrecursionlimit() * limit_share)
    value = f"{'[' * levels}{json.dumps('correct horse')}{']' * levels}"
    marks = f"{'[' * levels}false{']' * levels}"
    resource = f'{{"address": "t.n", "values": {{"a": {value}}}, "sensitive_values": {{"a": {marks}}}}}'
    plan = f'{{"prior_state": {{"values": {{"root_module": {{"resources": [{resource}]}}}}}}}}'
    secrets = Secrets({"ACME_TOKEN": "correct horse"})
    assert find_unmarked_secrets(plan, secrets) == paths


def test_provider_keeps_its_address_although_a_variable_has_the_value_of_its_namespace() -> None:
    change = {"actions": ["create"], "after": {"name": "acme"}}
    resource = {"address": 'acme_server.all["acme"]', "mode": "managed", "provider_name": "registry/acme/rocket"}
    plan = reduce_plan(json.dumps({"resource_changes": [resource | {"change": change}]}), Secrets({"ORG": "acme"}))
    assert plan is not None
    assert plan["changes"] == {
        '[redacted]_server.all["[redacted]"]': {
            "provider": "registry/acme/rocket",
            "actions": ["create"],
            "changed": ["name"],
            "unknown": [],
            "replaces": [],
        }
    }


@pytest.mark.parametrize(("unmarked", "outcome"), [((), "pass"), (None, "error")])
def test_state_passes_only_if_it_was_searched(unmarked: tuple[str, ...] | None, outcome: str) -> None:
    change = build_command_record("change", 2, plan=build_plan("update"), unmarked=unmarked)
    assert evaluate("secrets.state", change, inputs=("secrets",))[0] == outcome


def test_state_is_not_searched_for_credentials_after_a_failed_plan() -> None:
    change = build_command_record("change", 1, errors=ERROR)
    expected = "The changed configuration can't be planned, so we couldn't test this rule."
    assert evaluate("secrets.state", change, inputs=("secrets",)) == ("not_run", expected)


def test_project_requires_the_tested_version_unless_the_configuration_does() -> None:
    files = build_project_files(Path("provider"), Path("terraform"), "acme/rocket", "1.2.3", "# empty")
    required = b'rocket = { source = "acme/rocket", version = "1.2.3" }'
    assert files["providers.tf"] == b"terraform {\n  required_providers {\n    " + required + b"\n  }\n}\n"
    own = build_project_files(Path("provider"), Path("terraform"), "acme/rocket", "1.2.3", "required_providers {}")
    assert own["providers.tf"] == b""
