"""Tests of configuration schemas as Nomad reads them."""

from typing import Any

import pytest
from google.protobuf import json_format

from verification.plugins.messages import SPEC, get_message_class
from verification.testruns.kinds.nomad_plugin import hcl_spec, hcl_types


def build_spec(**attributes: dict[str, Any]) -> Any:
    return json_format.ParseDict({"object": {"attributes": attributes}}, get_message_class(f"{SPEC}.Spec")())


def build_attribute(name: str, kind: str = "string", *, is_required: bool = False) -> dict[str, Any]:
    return {"Attr": {"name": name, "type": kind, "required": is_required}}


SCHEMA = build_spec(
    image=build_attribute("image", is_required=True),
    cpus=build_attribute("cpus", "number"),
    tags=build_attribute("tags", "list(string)"),
    labels={"block_attrs": {"name": "labels", "type": "string"}},
    limits={"default": {"primary": build_attribute("limits", "number"), "default": {"literal": {"value": "7"}}}},
    mount={
        "block_list": {
            "name": "mount",
            "min_items": 1,
            "max_items": 2,
            "nested": {"object": {"attributes": {"path": build_attribute("path", is_required=True)}}},
        }
    },
    auth={"block_value": {"name": "auth", "nested": {"object": {"attributes": {"user": build_attribute("user")}}}}},
    by_name={
        "block_map": {
            "name": "by_name",
            "labels": ["name"],
            "nested": {"object": {"attributes": {"on": build_attribute("on", "bool")}}},
        }
    },
)


@pytest.mark.parametrize("value", ["NaN", "[" * 600 + "]" * 600, "[" * 100_000])
def test_literal_that_nomad_or_messagepack_cannot_hold_is_a_problem(value: str) -> None:
    schema = build_spec(a={"literal": {"value": value}})
    assert hcl_spec.find_schema_problems(schema) == [f"config.a: “{value[:60]}” isn't a value."]


def test_unpaired_surrogate_of_a_literal_is_replaced() -> None:
    schema = build_spec(a={"literal": {"value": '"\\ud83d"'}})
    assert (hcl_spec.find_schema_problems(schema), hcl_spec.evaluate_config(schema, {})) == ([], ({"a": "?"}, []))


def test_configuration_is_converted_as_nomad_does() -> None:
    config_values = {
        "image": 5,
        "cpus": "2",
        "tags": ["a"],
        "labels": {"x": True},
        "mount": [{"path": "/"}],
        "by_name": {"one": {"on": "true"}},
    }
    assert hcl_spec.evaluate_config(SCHEMA, config_values) == (
        {
            "image": "5",
            "cpus": 2,
            "tags": ["a"],
            "labels": {"x": "true"},
            "limits": 7,
            "mount": [{"path": "/"}],
            "auth": None,
            "by_name": {"one": {"on": True}},
        },
        [],
    )


@pytest.mark.parametrize(
    ("config_values", "expected_problem"),
    [
        ([], "A configuration is an object with names and values."),
        ({"mount": {"path": "/"}}, "config.image: this attribute is required."),
        ({"image": "a", "mount": {"path": "/"}, "color": 1}, "config.color: the schema has no such attribute."),
        ({"image": "a"}, "config.mount: expected at least 1 and at most 2, found 0."),
        ({"image": "a", "mount": [{"path": "/"}] * 3}, "config.mount: expected at least 1 and at most 2, found 3."),
        ({"image": "a", "mount": {}}, "config.mount[0].path: this attribute is required."),
        ({"image": "a", "mount": "x"}, "config.mount[0]: expected a block with names and values."),
        ({"image": ["a"], "mount": {"path": "/"}}, "config.image: expected a single string."),
        ({"image": "a", "mount": {"path": "/"}, "cpus": "two"}, "config.cpus: “two” isn't a number."),
        ({"image": "a", "mount": {"path": "/"}, "tags": "x"}, "config.tags: expected a list for list(string)."),
        (
            {"image": "a", "mount": {"path": "/"}, "by_name": {"x": {"on": "maybe"}}},
            "config.by_name.x.on: “maybe” isn't a bool.",
        ),
    ],
)
def test_invalid_configuration_is_reported_with_its_path(config_values: Any, expected_problem: str) -> None:
    assert hcl_spec.evaluate_config(SCHEMA, config_values)[1] == [expected_problem]


