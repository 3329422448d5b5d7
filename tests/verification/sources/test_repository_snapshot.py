"""Tests of what is read from the files of a repository."""

from collections.abc import Callable

import pytest

from tests.verification.checks.fake_sources import build_snapshot
from verification.sources.repository_snapshot import (
    collect_resource_files,
    find_abrupt_calls,
    get_test_path,
    has_test_command,
    is_nightly,
    list_client_candidates,
    list_cron_schedules,
    parse_go_mod,
)

GO_MOD = """module github.com/acme/terraform-provider-rocket

go 1.22.0
toolchain go1.23

require github.com/hashicorp/terraform-plugin-framework v1.4.0
require (
\tgithub.com/hashicorp/terraform-plugin-testing v1.5.1
\tgithub.com/acme/rocket-go v0.3.0+incompatible // a comment
\tgolang.org/x/net v0.1.0 // indirect
)
replace (
\tgithub.com/a/b v1.0.0 => github.com/c/d v1.0.1
)
exclude github.com/x/y v1.2.3
"""


def test_go_mod_lists_direct_dependencies() -> None:
    go_mod = parse_go_mod(GO_MOD)
    assert (go_mod.path, go_mod.go) == ("github.com/acme/terraform-provider-rocket", "1.22.0")
    assert dict(go_mod.requires) == {
        "github.com/hashicorp/terraform-plugin-framework": "1.4.0",
        "github.com/hashicorp/terraform-plugin-testing": "1.5.1",
        "github.com/acme/rocket-go": "0.3.0+incompatible",
    }
    assert list_client_candidates(go_mod) == ("github.com/acme/rocket-go",)


@pytest.mark.parametrize("text", ["", "nonsense", "require (", "\x00" * 100, "module"])
def test_invalid_go_mod_has_no_dependencies(text: str) -> None:
    assert parse_go_mod(text).requires == {}


@pytest.mark.parametrize(
    ("workflow", "expected"),
    [
        ("on:\n  schedule:\n    - cron: '0 2 * * *'\n", ("0 2 * * *",)),
        ('on:\n  schedule:\n    - cron: "30 1 * * 1-5"  # nightly\n', ("30 1 * * 1-5",)),
        ("on:\n  schedule:\n  - cron:  0  2  *  *  *\n", ("0 2 * * *",)),
        ("on:\n  schedule:\n    # - cron: '0 2 * * *'\n", ()),
        ("on: push\n", ()),
        ("cron: '@daily'\n", ()),
    ],
)
def test_cron_schedules_are_listed(workflow: str, expected: tuple[str, ...]) -> None:
    assert list_cron_schedules(workflow) == expected


@pytest.mark.parametrize(
    ("cron", "expected"),
    [
        ("0 2 * * *", True),
        ("0 */6 * * *", True),
        ("0 2 * * 1-5", True),
        ("0 2 * * MON-FRI", True),
        ("0 2 * * 0", False),
        ("0 2 1 * *", False),
        ("0 2 * 1 *", False),
    ],
)
def test_nightly_schedule_is_recognized(cron: str, expected: bool) -> None:
    assert is_nightly(cron) is expected


@pytest.mark.parametrize(
    ("workflow", "expected"),
    [("run: go test ./...", True), ("run: make testacc", True), ("TF_ACC: 1", True), ("run: go build", False)],
)
def test_test_command_is_recognized(workflow: str, expected: bool) -> None:
    assert has_test_command(workflow) is expected


def test_resource_files_are_found_by_name() -> None:
    resource_files = collect_resource_files(
        build_snapshot(
            {
                "internal/resource_server.go": "",
                "internal/resource_server_test.go": "",
                "internal/disk_resource.go": "",
                "vendor/x/resource_other.go": "",
                "provider.go": "",
                "resource.go": "",
            }
        )
    )
    assert sorted(resource_files) == ["disk", "server"]
    assert get_test_path(resource_files["server"]) == "internal/resource_server_test.go"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('package a\n\nfunc a() { panic("x") }\n', ("panic at line 3",)),
        ("os.Exit(1)\nlog.Fatalf(1)", ("os.Exit at line 1", "log.Fatalf at line 2")),
        ("// panic(1)\n/* os.Exit(1)\n*/\nx := 1", ()),
        ('s := "panic(1)"', ()),
        ("r.panic(1)\nmypanic(2)", ()),
        ("/* open", ()),
        ('s := "\u2028"\r\npanic(s)\r\n', ("panic at line 2",)),
    ],
)
def test_abrupt_calls_are_found(text: str, expected: tuple[str, ...]) -> None:
    assert find_abrupt_calls(text) == expected


# bin/bench limits measures these: a reader that backtracks would take minutes
HOSTILE_TEXTS = ("/*" * 200_000, "a." * 200_000, " " * 400_000, "\n" * 400_000, "make " * 80_000)
READERS: tuple[Callable[[str], object], ...] = (parse_go_mod, list_cron_schedules, find_abrupt_calls, has_test_command)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=range(len(HOSTILE_TEXTS)))
def test_hostile_text_has_no_results(read: Callable[[str], object], text: str) -> None:
    assert read(text) == read("")
