"""Tests of sandbox environments: visibility, files, sockets, and how programs end."""

import os
import resource
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.codebase.project_files import ROOT
from tests.verification.sandbox.programs import READABLE, list_processes, write_program
from verification.sandbox.environment import open_environment
from verification.sandbox.types import HOME, MEGABYTE, Limits, SandboxUnavailable

LIMITS = Limits(seconds=10, disk=20 * MEGABYTE)
SLEEP_SECONDS = f"60.{os.getpid()}"


def run_script(script):
    """Return the words that a shell script prints."""
    with open_environment(LIMITS) as sandbox:
        result = sandbox.run(["/bin/sh", "-c", script])
    assert result.reason == "finished", result
    return result.stdout.decode().split()


def test_environment_variables_are_not_inherited(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "canary-of-the-environment")
    with open_environment(LIMITS, env={"OWN": "1"}) as sandbox:
        names = {line.split(b"=")[0].decode() for line in sandbox.run(["/usr/bin/env"]).stdout.splitlines()}
    assert names == {"PATH", "HOME", "TMPDIR", "LANG", "USER", "PWD", "OWN"}


def test_value_with_a_nul_character_adds_no_argument():
    value = "1\0--bind\0/\0/mnt"
    with open_environment(LIMITS) as sandbox:
        for arguments, variables in (([], {"OWN": value}), ([value], {})):
            with pytest.raises(ValueError, match=r"^An argument or a variable contains a NUL character\.$"):
                sandbox.run(["/usr/bin/env", *arguments], env=variables)


def test_host_is_hidden():
    expected_names = ["bin", "dev", "etc", "home", "lib", "proc", "project", "sbin", "tmp", "usr"]
    expected_names += [name for name in ("lib32", "lib64", "libx32") if os.path.exists(f"/{name}")]
    assert run_script("ls -A /; ls -A /home") == [*sorted(expected_names), "sandbox"]
    assert run_script("echo $HOME; ls -A /project; ls /proc | grep -c '^[0-9]'")[:1] == [HOME]


def test_program_is_an_ordinary_user_without_capabilities():
    assert run_script("id -u; grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status") == [
        "1000",
        "CapEff:",
        "0000000000000000",
        "NoNewPrivs:",
        "1",
    ]


@pytest.mark.parametrize("command", ["unshare -U true", "mount -t tmpfs none /mnt", "touch /usr/x"])
def test_privileged_command_is_refused(command):
    with open_environment(LIMITS) as sandbox:
        assert sandbox.run(["/bin/sh", "-c", f"{command} && echo done"]).stdout == b""


def test_memory_file_cannot_be_created(tmp_path):
    program = write_program(tmp_path, "memfd", "os.memfd_create('x')")
    with open_environment(LIMITS, files={"memfd": program}, readable=READABLE) as sandbox:
        result = sandbox.run(["/project/memfd"])
    assert (result.exit_code, b"PermissionError" in result.stderr) == (1, True)


def test_background_process_ends_with_the_program():
    with open_environment(LIMITS) as sandbox:
        sandbox.run(["/bin/sh", "-c", f"setsid sleep {SLEEP_SECONDS} & exit 0"])
        assert list_processes(SLEEP_SECONDS) == []


def test_files_persist_between_runs_and_can_be_read(tmp_path):
    input_file = tmp_path / "input"
    input_file.write_text("from the host")
    with open_environment(LIMITS, files={"a/b.txt": b"written, ", "input": input_file}) as sandbox:
        assert sandbox.run(["/bin/cat", "a/b.txt", "input"]).stdout == b"written, from the host"
        assert sandbox.run(["/bin/sh", "-c", "echo more > c; echo no > input"]).exit_code != 0
        assert sandbox.run(["/bin/cat", "c"]).stdout == b"more\n"
        sandbox.write("c", b"from the supervisor")
        assert sandbox.read("c") == b"from the supervisor"
        with pytest.raises(OSError, match="No such file"):
            sandbox.read("missing")
        sandbox.run(["/bin/ln", "-s", "/etc/passwd", "link"])
        with pytest.raises(OSError, match="symbolic links"):
            sandbox.read("link")
    assert input_file.read_text() == "from the host"


def test_first_process_survives_signals_from_inside():
    with open_environment(LIMITS) as sandbox:
        sandbox.run(["/bin/sh", "-c", "kill -9 1; kill -STOP 1"])
        assert sandbox.run(["/bin/echo", "still here"]).stdout == b"still here\n"


def test_missing_program_is_reported():
    with open_environment(LIMITS) as sandbox:
        result = sandbox.run(["/project/missing"])
    assert (result.reason, result.exit_code) == ("finished", 127)
    assert b"execvp /project/missing: No such file or directory" in result.stderr


@pytest.mark.parametrize("output", ["echo started", "echo more >&2"])
def test_forged_error_of_bubblewrap_is_ignored(output):
    with open_environment(LIMITS) as sandbox:
        script = f"echo 'bwrap: execvp x: No such file' >&2; {output}; echo > ready; sleep 60"
        process = sandbox.start(["/bin/sh", "-c", script])
        while process.wait() is None and not has_file(sandbox, "ready"):
            pass
        process._bubblewrap.process.kill()
        assert process.wait(10).reason == "sandbox lost"


def has_file(sandbox, name):
    """Return whether the project folder holds the file."""
    try:
        return sandbox.read(name) is not None
    except FileNotFoundError:
        return False


