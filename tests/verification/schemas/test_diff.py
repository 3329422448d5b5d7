"""Tests of the differences between two schemas."""

from typing import Any

import pytest

from tests.verification.schemas.acme import SOURCE, attribute, block, build_nested_type, encode_schema
from verification.schemas.engine.diff import SchemaDifference, compare_schemas
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.engine.types import ParsedSchema
from verification.schemas.engine.version_policy import evaluate_version
from verification.terraform.versions import parse_version


def build_schema(
    attributes: dict[str, Any] | None = None, blocks: dict[str, Any] | None = None, **more: Any
) -> ParsedSchema:
    document = {
        "resource_schemas": {"acme_a": {"block": {"attributes": attributes or {}, "block_types": blocks or {}}}},
        **more,
    }
    return parse_schema(encode_schema({"format_version": "1.0", "provider_schemas": {SOURCE: document}}))


def compare_argument(old: Any, new: Any) -> list[tuple[str, str, bool]]:
    """Return the changes of the argument x, which is an attribute unless it has a nesting mode."""

    def build(part: Any) -> ParsedSchema:
        return build_schema(blocks={"x": part}) if "nesting_mode" in part else build_schema({"x": part} if part else {})

    return [
        (change.change_type, change.path, change.breaks) for change in compare_schemas(build(old), build(new)).changes
    ]


TEXT = attribute("string", "optional")
NUMBER = attribute("number", "optional")


@pytest.mark.parametrize(
    ("old", "new", "change_type", "breaks"),
    [
        (TEXT, {}, "removed", True),
        ({}, TEXT, "optional_added", False),
        ({}, attribute("string", "required"), "required_added", True),
        ({}, attribute("string", "computed"), "computed_added", False),
        (TEXT, NUMBER, "type_changed", True),
        (TEXT, attribute("string", "required"), "newly_required", True),
        (attribute("string", "required"), TEXT, "no_longer_required", False),
        (attribute("string", "optional", "computed"), TEXT, "computed_removed", True),
        (TEXT, attribute("string", "computed"), "read_only", True),
        (TEXT, attribute("string", "optional", "sensitive"), "sensitive_added", True),
        (attribute("string", "optional", "sensitive"), TEXT, "sensitive_removed", False),
        (TEXT, attribute("string", "optional", "write_only"), "write_only", True),
        (TEXT, attribute("string", "optional", "deprecated"), "deprecated", False),
        (
            build_nested_type("list", {"a": TEXT}, "optional"),
            build_nested_type("set", {"a": TEXT}, "optional"),
            "nesting_changed",
            True,
        ),
        (block("list", {"a": TEXT}), build_nested_type("list", {"a": TEXT}, "optional"), "block_to_attribute", True),
        (build_nested_type("list", {"a": TEXT}, "optional"), block("list", {"a": TEXT}), "attribute_to_block", True),
        (block("list", {"a": TEXT}), block("list", {"a": TEXT}, most=3), "fewer_allowed", True),
        (block("list", {"a": TEXT}, 1), block("list", {"a": TEXT}, 2), "more_needed", True),
        (attribute("string", "computed"), attribute("string", "optional", "computed"), "now_settable", False),
        (TEXT, attribute("string", "optional", "computed"), "now_computed", False),
        (block("list", {"a": TEXT}, most=1), block("list", {"a": TEXT}), "more_allowed", False),
        (block("list", {"a": TEXT}, most=1), block("list", {"a": TEXT}, most=3), "more_allowed", False),
        (block("list", {"a": TEXT}, 2), block("list", {"a": TEXT}, 1), "fewer_needed", False),
        (attribute("string", "optional", "write_only"), TEXT, "no_longer_write_only", False),
        (attribute("string", "optional", "deprecated"), TEXT, "no_longer_deprecated", False),
    ],
)
def test_change_of_one_argument_is_classified(old: Any, new: Any, change_type: str, breaks: bool) -> None:
    schema_changes = compare_argument(old, new)
    assert schema_changes[0] == (change_type, "x", breaks)
    assert len([one for one in schema_changes if one[2]]) == breaks


def test_difference_to_a_lower_state_version_breaks() -> None:
    old, new = ({"acme_a": {"version": version, "block": {}}} for version in (2, 1))
    (change,) = compare_schemas(build_schema(resource_schemas=old), build_schema(resource_schemas=new)).changes
    assert (change.change_type, change.breaks, change.before, change.after) == (
        "state_lowered",
        True,
        "2",
        "1",
    )


def test_difference_is_found_in_nested_lists_of_objects() -> None:
    lists = [{"type": ["map", ["list", ["object", {"a": kind}]]], "optional": True} for kind in ("string", "number")]
    assert compare_argument(*lists) == [("type_changed", "x.a", True)]


