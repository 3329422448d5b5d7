"""Tests of parsing provider schemas."""

import gzip
import json
from contextlib import suppress
from typing import Any

import pytest

from tests.verification.schemas.acme import SOURCE, build_nested_type, encode_schema
from verification.schemas.engine.parsing import parse_schema, parse_schemas, unpack
from verification.schemas.engine.types import SchemaParseError


def test_gzipped_schema_is_read() -> None:
    assert parse_schemas(gzip.compress(encode_schema(), mtime=0)) == parse_schemas(encode_schema())


def test_parsed_schema_has_everything_that_the_provider_offers() -> None:
    schema = parse_schemas(encode_schema())[SOURCE]
    assert list(schema.resources)[:2] == ["acme_compute_server", "acme_key"]
    assert list(schema.data_sources) == ["acme_zone"]
    assert [node.name for node in schema.provider.nodes] == ["token"]
    assert schema.prefix == "acme"


def test_timeouts_block_is_not_an_argument() -> None:
    server = parse_schema(encode_schema()).resources["acme_compute_server"]
    assert server.timeouts is server.get_node("timeouts") is not None
    assert "timeouts" not in {node.name for node in server.arguments}


def test_timeouts_attribute_is_an_argument() -> None:
    document = build_document({"type": "string"})
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
def test_block_flags_follow_from_its_item_limits_and_required_arguments(name: str, flags: tuple[bool, ...]) -> None:
    node = parse_schema(encode_schema()).resources["acme_compute_server"].get_node(name)
    assert node is not None
    assert (node.optional, node.required, node.computed) == flags


def test_members_of_a_computed_object_are_computed() -> None:
    events = parse_schema(encode_schema()).resources["acme_compute_server"].get_node("events")
    assert events is not None
    assert [(node.name, node.computed, node.optional) for node in events.children or ()] == [
        ("at", True, False),
        ("what", True, False),
    ]


def test_optional_member_of_an_object_type_is_optional() -> None:
    attribute_schema = {"type": ["list", ["object", {"a": "string", "b": "string"}, ["b"]]], "required": True}
    node = parse_schema(encode_schema(build_document(attribute_schema))).resources["acme_a"].nodes[0]
    assert [(one.name, one.optional, one.required) for one in node.children or ()] == [
        ("a", False, True),
        ("b", True, False),
    ]


def build_document(attribute: Any) -> dict[str, Any]:
    resource = {"acme_a": {"version": 0, "block": {"attributes": {"x": attribute}}}}
    return {"format_version": "1.0", "provider_schemas": {SOURCE: {"resource_schemas": resource}}}


def build_block_document(least: Any) -> dict[str, Any]:
    blocks = {"b": {"nesting_mode": "list", "block": {}, "min_items": least}}
    resource = {"acme_a": {"version": 0, "block": {"block_types": blocks}}}
    return {"format_version": "1.0", "provider_schemas": {SOURCE: {"resource_schemas": resource}}}


def nest_type(levels: int) -> Any:
    attribute_schema: Any = "string"
    for _ in range(levels):
        attribute_schema = ["list", attribute_schema]
    return attribute_schema


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>", "The file isn't valid JSON. Use the output of “terraform providers schema -json”."),
        (b"[]", "The file: expected an object."),
        (b'{"format_version": "2.0"}', "The format version must be 1.x, but the file has “2.0”."),
        (b"{}", "The format version must be 1.x, but the file has “”."),
        (b"\x1f\x8bnot gzip at all", "Can't decompress the gzip file."),
        (gzip.compress(b"{}" * 999, mtime=0)[:-9], "The gzip file is incomplete."),
        (b"[" * 99_999, "The file isn't valid JSON. Use the output of “terraform providers schema -json”."),
        (encode_schema(build_document({"type": "strang"})), "acme_a.x: unknown type “strang”."),
        (encode_schema(build_document({"type": nest_type(200)})), "acme_a.x: nested more than 100 levels deep."),
        (
            encode_schema(build_document({"nested_type": {"nesting_mode": "bag"}})),
            "acme_a.x: unknown nesting mode “bag”.",
        ),
        (encode_schema(build_document(7)), "acme_a.x: expected an object."),
        (encode_schema(build_block_document("2")), "min_items: expected a number, not “2”."),
        (encode_schema(build_block_document(-1)), "min_items: expected a number, not “-1”."),
        (b'{"half": "\\ud83d"}', "The file isn't valid JSON. Use the output of “terraform providers schema -json”."),
        (
            b'{"half": "\xed\xa0\xbd"}',
            "The file isn't valid JSON. Use the output of “terraform providers schema -json”.",
        ),
    ],
)
def test_invalid_schema_is_refused_with_a_reason(body: bytes, message: str) -> None:
    with pytest.raises(SchemaParseError) as error:
        parse_schemas(body)
    assert str(error.value) == message


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_schema_in_another_unicode_encoding_is_read(encoding: str) -> None:
    attribute_schema = {"type": "string", "description": "Grüße 😀"}
    assert parse_schemas(json.dumps(build_document(attribute_schema)).encode(encoding)) == parse_schemas(
        encode_schema(build_document(attribute_schema))
    )


def test_parameters_must_be_a_list() -> None:
    document = {"format_version": "1.0", "provider_schemas": {SOURCE: {"functions": {"f": {"parameters": {"a": 1}}}}}}
    with pytest.raises(SchemaParseError, match=r"f: expected a list of parameters\."):
        parse_schemas(encode_schema(document))


@pytest.mark.parametrize("levels", [900, 5000])
def test_type_of_any_depth_is_read_or_refused(levels: int) -> None:
    """How deeply Python can nest calls differs by version, and for JSON and for functions."""
    nested_type = b'["list",' * levels + b'"string"' + b"]" * levels
    with suppress(SchemaParseError):
        parse_schemas(
            b'{"format_version":"1.0","provider_schemas":{"a":{"functions":{"f":{"return_type":%s}}}}}' % nested_type
        )


@pytest.mark.parametrize("padding", [b"\n", b"\0" * 999])
def test_padding_after_a_gzip_file_is_ignored(padding: bytes) -> None:
    assert unpack(gzip.compress(b"{}", mtime=0) + padding) == b"{}"


def test_schema_above_the_unpacked_size_is_refused() -> None:
    with pytest.raises(SchemaParseError, match=r"larger than 1 MB"):
        parse_schemas(gzip.compress(b" " * 3_000_000, mtime=0), max_bytes=1024 * 1024)


def test_one_of_several_providers_must_be_specified() -> None:
    both = json.loads(encode_schema())
    both["provider_schemas"]["registry.terraform.io/acme/other"] = {}
    with pytest.raises(SchemaParseError, match="Specify a provider"):
        parse_schema(json.dumps(both).encode())
    assert parse_schema(json.dumps(both).encode(), "acme/acme").source == SOURCE


@pytest.mark.parametrize(("deprecation", "message"), [({"deprecation_message": "Use y."}, "Use y."), ({}, "")])
def test_deprecation_message_is_read(deprecation: dict[str, str], message: str) -> None:
    resource = parse_schema(
        encode_schema(build_document({"type": "string", "deprecated": True, **deprecation}))
    ).resources["acme_a"]
    assert resource.nodes[0].deprecation == message