@pytest.mark.parametrize("value", ["nan", "inf", "1_000", "²", "٣", "1e", "0x10", "1" * 5000])
def test_text_that_is_not_a_number_in_hcl_is_reported(value: str) -> None:
    problems: list[str] = []
    hcl_types.convert_value(value, hcl_types.HclType("number"), "config.cpus", problems)
    assert problems == [f"config.cpus: “{value[:60]}” isn't a number."]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("-8", -8),
        ("2.5", 2.5),
        ("1e3", 1000.0),
        ("1e300", 1e300),
        (1e300, 1e300),
        ("1" * 300, int("1" * 300)),
        # Nomad passes on numbers beyond the range of a float as text.
        ("-1e400", "-1" + "0" * 400),
        (7, 7),
        (0.5, 0.5),
    ],
)
def test_text_of_a_number_becomes_the_number(value: object, expected: object) -> None:
    problems: list[str] = []
    number = hcl_types.convert_value(value, hcl_types.HclType("number"), "config.cpus", problems)
    assert (number, type(number), problems) == (expected, type(expected), [])


def test_default_can_be_another_attribute() -> None:
    names = {"primary": build_attribute("address"), "default": build_attribute("addr")}
    assert hcl_spec.evaluate_config(build_spec(address={"default": names}), {"addr": "a"}) == ({"address": "a"}, [])


@pytest.mark.parametrize(
    ("wrong", "expected_problem"),
    [
        (get_message_class(f"{SPEC}.Spec")(), "The schema isn't an object, so it has no names."),
        (build_spec(a={}), "config.a: the specification is empty."),
        (build_spec(a=build_attribute("")), "config.a: the name is missing."),
        (build_spec(a=build_attribute("a", "strnig")), "config.a: “strnig” isn't a type."),
        (build_spec(a={"literal": {"value": "{"}}), "config.a: “{” isn't a value."),
        (build_spec(a={"literal": {"value": "[" * 99_999}}), f"config.a: “{'[' * 60}” isn't a value."),
        (build_spec(a={"literal": {"value": " " * 2_000_000}}), "The schema is larger than 1 MiB."),
        (build_spec(a={"block_value": {"name": "a"}}), "config.a: the nested specification is missing."),
        (
            build_spec(a={"block_list": {"name": "a", "min_items": 3, "max_items": 2, "nested": {"object": {}}}}),
            "config.a: the minimum 3 is larger than the maximum 2.",
        ),
        (
            build_spec(a={"block_map": {"name": "a", "nested": {"object": {}}}}),
            "config.a: a map of blocks needs a label.",
        ),
    ],
)
def test_invalid_schema_is_reported_with_its_path(wrong: Any, expected_problem: str) -> None:
    assert hcl_spec.find_schema_problems(wrong) == [expected_problem]


def test_good_schema_has_no_problems() -> None:
    assert hcl_spec.find_schema_problems(SCHEMA) == []


@pytest.mark.parametrize(
    "text",
    [
        "any",
        "string",
        "list(number)",
        "map(list(bool))",
        "object({a = string, b = list(any)})",
        "tuple([string, number])",
        "set(object({x = map(string)}))",
    ],
)
def test_type_expression_round_trips(text: str) -> None:
    assert str(hcl_types.parse_type(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "strnig",
        "list",
        "list(",
        "list(string",
        "object({a})",
        "string)",
        "map()",
        "list(string) x",
        "é",
        "list(" * 50 + "any" + ")" * 50,
        "object({" + "a = any, " * 2_000 + "})",
    ],
)
def test_invalid_type_expression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^(“|The type)"):
        hcl_types.parse_type(text)