def test_difference_of_equal_schemas_is_empty() -> None:
    assert compare_schemas(parse_schema(encode_schema()), parse_schema(encode_schema())) == SchemaDifference()


def test_difference_reports_removed_timeouts() -> None:
    old = build_schema(blocks={"timeouts": block("single", {"create": TEXT, "delete": TEXT})})
    new = build_schema(blocks={"timeouts": block("single", {"create": TEXT})})
    assert [(change.path, change.breaks) for change in compare_schemas(old, new).changes] == [("timeouts.delete", True)]


def test_difference_is_found_inside_blocks() -> None:
    assert compare_argument(block("list", {"a": TEXT}), block("list", {"a": NUMBER})) == [("type_changed", "x.a", True)]


def test_difference_suggests_a_rename_to_the_same_type() -> None:
    schema_changes = compare_schemas(build_schema({"ip_addr": TEXT}), build_schema({"ip_address": TEXT})).changes
    assert [change.summary for change in schema_changes] == [
        "ip_addr was removed. It may have been renamed to ip_address."
    ]


def test_difference_suggests_no_rename_to_another_type() -> None:
    schema_changes = compare_schemas(build_schema({"ip_addr": TEXT}), build_schema({"ip_address": NUMBER})).changes
    assert [change.change_type for change in schema_changes] == ["removed", "optional_added"]


def test_difference_suggests_a_renamed_resource() -> None:
    same = {"block": {"attributes": {"a": TEXT, "b": TEXT}}}
    difference = compare_schemas(
        build_schema(resource_schemas={"acme_firewall_rule": same}),
        build_schema(resource_schemas={"acme_firewall_rules": same}),
    )
    assert [change.after for change in difference.changes] == ["acme_firewall_rules"]


def test_difference_suggests_the_resource_with_the_most_similar_name() -> None:
    same = {"block": {"attributes": {"a": TEXT, "b": TEXT}}}
    difference = compare_schemas(
        build_schema(resource_schemas={"acme_firewall_rule": same}),
        build_schema(resource_schemas={"acme_firewall": same, "acme_firewall_rules": same}),
    )
    assert [(change.change_type, change.subject, change.after) for change in difference.changes] == [
        ("added", "resource acme_firewall", ""),
        ("renamed", "resource acme_firewall_rule", "acme_firewall_rules"),
    ]


@pytest.mark.parametrize(("count", "expected"), [(2, {"renamed"}), (400, {"removed", "optional_added"})])
def test_difference_suggests_no_renames_among_hundreds_of_names(count: int, expected: set[str]) -> None:
    old, new = (build_schema({f"{word}_{number:03}": TEXT for number in range(count)}) for word in ("zone", "zones"))
    assert {change.change_type for change in compare_schemas(old, new).changes} == expected


def test_difference_suggests_no_renames_among_hundreds_of_resources() -> None:
    old, new = (
        build_schema(resource_schemas={f"acme_{word}_{number:03}": {"block": {}} for number in range(400)})
        for word in ("zone", "zones")
    )
    assert {change.change_type for change in compare_schemas(old, new).changes} == {"removed", "added"}


def test_difference_of_an_id_that_becomes_computed_breaks_nothing() -> None:
    old = build_schema({"id": attribute("string", "optional", "computed")})
    new = build_schema({"id": attribute("string", "computed")})
    assert compare_schemas(old, new).breaking == ()


def test_difference_covers_the_provider_data_sources_and_functions() -> None:
    zone = {"acme_zone": {"block": {}}}
    old = build_schema(
        provider={"block": {"attributes": {"token": TEXT}}}, data_source_schemas=zone, functions={"parse": {}}
    )
    new = build_schema(functions={"render": {}})
    assert [(change.change_type, change.subject, change.path) for change in compare_schemas(old, new).changes] == [
        ("removed", "provider", "token"),
        ("removed", "data source acme_zone", ""),
        ("removed", "functions", "parse"),
        ("added", "functions", "render"),
    ]


def build_function(*kinds: Any, returns: Any = "string", **more: Any) -> dict[str, Any]:
    parameters = [{"name": f"p{number}", "type": kind} for number, kind in enumerate(kinds)]
    return {"return_type": returns, "parameters": parameters, **more}


STRING_LIST = ["list", "string"]
REST = {"name": "rest", "type": "number"}


