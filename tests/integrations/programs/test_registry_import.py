"""Tests of the import of providers from the Terraform Registry."""

import gzip
import json
import os
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from integrations.programs.models import RegistryProvider
from integrations.programs.services.registry_import import import_providers
from tests.conftest import NOW

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]


def build_line(number=1, full_name="acme/rocket", **changes):
    namespace, _, name = full_name.partition("/")
    raw = {
        "id": str(number),
        "fullName": full_name,
        "namespace": namespace,
        "name": name,
        "alias": None,
        "tier": "community",
        "totalDownloads": 7,
        "description": "Launches.",
        "source": f"https://github.com/{namespace}/terraform-provider-{name}",
        "warning": "",
    }
    return json.dumps(raw | changes).encode()


def count_changes(counts):
    return counts.new_count, counts.changed_count, counts.unchanged_count, len(counts.skipped_lines)


@pytest.mark.every_database
def test_first_import_adds_all_providers():
    counts = import_providers([build_line(), build_line(2, "Globex/scan-it")], now=NOW)
    assert count_changes(counts) == (2, 0, 0, 0)
    row = RegistryProvider.objects.get(full_name="Globex/scan-it")
    assert (row.name_key, row.repository) == ("scanit", "globex/terraform-provider-scan-it")
    assert (row.registry_id, row.tier, row.downloads, row.imported_at) == ("2", "community", 7, NOW)


@pytest.mark.every_database
def test_second_import_changes_nothing():
    import_providers([build_line()], now=NOW)
    assert count_changes(import_providers([build_line()], now=NOW + timedelta(days=1))) == (0, 0, 1, 0)
    assert RegistryProvider.objects.get().imported_at == NOW


def test_changed_provider_is_updated():
    import_providers([build_line()], now=NOW)
    counts = import_providers([build_line(tier="partner")], now=NOW + timedelta(days=1))
    row = RegistryProvider.objects.get()
    assert (count_changes(counts), row.tier, row.imported_at) == ((0, 1, 0, 0), "partner", NOW + timedelta(days=1))


def test_renamed_provider_keeps_its_row():
    import_providers([build_line()], now=NOW)
    import_providers([build_line(1, "acme/rockets")], now=NOW)
    assert [(r.full_name, r.name_key) for r in RegistryProvider.objects.all()] == [("acme/rockets", "rockets")]


@pytest.mark.every_database
def test_name_published_again_replaces_the_row():
    import_providers([build_line()], now=NOW)
    assert count_changes(import_providers([build_line(2)], now=NOW)) == (1, 0, 0, 0)
    assert RegistryProvider.objects.get().registry_id == "2"


@pytest.mark.every_database
def test_names_can_be_swapped():
    import_providers([build_line(1, "a/x"), build_line(2, "a/y")], now=NOW)
    assert count_changes(import_providers([build_line(1, "a/y"), build_line(2, "a/x")], now=NOW)) == (0, 2, 0, 0)
    rows = RegistryProvider.objects.order_by("registry_id")
    assert list(rows.values_list("registry_id", "full_name")) == [("1", "a/y"), ("2", "a/x")]


@pytest.mark.every_database
@pytest.mark.parametrize("order", [1, -1])
def test_name_of_a_renamed_provider_can_be_taken_in_the_same_file(order):
    import_providers([build_line(1, "acme/a")], now=NOW)
    counts = import_providers([build_line(1, "acme/b"), build_line(2, "acme/a")][::order], now=NOW)
    assert count_changes(counts) == (1, 1, 0, 0)
    rows = RegistryProvider.objects.order_by("registry_id")
    assert list(rows.values_list("registry_id", "full_name")) == [("1", "acme/b"), ("2", "acme/a")]


