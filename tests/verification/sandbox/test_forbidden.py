"""Where the worker's machine forbids a sandbox, does the page say "not run" with the reason, and never a verdict?"""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.conftest import begin
from tests.house.source import ROOT
from verification.rehearsal import lifecycle_jobs, nomad_jobs
from verification.sandbox import asking
from verification.sandbox.inside import filter

MACHINE = os.uname().machine
CALLS = {  # by name and machine: what makes user namespaces, and what bounds a program
    "unshare": {"x86_64": 272, "aarch64": 97},
    "prlimit64": {"x86_64": 302, "aarch64": 261},
}
WORKER = """
import os, sys
sys.path.insert(0, {root!r})
from verification.sandbox.inside import filter, kernel
filter.DENIED[os.uname().machine] = {{"forbidden": {number}}}
kernel.prctl(kernel.NO_NEW_PRIVS, 1)
filter.install(filter.program(os.uname().machine))
from verification.sandbox.job import main
main()
"""
LIFECYCLE: dict[str, Any] = {
    "version": "1.0.0", "base": "a", "changed": "b", "refused": "", "partial": "", "hosts": (), "secret": "",
    "account": "",
}  # fmt: skip
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(MACHINE not in filter.ARCHITECTURE, reason="no filter for this machine"),
]


@pytest.fixture(params=CALLS)
def forbidding(request: Any, monkeypatch: Any) -> str:
    """The child of the worker, started where the kernel refuses a system call."""
    text = WORKER.format(root=str(ROOT), number=CALLS[request.param][MACHINE])
    monkeypatch.setattr(asking, "COMMAND", [sys.executable, "-I", "-c", text])
    return str(request.param)


def harmless(_row: Any, folder: Path) -> Path:
    path = folder / "program"
    path.write_bytes(b"#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_plugin_is_not_run(forbidding: str, acme: Any, alice: Any, client: Client) -> None:
    found = begin(acme, alice, category="container-runtime", repository="acme/nomad-driver-example", name="Booster")
    given = {"version": "1.0.0", "name": "", "config": ""}
    row = nomad_jobs.begin(found, given, by=alice, now=timezone.now())
    assert nomad_jobs.run_one(row.pk, program=harmless)
    says_not_run(row, client, alice, reverse("nomad_rehearsal", args=[found.uuid]))


def test_lifecycle_is_not_run(forbidding: str, acme: Any, alice: Any, client: Client) -> None:
    found = begin(acme, alice, program="terraform-provider", repository="acme/terraform-provider-example")
    row = lifecycle_jobs.begin(found, LIFECYCLE, by=alice, now=timezone.now())
    assert lifecycle_jobs.run_one(row.pk, program=harmless)
    says_not_run(row, client, alice, reverse("lifecycle", args=[found.uuid]))


def says_not_run(row: Any, client: Client, alice: Any, page: str) -> None:
    row.refresh_from_db()
    assert {each["outcome"] for each in row.verdicts} == {row.outcome} == {"not_run"}
    client.force_login(alice)
    told = client.get(page).content.decode()
    assert "Not run: No sandbox on this worker: " in told
    assert "not permitted" in told
    assert "Passed" not in told
