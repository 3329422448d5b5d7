import gzip
import json
from typing import Any

import pytest

from tests.verification.schemas.acme import SOURCE, nested, printed
from verification.schemas.engine.parsing import read, read_one
from verification.schemas.engine.types import Unreadable


def test_read_gzipped_is_read_alike() -> None:
    assert read(gzip.compress(printed(), mtime=0)) == read(printed())


def test_read_finds_everything_that_a_provider_offers() -> None:
    schema = read(printed())[SOURCE]
    assert list(schema.resources)[:2] == ["acme_compute_server", "acme_key"]
    assert list(schema.data_sources) == ["acme_zone"]
    assert [node.name for node in schema.provider.nodes] == ["token"]
    assert schema.prefix == "acme"


def test_read_keeps_the_timeouts_of_the_resource_apart_from_its_arguments() -> None:
    server = read_one(printed()).resources["acme_compute_server"]
    assert server.timeouts is server.node("timeouts") is not None
    assert "timeouts" not in {node.name for node in server.arguments}


def test_read_timeouts_that_are_an_attribute_are_an_argument() -> None:
    told = _with({"type": "string"})
    block = told["provider_schemas"][SOURCE]["resource_schemas"]["acme_a"]["block"]
    block["attributes"]["timeouts"] = nested("single", {"create": {"type": "string", "optional": True}}, "optional")
    resource = read_one(printed(told)).resources["acme_a"]
    assert (resource.timeouts, [node.name for node in resource.arguments]) == (None, ["timeouts", "x"])


@pytest.mark.parametrize(
    ("name", "flags"),
    [("rule", (False, True, False)), ("disk", (True, False, False)), ("placement", (False, True, False))],
)
def test_read_block_flags_follow_from_its_numbers_and_from_what_it_needs(name: str, flags: tuple[bool, ...]) -> None:
    node = read_one(printed()).resources["acme_compute_server"].node(name)
    assert node is not None
    assert (node.optional, node.required, node.computed) == flags


def test_read_members_of_an_object_type_are_as_computed_as_the_object() -> None:
    events = read_one(printed()).resources["acme_compute_server"].node("events")
    assert events is not None
    assert [(node.name, node.computed, node.optional) for node in events.children or ()] == [
        ("at", True, False),
        ("what", True, False),
    ]


def test_read_optional_member_of_an_object_type_is_optional() -> None:
    told = {"type": ["list", ["object", {"a": "string", "b": "string"}, ["b"]]], "required": True}
    node = read_one(printed(_with(told))).resources["acme_a"].nodes[0]
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
    told: Any = "string"
    for _ in range(levels):
        told = ["list", told]
    return told


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"<html>", "The file is not JSON: give the output of “terraform providers schema -json”."),
        (b"[]", "The file: expected an object."),
        (b'{"format_version": "2.0"}', "The format version must be 1.x; this file says “2.0”."),
        (b"{}", "The format version must be 1.x; this file says “”."),
        (b"\x1f\x8bnot gzip at all", "The file begins like gzip but cannot be unpacked."),
        (gzip.compress(b"{}" * 999, mtime=0)[:-9], "The gzip file is cut off."),
        (b"[" * 99_999, "The file is not JSON: give the output of “terraform providers schema -json”."),
        (printed(_with({"type": "strang"})), "acme_a.x: unknown type “strang”."),
        (printed(_with({"type": _deep(200)})), "acme_a.x: nested more than 100 levels deep."),
        (printed(_with({"nested_type": {"nesting_mode": "bag"}})), "acme_a.x: unknown nesting mode “bag”."),
        (printed(_with(7)), "acme_a.x: expected an object."),
        (printed(_items("2")), "min_items: expected a number, not “2”."),
        (printed(_items(-1)), "min_items: expected a number, not “-1”."),
        (b'{"half": "\\ud83d"}', "The file is not JSON: give the output of “terraform providers schema -json”."),
        (b'{"half": "\xed\xa0\xbd"}', "The file is not JSON: give the output of “terraform providers schema -json”."),
    ],
)
def test_read_refuses_with_a_sentence(body: bytes, sentence: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read(body)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_read_as_a_shell_may_have_written_it(encoding: str) -> None:
    told = {"type": "string", "description": "Grüße 😀"}
    assert read(json.dumps(_with(told)).encode(encoding)) == read(printed(_with(told)))


def test_read_refuses_parameters_that_are_no_list() -> None:
    told = {"format_version": "1.0", "provider_schemas": {SOURCE: {"functions": {"f": {"parameters": {"a": 1}}}}}}
    with pytest.raises(Unreadable, match=r"f: expected a list of parameters\."):
        read(printed(told))


def test_read_refuses_what_unpacks_to_too_much() -> None:
    with pytest.raises(Unreadable, match=r"larger than 1 MB"):
        read(gzip.compress(b" " * 3_000_000, mtime=0), largest=1024 * 1024)


def test_read_one_of_several_must_be_named() -> None:
    both = json.loads(printed())
    both["provider_schemas"]["registry.terraform.io/acme/other"] = {}
    with pytest.raises(Unreadable, match="Say which provider is meant"):
        read_one(json.dumps(both).encode())
    assert read_one(json.dumps(both).encode(), "acme/acme").source == SOURCE


@pytest.mark.parametrize(("told", "message"), [({"deprecation_message": "Use y."}, "Use y."), ({}, "")])
def test_read_message_of_a_deprecation_where_it_is_told(told: dict[str, str], message: str) -> None:
    resource = read_one(printed(_with({"type": "string", "deprecated": True, **told}))).resources["acme_a"]
    assert resource.nodes[0].deprecation == message
