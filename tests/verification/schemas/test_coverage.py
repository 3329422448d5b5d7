"""Tests of the files of a Crossplane preview and of its report on coverage."""

from typing import Any

import pytest

from tests.verification.schemas.acme import SOURCE, attribute, block, encode_schema
from verification.schemas.crossplane.coverage import (
    CrdPreview,
    build_coverage,
    build_preview,
    build_previews,
    render_json,
    render_text,
    summarize_preview,
)
from verification.schemas.crossplane.naming import GroupKind
from verification.schemas.crossplane.options import parse_choices
from verification.schemas.engine.parsing import parse_schema


def build_acme_coverage(**more: tuple[str, ...]) -> dict[str, object]:
    schema = parse_schema(encode_schema())
    return build_coverage(schema, list(map(summarize_preview, build_previews(schema, parse_choices("acme", **more)))))


def test_summary_counts_and_explains_what_is_skipped() -> None:
    summary = build_acme_coverage()
    assert (summary["total"], summary["available"], summary["skipped"], summary["coverage"]) == (6, 4, 2, 0.6667)
    assert summary["skipped_resources"] == [
        {"resource": "acme_odd_pair", "reason": "both: a tuple has no counterpart in Kubernetes"},
        {
            "resource": "acme_odd_pin",
            "reason": "pin: number is sensitive; only string, list, set, and map of string can be",
        },
    ]


def test_previews_choose_another_name_if_one_is_taken() -> None:
    crd_previews = {one.resource: one for one in build_previews(parse_schema(encode_schema()), parse_choices("acme"))}
    second = crd_previews["acme_user_roles"]
    assert (second.definitions[0]["spec"]["group"], second.group_kind) == (
        "acme.acme.upbound.io",
        GroupKind("acme", "UserRoles"),
    )
    assert second.kind_reason == "user/Roles is already used for acme_user_role"


@pytest.mark.parametrize(("runtime", "scopes"), [("2.3", ["Cluster", "Namespaced"]), ("1", ["Cluster"])])
def test_previews_have_the_scopes_of_the_runtime(runtime: str, scopes: list[str]) -> None:
    preview = build_preview(parse_schema(encode_schema()), parse_choices("acme", runtime=runtime), "acme_key")
    assert preview is not None
    assert [one["spec"]["scope"] for one in preview.definitions] == scopes


def test_previews_use_the_chosen_kind() -> None:
    crd_previews = {
        one.resource: one
        for one in build_previews(parse_schema(encode_schema()), parse_choices("acme", kinds=("acme_key=/Pin",)))
    }
    assert crd_previews["acme_key"].definitions[1]["metadata"]["name"] == "pins.acme.m.upbound.io"


def test_files_are_identical_in_every_run() -> None:
    def list_files() -> list[tuple[str, str]]:
        previews = build_previews(parse_schema(encode_schema()), parse_choices("acme"))
        return [(name, text) for one in previews for name, text, _ in one.iterate_files()]

    files = list_files()
    assert files == list_files()
    assert [name for name, _ in files][:2] == [
        "compute.acme.upbound.io_servers.yaml",
        "compute.acme.m.upbound.io_servers.yaml",
    ]


def test_text_has_the_total_and_each_skipped_resource() -> None:
    lines = render_text(build_acme_coverage()).splitlines()
    assert lines[0] == "registry.terraform.io/acme/acme: 4 of 6 resources, 66.7%."
    assert lines[-1] == "  acme_odd_pin: pin: number is sensitive; only string, list, set, and map of string can be"


def test_json_keys_are_sorted() -> None:
    assert render_json(build_acme_coverage()).splitlines()[1] == '  "available": 4,'


def test_preview_of_one_resource_equals_the_one_among_all() -> None:
    schema = parse_schema(encode_schema())
    choices = parse_choices("acme")
    alone = [build_preview(schema, choices, name) for name in schema.resources]
    assert alone == list(build_previews(schema, choices))
    assert build_preview(schema, choices, "acme_none") is None


def test_previews_skip_a_resource_without_a_free_name() -> None:
    one = {"block": {"attributes": {"id": attribute("string", "computed")}}}
    crd_previews = build_crd_previews({"acme_pad": one, "acme_pads": one})
    assert crd_previews[1].reason == "acme/Pads is already used for acme_pad; choose another kind for one of them"


@pytest.mark.parametrize(
    "resource_block", [{}, {"block_types": {"timeouts": block("single", {})}}], ids=["none", "timeouts"]
)
def test_previews_skip_a_resource_without_arguments_and_reuse_its_name(resource_block: dict[str, Any]) -> None:
    one = {"block": {"attributes": {"id": attribute("string", "computed")}}}
    crd_previews = build_crd_previews({"acme_pad": {"block": resource_block}, "acme_pads": one})
    assert crd_previews[0].reason == "it has no arguments, and the generator skips such resources"
    assert (crd_previews[1].group_kind, crd_previews[1].kind_reason) == (GroupKind("acme", "Pads"), "")


def build_crd_previews(resources: dict[str, Any]) -> list[CrdPreview]:
    document = {"format_version": "1.0", "provider_schemas": {SOURCE: {"resource_schemas": resources}}}
    return list(build_previews(parse_schema(encode_schema(document)), parse_choices("acme")))