def test_program_that_cannot_be_monitored_is_stopped():
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with open_environment(LIMITS) as sandbox:
        process = sandbox.start(["/bin/sleep", SLEEP_SECONDS])
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))  # the supervisor can't open more files
            result = process.wait(8)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        assert (result.reason, result.exit_code) == ("sandbox lost", None)
        attempts = 500
        while list_processes(SLEEP_SECONDS) and (attempts := attempts - 1):
            time.sleep(0.01)  # the kernel can kill the program after wait() has returned
        assert list_processes(SLEEP_SECONDS) == []


def test_folder_of_a_killed_supervisor_is_removed_by_the_next():
    script = (
        "from verification.sandbox.environment import open_environment\n"
        "with open_environment() as sandbox: print(sandbox.staging, flush=True); input()"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as supervisor:
        staging = Path(os.fsdecode(supervisor.stdout.readline().strip()))
        supervisor.kill()
    assert staging.exists()
    with open_environment(LIMITS) as sandbox:
        assert (staging.exists(), sandbox.staging.exists()) == (False, True)


def send_hello(process, sandbox, network, address):
    """Send a greeting to the plugin's address and return its answer."""
    with process.open_target(network, address, sandbox.staging) as path, socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall(b"hello")
        return connection.recv(100)


def test_plugin_is_reached_over_a_unix_socket(tmp_path):
    program = write_program(
        tmp_path,
        "echo",
        """
listener = socket.socket(socket.AF_UNIX)
listener.bind("/tmp/in")
listener.listen()
print("1|5|unix|/tmp/in|grpc|", flush=True)
connection = listener.accept()[0]
connection.sendall(connection.recv(100).upper())
time.sleep(60)
""",
    )
    with open_environment(LIMITS, files={"echo": program}, readable=READABLE) as sandbox:
        process = sandbox.start(["/project/echo"])
        assert process.read_line(5) == b"1|5|unix|/tmp/in|grpc|"
        assert send_hello(process, sandbox, "unix", "/tmp/in") == b"HELLO"
        assert process.wait() is None
        assert process.stop().reason == "stopped by us"


def test_plugin_is_reached_over_tcp(tmp_path):
    program = write_program(
        tmp_path,
        "echo",
        """
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
connection = listener.accept()[0]
connection.sendall(connection.recv(100).upper())
time.sleep(60)
""",
    )
    with open_environment(LIMITS, files={"echo": program}, readable=READABLE) as sandbox:
        process = sandbox.start(["/project/echo"])
        address = f"127.0.0.1:{process.read_line(5).decode()}"
        assert send_hello(process, sandbox, "tcp", address) == b"HELLO"
        assert process.stop().reason == "stopped by us"


def test_plugin_address_with_an_invalid_port_leads_nowhere():
    with open_environment(LIMITS) as sandbox:
        process = sandbox.start(["/bin/sleep", "60"])
        with pytest.raises(FileNotFoundError):
            send_hello(process, sandbox, "tcp", "127.0.0.1:http")
        process.stop()


@pytest.mark.parametrize("link", ["ln -s {path} /tmp/in", "ln -s {folder} /tmp/folder; ln -s folder/host /tmp/in"])
def test_plugin_address_cannot_lead_to_a_socket_of_the_host(link, tmp_path):
    host_path = tmp_path / "host"
    with socket.socket(socket.AF_UNIX) as host_socket, open_environment(LIMITS) as sandbox:
        host_socket.bind(str(host_path))
        host_socket.listen()
        process = sandbox.start(
            ["/bin/sh", "-c", f"{link.format(path=host_path, folder=tmp_path)}; echo done; sleep 60"]
        )
        assert process.read_line(5) == b"done"
        for address in ("/tmp/in", str(host_path), "/tmp/folder/host", f"../..{host_path}"):
            with (
                process.open_target("unix", address, sandbox.staging) as path,
                socket.socket(socket.AF_UNIX) as connection,
                pytest.raises(FileNotFoundError),
            ):
                connection.connect(path)
        process.stop()


@pytest.mark.skipif(not os.statvfs("/proc").f_flag & os.ST_NOEXEC, reason="no file system is mounted with noexec")
def test_file_on_a_noexec_mount_makes_the_sandbox_unavailable():
    with (
        pytest.raises(SandboxUnavailable, match="mounted with noexec"),
        open_environment(LIMITS, files={"program": Path("/proc/version")}),
    ):
        pass


def test_readable_folder_below_tmp_cannot_be_replaced(tmp_path):
    folder = tmp_path / "readable"
    target = tmp_path / "target"
    for each in (folder, target):
        each.mkdir()
    (folder / "file").write_text("seen")
    if tmp_path.parts[:2] != ("/", "tmp"):
        pytest.skip("the temporary folder is not below /tmp")
    with open_environment(LIMITS, readable=[folder]) as sandbox:
        assert sandbox.run(["/bin/cat", str(folder / "file")]).stdout == b"seen"
        assert sandbox.run(["/bin/cat", str(folder / "file")]).stdout == b"seen"
        sandbox.run(
            ["/bin/sh", "-c", f"mv /tmp/{tmp_path.parts[2]} /tmp/gone; ln -s {target} /tmp/{tmp_path.parts[2]}"]
        )
        with pytest.raises(SandboxUnavailable, match="has changed the place"):
            sandbox.run(["/bin/true"])
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "readable", "target"]
