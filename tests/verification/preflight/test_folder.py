"""Tests of preflight on a folder: which checks run, and which files they read."""

import io
import json
import os
import socket
from dataclasses import replace

import pytest

from integrations.programs.registry import PROGRAMS
from tests.codebase.project_files import ROOT
from tests.fakes.github.server import Repo
from verification.checks import execution
from verification.checks.types import CHECKS
from verification.preflight import checkout_sources
from verification.preflight.checkout_sources import CheckoutGitHub, CheckoutSources
from verification.preflight.cli import main
from verification.sources import Sources
from verification.sources.errors import AccessDeniedError, UnsupportedBySourceError

NAME = "acme/terraform-provider-rocket"
PROGRAM = PROGRAMS["terraform-provider"]
SUBJECT = replace(execution.build_subject(PROGRAM, PROGRAM.editions[-1], NAME), tag="HEAD")
FILES = {
    "LICENSE": (ROOT / "verification/licenses/data/texts/MPL-2.0.txt").read_text(),
    "main.go": "package main\n\nfunc main() {\n\tserve()\n}\n",
    "go.mod": "module github.com/acme/terraform-provider-rocket\n\ngo 1.24\n\nrequire (\n"
    "\tgithub.com/hashicorp/terraform-plugin-framework v1.15.0\n\tgithub.com/acme/rocket-go v1.0.0\n)\n",
    "internal/provider/resource_engine.go": "package provider\n\nfunc engine() {\n\tpanic(1)\n}\n",
    "internal/provider/resource_engine_test.go": "package provider\n\nfunc TestAccEngine(t *testing.T) {\n}\n",
}


@pytest.fixture
def no_network(monkeypatch):
    def refuse_connection(*_args, **_kwargs):
        raise AssertionError("unexpected connection")

    monkeypatch.setattr(socket.socket, "connect", refuse_connection)
    monkeypatch.setattr(socket, "getaddrinfo", refuse_connection)


@pytest.fixture
def checkout(tmp_path):
    """A folder with the files of a provider."""
    for path, content in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    return tmp_path


def run_json_preflight(*arguments):
    out = io.StringIO()
    code = main(["terraform-provider", NAME, "--format", "json", *map(str, arguments)], out, io.StringIO())
    return code, json.loads(out.getvalue())


@pytest.mark.parametrize("key", sorted(CHECKS))
def test_check_of_an_empty_folder_passes_nothing(key, tmp_path, no_network):
    """Checks that can't read anything are not run; only checks that need nothing may pass."""
    result = checkout_sources.run_checkout_checks([key], SUBJECT, tmp_path, lambda key: None)[key]
    nothing_asked = ("This program asks for no", "This program accepts any language")
    assert result.outcome != "pass" or result.summary.startswith(nothing_asked)
    assert result.outcome != "error"


def test_license_is_read_from_the_folder(checkout, no_network):
    code, report = run_json_preflight("--path", checkout, "--only", "repository.license")
    assert (code, report["folder"]) == (0, str(checkout))
    assert report["checks"][0]["summary"] == "MPL-2.0 is on the program's list."
    evidence_values = {item["label"]: item["value"] for item in report["checks"][0]["evidence"]}
    assert list(evidence_values) == ["LICENSE", "License according to GitHub", "Accepted by the program"]
    assert evidence_values["License according to GitHub"] == "not requested with --path"
    (checkout / "LICENSE").write_text("Commons Clause")
    assert run_json_preflight("--path", checkout, "--only", "repository.license")[0] != 0


@pytest.mark.github
def test_results_of_a_folder_equal_those_from_github(checkout, github, registry):
    """A check of a folder returns the same result as from GitHub."""
    github.seed(Repo(NAME))
    commit = [github.commit_file(NAME, path, content) for path, content in FILES.items()][-1]
    subject = replace(SUBJECT, tag=commit)
    folder_results = checkout_sources.run_checkout_checks(sorted(CHECKS), SUBJECT, checkout, lambda key: None)
    decided_keys = [key for key, result in folder_results.items() if result.outcome in ("pass", "warn", "fail")]
    assert {"repository.license", "guide.main", "guide.errors", "guide.resources"} <= set(decided_keys)
    github_results = execution.run_checks(decided_keys, subject, Sources())
    for key in decided_keys:
        assert (key, folder_results[key].outcome, folder_results[key].summary) == (
            key,
            github_results[key].outcome,
            github_results[key].summary,
        )


