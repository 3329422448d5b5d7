"""Tests of the commands that read schemas and write Crossplane previews."""

import gzip
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command

from tests.verification.schemas.acme import SCHEMA, SOURCE, encode_schema
from tests.verification.schemas.validators import CrdValidators


def run_command(*arguments: Any, **more: Any) -> str:
    out = StringIO()
    call_command(*map(str, arguments), stdout=out, **more)
    return out.getvalue()


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    path = tmp_path / "acme_1.4.0.json.gz"
    path.write_bytes(gzip.compress(encode_schema()))
    return path


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    data = json.loads(json.dumps(SCHEMA))
    provider = next(iter(data["provider_schemas"].values()))
    del provider["resource_schemas"]["acme_key"]
    provider["resource_schemas"]["acme_user_role"]["block"]["attributes"]["until"] = {
        "type": "string",
        "optional": True,
    }
    path = tmp_path / "acme_1.5.0.json"
    path.write_bytes(encode_schema(data))
    return path


def test_crd_preview_writes_both_scopes_and_the_coverage(schema: Path, tmp_path: Path) -> None:
    output = run_command("preview_crds", schema, "--group-prefix", "acme", "--out", tmp_path / "out")
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"coverage.json", "coverage.txt"} <= files
    assert {"acme.acme.upbound.io_keys.yaml", "acme.acme.m.upbound.io_keys.yaml"} <= files
    assert (tmp_path / "out" / "coverage.txt").read_text() == output
    assert json.loads((tmp_path / "out" / "coverage.json").read_text())["available"] == 4


def test_crd_preview_writes_valid_definitions(schema: Path, tmp_path: Path) -> None:
    run_command("preview_crds", schema, "--group-prefix", "acme", "--out", tmp_path / "out")
    definitions = [yaml.safe_load(path.read_text()) for path in (tmp_path / "out").glob("*_*.yaml")]
    validators = CrdValidators()
    assert [error for definition in definitions for error in validators.list_errors(definition)] == []
    assert (validators.definition_count, validators.rule_count) == (13, 7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--group-prefix", "A"], "is not a valid group prefix"),
        (["--group-prefix", "acme", "--external-name", "X"], "Unknown external name"),
        (["--group-prefix", "acme", "--kind", "acme_none=a/B"], "Resource “acme_none” not found"),
        (["--group-prefix", "acme", "--reference", "acme_key.none"], "Argument “none” not found in acme_key"),
        (["--group-prefix", "acme", "--reference", "acme_key.name=acme_none"], "Resource “acme_none” not found"),
        (["--group-prefix", "acme", "--sensitive", "acme_key.none"], "acme_key.none can't be sensitive"),
        (["--group-prefix", "acme", "--api-version", "beta"], "“beta” is not a valid API version"),
        (["--group-prefix", "acme", "--source", "other"], "Specify a provider"),
    ],
)
def test_crd_preview_explains_invalid_options(schema: Path, tmp_path: Path, options: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run_command("preview_crds", schema, "--out", tmp_path / "out", *options)


@pytest.mark.parametrize("name", ["notes.md", "coverage.json"])
def test_crd_preview_refuses_a_folder_with_files(schema: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / "out" / name
    path.parent.mkdir()
    path.write_text("own")
    with pytest.raises(CommandError, match="contains files"):
        run_command("preview_crds", schema, "--group-prefix", "acme", "--out", path.parent)
    assert {each.name: each.read_text() for each in path.parent.iterdir()} == {name: "own"}


def test_crd_preview_refuses_a_file_as_output_folder(schema: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("own")
    for where in (out, out / "below"):
        with pytest.raises(CommandError, match="Can't write to "):
            run_command("preview_crds", schema, "--group-prefix", "acme", "--out", where)
    assert out.read_text() == "own"


def test_crd_preview_reports_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"Can't read .*: No such file"):
        run_command("preview_crds", tmp_path / "none", "--group-prefix", "acme", "--out", tmp_path)


def test_schema_diff_lists_breaking_changes_first(schema: Path, newer: Path) -> None:
    out = StringIO()
    with pytest.raises(SystemExit) as error:
        call_command("diff_provider_schemas", str(schema), str(newer), stdout=out)
    assert error.value.code == 1
    assert out.getvalue().splitlines() == [
        "registry.terraform.io/acme/acme: 1 breaking change, 1 other.",
        "1.4.0 to 1.5.0 is a minor step, but breaking changes require a new major version.",
        "",
        "Breaking changes:",
        "  The resource acme_key was removed.",
        "",
        "Other changes:",
        "  resource acme_user_role",
        "    until is new and optional.",
    ]


def test_schema_diff_json_has_the_verdict_on_the_versions(schema: Path, newer: Path) -> None:
    data = json.loads(run_command("diff_provider_schemas", schema, newer, "--json", "--versions", "1.4.0", "2.0.0"))
    assert (data["breaking"], data["verdict"]["admits"], len(data["changes"])) == (1, True, 2)


def test_schema_diff_without_a_version_gives_no_verdict(schema: Path, newer: Path) -> None:
    plain = newer.rename(newer.with_name("new.json"))
    assert (
        run_command("diff_provider_schemas", schema, plain).splitlines()[1]
        == "No verdict. Specify the versions with --versions."
    )
    invalid = schema.rename(schema.with_name("acme_99999999999999999999.1.2.json.gz"))
    data = json.loads(run_command("diff_provider_schemas", invalid, plain, "--json"))
    assert data["verdict"] == {"not_run": "No verdict. Specify the versions with --versions."}


@pytest.mark.parametrize(("source", "is_other"), [("globex/acme", False), ("acme/globex", True)])
def test_schema_diff_of_different_providers_is_refused(
    schema: Path, tmp_path: Path, source: str, is_other: bool
) -> None:
    other = tmp_path / "other_1.5.0.json"
    one = SCHEMA["provider_schemas"][SOURCE]
    other.write_bytes(
        encode_schema({"format_version": "1.0", "provider_schemas": {f"registry.terraform.io/{source}": one}})
    )
    if not is_other:
        assert "0 breaking changes" in run_command("diff_provider_schemas", schema, other)
        return
    with pytest.raises(CommandError) as error:
        run_command("diff_provider_schemas", schema, other)
    assert str(error.value) == f"{SOURCE} and registry.terraform.io/{source} are different providers."


def test_schema_diff_refuses_an_invalid_schema(schema: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    with pytest.raises(CommandError) as error:
        run_command("diff_provider_schemas", schema, wrong)
    assert str(error.value).startswith(f"{wrong}: The format version must be")


def test_schema_diff_names_a_missing_file(schema: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError) as error:
        run_command("diff_provider_schemas", schema, tmp_path / "none")
    assert str(error.value) == f"Cannot read {tmp_path / 'none'}: No such file or directory."
