"""Tests of sandbox jobs in a child process and in the sandbox service."""

import json
import os
import sys
import tempfile
import threading
from io import BytesIO
from pathlib import Path

import pytest

from tests.verification.sandbox.programs import READABLE, write_program
from verification.sandbox import client
from verification.sandbox.client import SandboxProtocolError
from verification.sandbox.server import listen
from verification.sandbox.types import SandboxUnavailable
from verification.sandbox.worker import run_job

TARGET_FIELDS = {
    "source": "acme/example",
    "version": "1.0.0",
    "via": "direct",
    "readable": [str(path) for path in READABLE],
}


@pytest.fixture
def provider(tmp_path):
    return write_program(tmp_path, "provider", "print('1|4|unix|/tmp/p|grpc|', flush=True); time.sleep(60)")


@pytest.fixture
def service(tmp_path):
    with listen(tmp_path / "socket") as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield tmp_path / "socket"
        server.shutdown()


def list_jobs():
    """Return the ID and environment of each child process that runs a job."""
    environments = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            is_child = f"PPid:\t{os.getpid()}\n" in Path(f"/proc/{pid}/status").read_text()
            if is_child and b"verification.sandbox.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                environments.append((pid, Path(f"/proc/{pid}/environ").read_bytes()))
        except OSError:
            continue
    return environments


def replace_with_silent_program(provider):
    """Replace the program with one that prints nothing."""
    return write_program(provider.parent, provider.name, "time.sleep(60)")


def test_child_process_does_not_inherit_the_environment(provider, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "canary-of-the-portal")
    job_processes = []
    messages = []

    def report(progress):
        messages.append(progress["message"])
        job_processes.extend(list_jobs())

    answer = client.run_job("schema", TARGET_FIELDS, provider, report=report)
    assert [(one["key"], one["read"]) for one in answer["readings"]] == [("version", False)]
    assert messages == ["Reading the schema from the provider"]
    assert [b"canary" in environment for _, environment in job_processes] == [False]
    assert list_jobs() == []


def test_sandbox_service_runs_the_program(provider, service):
    answer = client.run_job("schema", TARGET_FIELDS, provider, service=str(service))
    assert [one["key"] for one in answer["readings"]] == ["version"]
    assert service.stat().st_mode & 0o777 == 0o660


def test_job_without_a_provider_source_is_refused(provider):
    with pytest.raises(ValueError, match="Pass its address with --source"):
        client.run_job("schema", TARGET_FIELDS | {"source": ""}, provider)


def test_unknown_job_kind_is_a_protocol_error(provider):
    with pytest.raises(SandboxProtocolError) as error:
        client.run_job("no such kind", {}, provider)
    assert str(error.value) == "An error on our side stopped the sandbox."
    assert "KeyError: 'no such kind'" in str(error.value.__cause__)


def test_temporary_files_are_deleted_before_the_answer(provider, tmp_path, monkeypatch):
    class RecordingOutput(BytesIO):
        def write(self, line):
            leftover_names.append([each.name for each in folder.iterdir()])
            return super().write(line)

    folder = tmp_path / "temporary"
    leftover_names = []
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    size = provider.stat().st_size
    order = {"kind": "schema", "arguments": TARGET_FIELDS, "size": size}
    run_job(BytesIO(json.dumps(order).encode() + b"\n" + provider.read_bytes()), RecordingOutput())
    assert (len(leftover_names[0]), leftover_names[-1]) == (1, [])


def test_job_over_its_time_limit_is_stopped(provider):
    job_processes = []
    with pytest.raises(SandboxProtocolError, match="took too long"):
        client.run_job(
            "schema",
            TARGET_FIELDS,
            replace_with_silent_program(provider),
            seconds=15,  # a busy machine needs several to start the process
            report=lambda _: job_processes.extend(list_jobs()),
        )
    ((pid, _),) = job_processes
    assert (list_jobs(), list(Path("/tmp").glob(f"*-{pid}-*"))) == ([], [])


def test_incomplete_answer_is_a_protocol_error(provider, monkeypatch):
    monkeypatch.setattr(client, "COMMAND", [sys.executable, "-c", "print('{\"answer\": {', end='')"])
    with pytest.raises(SandboxProtocolError, match="ended without an answer"):
        client.run_job("schema", {}, provider)


def test_file_above_the_limit_is_refused():
    job = {"kind": "schema", "arguments": {}, "size": 3 * 1024**3}
    response = BytesIO()
    run_job(BytesIO(json.dumps(job).encode() + b"\n"), response)
    assert json.loads(response.getvalue()) == {"refused": "A file is larger than 2 GiB."}


def test_sandbox_is_unavailable_without_service(provider, tmp_path):
    with pytest.raises(SandboxUnavailable, match="its service does not answer"):
        client.run_job("schema", TARGET_FIELDS, provider, service=str(tmp_path / "nowhere"))