@pytest.mark.every_database
def test_source_of_the_maximum_length_is_imported():
    source = f"https://example.com/{'a' * 139}/{'İ' * 140}"
    assert len(source) == 300
    counts = import_providers([build_line(source=source)], now=NOW)
    row = RegistryProvider.objects.get()
    RegistryProvider._meta.get_field("repository").run_validators(row.repository)  # SQLite does not enforce the length
    assert (count_changes(counts), row.source) == ((1, 0, 0, 0), source)


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "Input should be an object"),
        (build_line(id=5), "id: Input should be a valid string"),
        (build_line(name=""), "name: String should have at least 1 character"),
        (build_line(id="\0"), "id: String should match pattern '^\\P{C}*$'"),
        (build_line(fullName="other/rocket"), "fullName is not namespace/name"),
        (build_line(totalDownloads="many"), "totalDownloads: Input should be a valid integer"),
        (build_line(totalDownloads=-1), "totalDownloads: Input should be greater than or equal to 0"),
        (build_line(totalDownloads=2**63), f"totalDownloads: Input should be less than or equal to {2**63 - 1}"),
        (build_line(source="ftp://x"), "source is not an HTTPS URL"),
        (build_line(tier="t" * 30), "tier: String should have at most 20 characters"),
        (build_line(1, "ac\x07me/rocket"), "fullName: String should match pattern '^\\P{C}*$'"),
        (build_line(description="\ud800"), "not JSON"),
    ],
)
def test_bad_line_is_skipped_with_its_reason(bad, reason):
    counts = import_providers([build_line(9, "good/one"), bad, build_line(10, "good/two")], now=NOW)
    assert (counts.new_count, counts.skipped_lines) == (2, [(2, reason)])


@pytest.mark.every_database
@pytest.mark.parametrize("duplicate", [build_line(2), build_line(1, "acme/other"), build_line(2, "Acme/Rocket")])
def test_provider_named_twice_is_skipped(duplicate):
    counts = import_providers([build_line(), duplicate], now=NOW)
    assert counts.skipped_lines == [(2, "duplicate in the file")]


def test_truncated_file_keeps_the_lines_that_were_read(tmp_path):
    whole = gzip.compress(b"\n".join(build_line(n, f"a/n{n}") for n in range(3000)))
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(whole[: len(whole) // 2])
    out = StringIO()
    err = StringIO()
    call_command("import_registry_providers", path, stdout=out, stderr=err)
    assert "the rest of the file is damaged" in err.getvalue()
    assert 0 < RegistryProvider.objects.count() < 3000


@pytest.mark.every_database
def test_command_reports_counts_and_skipped_lines(tmp_path):
    path = tmp_path / "plain.jsonl"
    path.write_bytes(b"\n".join([build_line(), b"nonsense"]))
    out = StringIO()
    err = StringIO()
    call_command("import_registry_providers", path, stdout=out, stderr=err)
    assert out.getvalue() == "2 lines: 1 new, 0 changed, 0 unchanged, 1 skipped. Total providers: 1.\n"
    assert err.getvalue() == "2 lines read\nline 2 skipped: not JSON\n"


def test_command_reports_a_missing_file(tmp_path):
    with pytest.raises(CommandError, match="Cannot read"):
        call_command("import_registry_providers", tmp_path / "none")


def test_command_refuses_a_file_without_providers(tmp_path):
    path = tmp_path / "README.md"
    path.write_text("# Read me\n\nNo JSON.\n")
    with pytest.raises(CommandError) as error:
        call_command("import_registry_providers", path, stdout=StringIO(), stderr=StringIO())
    assert str(error.value) == f"No provider found in {path}. Enter a file with one JSON object per line."
    assert error.value.returncode == 2


def test_real_registry_is_imported_completely():
    shared = os.environ.get("PORTAL_SHARED")
    if not shared:
        pytest.skip("PORTAL_SHARED does not name the folder with the recorded registry")
    path = Path(shared) / "data" / "registry-extract" / "providers.jsonl.gz"
    out = StringIO()
    call_command("import_registry_providers", path, stdout=out, stderr=StringIO())
    assert out.getvalue().startswith("7,088 lines: 7,088 new, 0 changed, 0 unchanged, 0 skipped.")
