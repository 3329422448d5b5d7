"""Tests of a worker that can't run a sandbox: the page says "not run" with the reason, and never a verdict."""

import os
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.codebase.project_files import ROOT
from tests.conftest import create_integration
from verification.sandbox import bubblewrap, client
from verification.testruns import services

WORKER = f"import sys; sys.path.insert(0, {str(ROOT)!r}); {{}}\nfrom verification.sandbox.worker import main; main()"
WHOLE_HOST = ["--dev-bind", "/", "/", "--die-with-parent"]
WITHOUT_PACKAGE = "from verification.sandbox import bubblewrap; bubblewrap.bwrap_path = None"
OTHER_MACHINE = "from verification.sandbox import environment; environment.FILTERS = environment.Path('/nowhere')"
NO_WATCHES = """
import ctypes
with open("/proc/sys/user/max_inotify_instances", "w") as file: file.write("0")
ctypes.CDLL(None).prctl(47, 4, 0, 0, 0)  # PR_CAP_AMBIENT_CLEAR_ALL: bubblewrap starts without capabilities
"""
FORBIDDEN = "Creating new namespace failed"
# what is missing: (bubblewrap's arguments for the worker, code that the worker runs first, variables, the reason)
MACHINES: dict[str, tuple[list[str], str, dict[str, str], str]] = {
    "user namespaces": (
        ["--unshare-user", "--disable-userns", *WHOLE_HOST, "--cap-drop", "ALL"],
        "pass",
        {},
        FORBIDDEN,
    ),
    "capabilities": (["--unshare-user", "--uid", "0", *WHOLE_HOST, "--cap-drop", "ALL"], "pass", {}, FORBIDDEN),
    "an open /proc": (
        ["--unshare-user", "--uid", "1000", *WHOLE_HOST, "--tmpfs", "/proc/tty", "--cap-drop", "ALL"],
        "pass",
        {},
        "Can't mount proc",
    ),
    "watches": (
        ["--unshare-user", "--uid", "1000", *WHOLE_HOST, "--cap-add", "ALL"],
        NO_WATCHES,
        {},
        "files cannot be watched",
    ),
    "bubblewrap": ([], WITHOUT_PACKAGE, {"PATH": ""}, "bubblewrap is not installed"),
    "util-linux": ([], "pass", {"PATH": ""}, "nsenter is not installed"),
    "a filter": ([], OTHER_MACHINE, {}, f"there is no system call filter for {os.uname().machine}"),
}
LIFECYCLE: dict[str, Any] = {
    "version": "1.0.0",
    "base": 'resource "example_server" "one" {}',
    "changed": "",
    "failing_change": "",
    "refused": "",
    "partial": "",
    "hosts": "",
    "secret": "",
    "account": "",
}
pytestmark = [pytest.mark.any_database, pytest.mark.django_db(transaction=True)]


@pytest.fixture(params=MACHINES)
def reason(request: Any, monkeypatch: Any) -> str:
    """Simulate a machine that lacks something. Return the expected reason."""
    arguments, setup, variables, reason = MACHINES[request.param]
    command = [sys.executable, "-I", "-c", WORKER.format(setup)]
    program = [str(bubblewrap.find_bubblewrap()), *arguments, "--"] if arguments else []
    monkeypatch.setattr(client, "COMMAND", [*program, *command])
    monkeypatch.setattr(client, "VARIABLES", client.VARIABLES | variables)
    return reason


def write_program(_row: Any, folder: Path) -> Path:
    path = folder / "program"
    path.write_bytes(b"#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_plugin_test_is_not_run(reason: str, acme: Any, alice: Any, client: Client) -> None:
    integration = create_integration(
        acme, alice, category="container-runtime", repository="acme/nomad-driver-example", name="Booster"
    )
    row = services.start_test_run(
        "nomad_plugin", integration, {"version": "1.0.0", "name": "", "config": ""}, actor=alice, now=timezone.now()
    )
    services.execute_test_run(row.pk, program_fetcher=write_program)
    assert_not_run(row, reason, client, alice, reverse("testruns:nomad_plugin", args=[integration.uuid]))


@pytest.mark.parametrize("reason", ["bubblewrap"], indirect=True)
def test_lifecycle_test_is_not_run(reason: str, acme: Any, alice: Any, client: Client) -> None:
    integration = create_integration(
        acme, alice, program="terraform-provider", repository="acme/terraform-provider-example"
    )
    row = services.start_test_run("provider_lifecycle", integration, LIFECYCLE, actor=alice, now=timezone.now())
    services.execute_test_run(row.pk, program_fetcher=write_program)
    assert_not_run(row, reason, client, alice, reverse("testruns:provider_lifecycle", args=[integration.uuid]))


def assert_not_run(row: Any, reason: str, client: Client, alice: Any, page: str) -> None:
    row.refresh_from_db()
    assert {each["outcome"] for each in row.results} == {row.outcome} == {"not_run"}
    client.force_login(alice)
    text = unescape(client.get(page).content.decode())
    assert f"Not run: No sandbox on this worker: {reason}" in text
    assert "Passed" not in text