def test_source_that_a_folder_lacks_is_refused(tmp_path):
    sources = CheckoutSources(tmp_path)
    for read_source in (
        lambda: sources.github.list_releases("acme/rocket"),
        lambda: sources.github.get_repository("acme/rocket").name,
        lambda: sources.registry.provider("acme", "rocket"),
        lambda: sources.web.get,
        lambda: sources.anything,
    ):
        with pytest.raises(UnsupportedBySourceError, match="--path"):
            read_source()


@pytest.mark.parametrize("output_format", ["text", "json", "sarif", "junit", "github"])
def test_file_name_that_is_not_utf_8_is_printed_with_a_replacement(tmp_path, no_network, output_format):
    (tmp_path / os.fsdecode(b"LICENSE-\xff")).write_text("Mozilla Public License Version 2.0\n")
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    arguments = ["--path", str(tmp_path), "--only", "repository.license", "--format", output_format]
    assert main(["terraform-provider", NAME, *arguments], out, io.StringIO()) == 3


def test_files_outside_the_folder_are_not_read(checkout, tmp_path_factory):
    """Links, pipes, and folders of tools are not read."""
    secret = tmp_path_factory.mktemp("elsewhere") / "secret.go"
    secret.write_text("secret")
    (checkout / "link.go").symlink_to(secret)
    (checkout / "linked").symlink_to(secret.parent)
    os.mkfifo(checkout / "pipe.go")
    for name in (".git", "node_modules", ".terraform"):
        (checkout / name).mkdir()
        (checkout / name / "inside.go").write_text("")
    code = CheckoutGitHub(checkout).get_snapshot(NAME, "HEAD")
    assert [file.path for file in code.files] == sorted(FILES)
    for name in ("link.go", "pipe.go"):
        with pytest.raises(AccessDeniedError, match=name):
            checkout_sources.read_text(checkout / name, name)


def test_large_file_is_not_read(checkout):
    with (checkout / "large.go").open("wb") as file:
        file.truncate(10**12)
    code = CheckoutGitHub(checkout).get_snapshot(NAME, "HEAD")
    with pytest.raises(UnsupportedBySourceError, match="larger than 512 KiB"):
        code.read_text("large.go")


def test_folder_with_too_many_files_is_truncated(checkout, monkeypatch):
    monkeypatch.setattr(checkout_sources, "MAX_FILES", 3)
    code = CheckoutGitHub(checkout).get_snapshot(NAME, "HEAD")
    assert (len(code.files), code.is_truncated) == (3, True)


def test_check_of_an_unreadable_folder_is_not_decided(checkout, no_network):
    folder = os.open(checkout, os.O_RDONLY)
    for _ in range(25):  # a path that is too long for the system
        os.mkdir("x" * 200, dir_fd=folder)
        inner = os.open("x" * 200, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    _code, report = run_json_preflight("--path", checkout, "--only", "guide.main")
    assert [check["outcome"] for check in report["checks"]] == ["error"]
    assert "cannot be read: File name too long." in report["checks"][0]["summary"]


@pytest.mark.parametrize(
    ("head", "refs", "commit"),
    [
        ("a" * 40, {}, "a" * 40),
        ("ref: refs/heads/main\n", {"refs/heads/main": "b" * 40 + "\n"}, "b" * 40),
        ("ref: refs/heads/main\n", {}, "local"),
        ("ref: refs/heads/../../../secret\n", {}, "local"),
        ("nonsense", {}, "local"),
        (None, {}, "local"),
    ],
)
def test_checked_out_commit_is_read(tmp_path, head, refs, commit):
    git = tmp_path / ".git"
    git.mkdir()
    (tmp_path / "secret").write_text("c" * 40)
    if head is not None:
        (git / "HEAD").write_text(head)
    for name, content in refs.items():
        (git / name).parent.mkdir(parents=True, exist_ok=True)
        (git / name).write_text(content)
    assert checkout_sources.read_commit(tmp_path) == commit
