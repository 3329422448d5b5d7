from typing import Any

import pytest

from tests.verification.schemas.acme import SOURCE, attribute, printed
from tests.verification.schemas.acme import block as timeouts
from verification.schemas.crossplane.options import choices
from verification.schemas.engine.coverage import Preview, as_json, as_text, preview_of, previews, summary
from verification.schemas.engine.parsing import read_one


def coverage(**more: tuple[str, ...]) -> dict[str, object]:
    schema = read_one(printed())
    return summary(schema, list(previews(schema, choices("acme", **more))))


def test_summary_counts_and_explains_what_is_skipped() -> None:
    told = coverage()
    assert (told["total"], told["available"], told["skipped"], told["coverage"]) == (6, 4, 2, 0.6667)
    assert told["skipped_resources"] == [
        {"resource": "acme_odd_pair", "reason": "both: a tuple has no counterpart in Kubernetes"},
        {
            "resource": "acme_odd_pin",
            "reason": "pin: number is sensitive; only string, list, set and map of string can be",
        },
    ]


def test_previews_give_the_next_division_where_a_name_is_taken() -> None:
    found = {one.resource: one for one in previews(read_one(printed()), choices("acme"))}
    second = found["acme_user_roles"]
    assert (second.definitions[0]["spec"]["group"], second.kind) == ("acme.acme.upbound.io", "UserRoles")
    assert second.instead_of == "user/Roles is already made of acme_user_role"


@pytest.mark.parametrize(("runtime", "scopes"), [("2.3", ["Cluster", "Namespaced"]), ("1", ["Cluster"])])
def test_previews_have_the_scopes_of_the_runtime(runtime: str, scopes: list[str]) -> None:
    found = preview_of(read_one(printed()), choices("acme", runtime=runtime), "acme_key")
    assert found is not None
    assert [one["spec"]["scope"] for one in found.definitions] == scopes


def test_previews_give_the_kind_that_was_chosen() -> None:
    found = {one.resource: one for one in previews(read_one(printed()), choices("acme", kinds=("acme_key=/Pin",)))}
    assert found["acme_key"].definitions[1]["metadata"]["name"] == "pins.acme.m.upbound.io"


def test_files_are_the_same_bytes_from_run_to_run() -> None:
    def all_files() -> list[tuple[str, str]]:
        return [file for one in previews(read_one(printed()), choices("acme")) for file in one.files()]

    files = all_files()
    assert files == all_files()
    assert [name for name, _ in files][:2] == [
        "compute.acme.upbound.io_servers.yaml",
        "compute.acme.m.upbound.io_servers.yaml",
    ]


def test_text_says_the_whole_and_each_that_is_missing() -> None:
    lines = as_text(coverage()).splitlines()
    assert lines[0] == "registry.terraform.io/acme/acme: 4 of 6 resources, 66.7%."
    assert lines[-1] == "  acme_odd_pin: pin: number is sensitive; only string, list, set and map of string can be"


def test_json_is_ordered() -> None:
    assert as_json(coverage()).splitlines()[1] == '  "available": 4,'


def test_preview_of_one_is_the_same_as_among_all() -> None:
    schema, chosen = read_one(printed()), choices("acme")
    alone = [preview_of(schema, chosen, name) for name in schema.resources]
    assert alone == list(previews(schema, chosen))
    assert preview_of(schema, chosen, "acme_none") is None


def test_previews_skip_what_has_no_free_name() -> None:
    one = {"block": {"attributes": {"id": attribute("string", "computed")}}}
    found = made({"acme_pad": one, "acme_pads": one})
    assert found[1].why_not == "acme/Pads is already made of acme_pad: give one of them another kind"


@pytest.mark.parametrize("block", [{}, {"block_types": {"timeouts": timeouts("single", {})}}], ids=["none", "timeouts"])
def test_previews_skip_what_has_no_arguments_and_leave_its_name_to_others(block: dict[str, Any]) -> None:
    one = {"block": {"attributes": {"id": attribute("string", "computed")}}}
    found = made({"acme_pad": {"block": block}, "acme_pads": one})
    assert found[0].why_not == "it has no arguments, and the generator passes over such resources"
    assert (found[1].kind, found[1].instead_of) == ("Pads", "")


def made(resources: dict[str, Any]) -> list[Preview]:
    told = {"format_version": "1.0", "provider_schemas": {SOURCE: {"resource_schemas": resources}}}
    return list(previews(read_one(printed(told)), choices("acme")))