@pytest.mark.parametrize(
    ("old", "new", "change_type", "summary"),
    [
        (
            build_function("string"),
            build_function("string", "bool"),
            "parameters_changed",
            "The function f changed from (string) string to (string, bool) string.",
        ),
        (
            build_function(variadic_parameter=REST),
            build_function(),
            "parameters_changed",
            "The function f changed from (number…) string to () string.",
        ),
        (
            build_function("string"),
            build_function(STRING_LIST),
            "parameter_type_changed",
            "Parameter 1 (p0) of the function f was string and is now list(string).",
        ),
        (
            build_function(variadic_parameter=REST | {"is_nullable": True}),
            build_function(variadic_parameter=REST),
            "parameter_type_changed",
            "Parameter 1 (rest) of the function f can no longer be null.",
        ),
        (
            build_function(),
            build_function(returns=["object", {"a": "string", "b": ["tuple", ["bool", "number"]]}]),
            "type_changed",
            "The function f returned string and now returns object({a = string, b = tuple([bool, number])}).",
        ),
        (
            build_function(),
            build_function(variadic_parameter=REST),
            "optional_added",
            "The function f now accepts additional arguments of type number.",
        ),
        (
            build_function(),
            build_function(deprecation_message="Use g."),
            "deprecated",
            "The function f is now deprecated: Use g.",
        ),
    ],
)
def test_change_of_one_function_is_classified(old: Any, new: Any, change_type: str, summary: str) -> None:
    schema_changes = compare_schemas(build_schema(functions={"f": old}), build_schema(functions={"f": new})).changes
    assert [(change.change_type, change.summary) for change in schema_changes] == [(change_type, summary)]
    assert schema_changes[0].breaks is (change_type not in ("optional_added", "deprecated"))


def test_difference_ignores_parameter_names_of_functions() -> None:
    other = {"return_type": "string", "parameters": [{"name": "text", "type": "string"}]}
    assert (
        compare_schemas(build_schema(functions={"f": build_function("string")}), build_schema(functions={"f": other}))
        == SchemaDifference()
    )


def test_difference_of_a_newly_required_identity_attribute_breaks() -> None:
    def build_identity(**flags: bool) -> dict[str, Any]:
        return {"acme_a": {"version": 0, "attributes": {"region": {"type": "string", **flags}}}}

    old = build_identity(optional_for_import=True)
    new = build_identity(required_for_import=True)
    schema_changes = compare_schemas(
        build_schema(resource_identity_schemas=old), build_schema(resource_identity_schemas=new)
    ).changes
    assert [(change.change_type, change.subject, change.path, change.breaks) for change in schema_changes] == [
        ("newly_required", "identity of acme_a", "region", True),
    ]


@pytest.mark.parametrize(("key", "word"), [("list_resource_schemas", "list resource"), ("action_schemas", "action")])
def test_difference_covers_list_resources_and_actions(key: str, word: str) -> None:
    old = build_schema(**{key: {"acme_reboot": {"block": {"attributes": {"id": TEXT}}}}})
    assert [change.summary for change in compare_schemas(old, build_schema()).changes] == [
        f"The {word} acme_reboot was removed."
    ]


@pytest.mark.parametrize(
    ("old", "new", "arguments", "admits", "needed_step"),
    [
        ("1.2.0", "1.3.0", ({"a": TEXT}, {}), False, "major"),
        ("1.2.0", "2.0.0", ({"a": TEXT}, {}), True, "major"),
        ("0.2.0", "0.3.0", ({"a": TEXT}, {}), True, "minor"),
        ("0.2.0", "0.2.1", ({"a": TEXT}, {}), False, "minor"),
        ("1.2.0", "1.2.1", ({}, {"a": TEXT}), True, "minor"),
        ("1.2.0", "1.2.1", ({"a": TEXT}, {"a": TEXT}), True, "none"),
        ("1.2.0-beta", "1.2.0", ({"a": TEXT}, {}), True, "major"),
        ("2.0.0", "1.0.0", ({"a": TEXT}, {}), True, "major"),
    ],
)
def test_version_is_admitted_or_needs_a_step(
    old: str, new: str, arguments: Any, admits: bool, needed_step: str
) -> None:
    version_verdict = evaluate_version(
        parse_version(old), parse_version(new), compare_schemas(build_schema(arguments[0]), build_schema(arguments[1]))
    )
    assert (version_verdict.admits, version_verdict.needed) == (admits, needed_step)


def test_verdict_names_the_required_step() -> None:
    version_verdict = evaluate_version(
        parse_version("1.2.0"), parse_version("1.2.1"), compare_schemas(build_schema({"a": TEXT}), build_schema())
    )
    assert (
        version_verdict.summary == "1.2.0 to 1.2.1 is a patch step, but breaking changes require a new major version."
    )
