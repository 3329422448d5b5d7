import gzip
import json
from typing import Any

import pytest

from tests.verification.schemas.acme import SOURCE, build_nested_type, encode_schema
from verification.schemas.engine.parsing import parse_schema, parse_schemas
from verification.schemas.engine.types import SchemaParseError


def test_read_gzipped_is_read_alike() -> None:
    assert parse_schemas(gzip.compress(encode_schema(), mtime=0)) == parse_schemas(encode_schema())


def test_read_finds_everything_that_a_provider_offers() -> None:
    schema = parse_schemas(encode_schema())[SOURCE]
    assert list(schema.resources)[:2] == ["acme_compute_server", "acme_key"]
    assert list(schema.data_sources) == ["acme_zone"]
    assert [node.name for node in schema.provider.nodes] == ["token"]
    assert schema.prefix == "acme"


def test_read_keeps_the_timeouts_of_the_resource_apart_from_its_arguments() -> None:
    server = parse_schema(encode_schema()).resources["acme_compute_server"]
    assert server.timeouts is server.node("timeouts") is not None
    assert "timeouts" not in {node.name for node in server.arguments}


def test_read_timeouts_that_are_an_attribute_are_an_argument() -> None:
    document = _with({"type": "string"})
    block = document["provider_schemas"][SOURCE]["resource_schemas"]["acme_a"]["block"]
    block["attributes"]["timeouts"] = build_nested_type(
        "single", {"create": {"type": "string", "optional": True}}, "optional"
    )
    resource = parse_schema(encode_schema(document)).resources["acme_a"]
    assert (resource.timeouts, [node.name for node in resource.arguments]) == (None, ["timeouts", "x"])


@pytest.mark.parametrize(
    ("name", "flags"),
    [("rule", (False, True, False)), ("disk", (True, False, False)), ("placement", (False, True, False))],
)
def test_read_block_flags_follow_from_its_numbers_and_from_what_it_needs(name: str, flags: tuple[bool, ...]) -> None:
    node = parse_schema(encode_schema()).resources["acme_compute_server"].node(name)
    assert node is not None
    assert (node.optional, node.required, node.computed) == flags


def test_read_members_of_an_object_type_are_as_computed_as_the_object() -> None:
    events = parse_schema(encode_schema()).resources["acme_compute_server"].node("events")
    assert events is not None
    assert [(node.name, node.computed, node.optional) for node in events.children or ()] == [
        ("at", True, False),
        ("what", True, False),
    ]


def test_read_optional_member_of_an_object_type_is_optional() -> None:
    attribute_schema = {"type": ["list", ["object", {"a": "string", "b": "string"}, ["b"]]], "required": True}
    node = parse_schema(encode_schema(_with(attribute_schema))).resources["acme_a"].nodes[0]
    assert [(one.name, one.optional, one.required) for one in node.children or ()] == [
        ("a", False, True),
        ("b", True, False),
    ]


def _with(attribute: Any) -> dict[str, Any]:
    resource = {"acme_a": {"version": 0, "block": {"attributes": {"x": attribute}}}}
    return {"format_version": "1.0", "provider_schemas": {SOURCE: {"resource_schemas": resource}}}


def _items(least: Any) -> dict[str, Any]:
    blocks = {"b": {"nesting_mode": "list", "block": {}, "min_items": least}}
    resource = {"acme_a": {"version": 0, "block": {"block_types": blocks}}}
    return {"format_version": "1.0", "provider_schemas": {SOURCE: {"resource_schemas": resource}}}


def _deep(levels: int) -> Any:
    attribute_schema: Any = "string"
    for _ in range(levels):
        attribute_schema = ["list", attribute_schema]
    return attribute_schema


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"<html>", "The file isn't valid JSON. Upload the output of “terraform providers schema -json”."),
        (b"[]", "The file: expected an object."),
        (b'{"format_version": "2.0"}', "The format version must be 1.x, but the file has “2.0”."),
        (b"{}", "The format version must be 1.x, but the file has “”."),
        (b"\x1f\x8bnot gzip at all", "Can't decompress the gzip file."),
        (gzip.compress(b"{}" * 999, mtime=0)[:-9], "The gzip file is incomplete."),
        (b"[" * 99_999, "The file isn't valid JSON. Upload the output of “terraform providers schema -json”."),
        (encode_schema(_with({"type": "strang"})), "acme_a.x: unknown type “strang”."),
        (encode_schema(_with({"type": _deep(200)})), "acme_a.x: nested more than 100 levels deep."),
        (encode_schema(_with({"nested_type": {"nesting_mode": "bag"}})), "acme_a.x: unknown nesting mode “bag”."),
        (encode_schema(_with(7)), "acme_a.x: expected an object."),
        (encode_schema(_items("2")), "min_items: expected a number, not “2”."),
        (encode_schema(_items(-1)), "min_items: expected a number, not “-1”."),
        (b'{"half": "\\ud83d"}', "The file isn't valid JSON. Upload the output of “terraform providers schema -json”."),
        (
            b'{"half": "\xed\xa0\xbd"}',
            "The file isn't valid JSON. Upload the output of “terraform providers schema -json”.",
        ),
    ],
)
def test_read_refuses_with_a_sentence(body: bytes, sentence: str) -> None:
    with pytest.raises(SchemaParseError) as error:
        parse_schemas(body)
    assert str(error.value) == sentence


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_read_as_a_shell_may_have_written_it(encoding: str) -> None:
    attribute_schema = {"type": "string", "description": "Grüße 😀"}
    assert parse_schemas(json.dumps(_with(attribute_schema)).encode(encoding)) == parse_schemas(
        encode_schema(_with(attribute_schema))
    )


def test_read_refuses_parameters_that_are_no_list() -> None:
    document = {"format_version": "1.0", "provider_schemas": {SOURCE: {"functions": {"f": {"parameters": {"a": 1}}}}}}
    with pytest.raises(SchemaParseError, match=r"f: expected a list of parameters\."):
        parse_schemas(encode_schema(document))


def test_read_refuses_what_unpacks_to_too_much() -> None:
    with pytest.raises(SchemaParseError, match=r"larger than 1 MB"):
        parse_schemas(gzip.compress(b" " * 3_000_000, mtime=0), max_bytes=1024 * 1024)


def test_read_one_of_several_must_be_named() -> None:
    both = json.loads(encode_schema())
    both["provider_schemas"]["registry.terraform.io/acme/other"] = {}
    with pytest.raises(SchemaParseError, match="Specify a provider"):
        parse_schema(json.dumps(both).encode())
    assert parse_schema(json.dumps(both).encode(), "acme/acme").source == SOURCE


@pytest.mark.parametrize(("deprecation", "message"), [({"deprecation_message": "Use y."}, "Use y."), ({}, "")])
def test_read_message_of_a_deprecation_where_it_is_reported(deprecation: dict[str, str], message: str) -> None:
    resource = parse_schema(encode_schema(_with({"type": "string", "deprecated": True, **deprecation}))).resources[
        "acme_a"
    ]
    assert resource.nodes[0].deprecation == message
