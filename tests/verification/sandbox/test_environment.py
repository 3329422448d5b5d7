"""Environments: the view from inside, files, sockets, and the end of programs."""

import os
import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source import ROOT
from tests.verification.sandbox.programs import READABLE, list_processes, write_program
from verification.sandbox.environment import open_environment
from verification.sandbox.types import HOME, MEGABYTE, Limits, SandboxUnavailable

LIMITS = Limits(seconds=10, disk=20 * MEGABYTE)
NAP = f"60.{os.getpid()}"


def run_script(script):
    """Return the words that a shell script prints."""
    with open_environment(LIMITS) as sandbox:
        result = sandbox.run(["/bin/sh", "-c", script])
    assert result.reason == "finished", result
    return result.stdout.decode().split()


def test_nothing_of_the_environment_comes_along(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "canary-of-the-environment")
    with open_environment(LIMITS, env={"OWN": "1"}) as sandbox:
        names = {line.split(b"=")[0].decode() for line in sandbox.run(["/usr/bin/env"]).stdout.splitlines()}
    assert names == {"PATH", "HOME", "TMPDIR", "LANG", "USER", "PWD", "OWN"}


def test_host_is_hidden():
    there = ["bin", "dev", "etc", "home", "lib", "proc", "project", "sbin", "tmp", "usr"]
    there += [name for name in ("lib32", "lib64", "libx32") if os.path.exists(f"/{name}")]
    assert run_script("ls -A /; ls -A /home") == [*sorted(there), "sandbox"]
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
def test_what_widens_its_rights_is_refused(command):
    with open_environment(LIMITS) as sandbox:
        assert sandbox.run(["/bin/sh", "-c", f"{command} && echo done"]).stdout == b""


def test_memory_file_cannot_be_made(tmp_path):
    program = write_program(tmp_path, "memfd", "os.memfd_create('x')")
    with open_environment(LIMITS, files={"memfd": program}, readable=READABLE) as sandbox:
        result = sandbox.run(["/project/memfd"])
    assert (result.exit_code, b"PermissionError" in result.stderr) == (1, True)


def test_process_that_hides_ends_with_the_program():
    with open_environment(LIMITS) as sandbox:
        sandbox.run(["/bin/sh", "-c", f"setsid sleep {NAP} & exit 0"])
        assert list_processes(NAP) == []


def test_files_come_in_stay_between_runs_and_come_out(tmp_path):
    input_file = tmp_path / "given"
    input_file.write_text("given")
    with open_environment(LIMITS, files={"a/b.txt": b"written", "given": input_file}) as sandbox:
        assert sandbox.run(["/bin/cat", "a/b.txt", "given"]).stdout == b"writtengiven"
        assert sandbox.run(["/bin/sh", "-c", "echo more > c; echo no > given"]).exit_code != 0
        assert sandbox.run(["/bin/cat", "c"]).stdout == b"more\n"
        sandbox.write("c", b"ours")
        assert sandbox.read("c") == b"ours"
        with pytest.raises(OSError, match="No such file"):
            sandbox.read("missing")
        sandbox.run(["/bin/ln", "-s", "/etc/passwd", "link"])
        with pytest.raises(OSError, match="symbolic links"):
            sandbox.read("link")
    assert input_file.read_text() == "given"


def test_first_process_outlives_anyone_who_wants_it_dead():
    with open_environment(LIMITS) as sandbox:
        sandbox.run(["/bin/sh", "-c", "kill -9 1; kill -STOP 1"])
        assert sandbox.run(["/bin/echo", "still here"]).stdout == b"still here\n"


def test_what_cannot_be_started_says_so():
    with open_environment(LIMITS) as sandbox:
        result = sandbox.run(["/project/missing"])
    assert (result.reason, result.exit_code) == ("finished", 127)
    assert b"execvp /project/missing: No such file or directory" in result.stderr


@pytest.mark.parametrize("output", ["echo started", "echo more >&2"])
def test_failure_that_a_program_prints_in_the_name_of_bubblewrap_is_not_believed(output):
    with open_environment(LIMITS) as sandbox:
        script = f"echo 'bwrap: execvp x: No such file' >&2; {output}; echo > ready; sleep 60"
        process = sandbox.start(["/bin/sh", "-c", script])
        while process.result is None and not has_file(sandbox, "ready"):
            pass
        process._bubblewrap.process.kill()
        assert process.wait(10).reason == "sandbox lost"


def has_file(sandbox, name):
    """Return whether the project folder holds the file."""
    try:
        return sandbox.read(name) is not None
    except FileNotFoundError:
        return False


def test_program_that_cannot_be_watched_is_ended():
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with open_environment(LIMITS) as sandbox:
        process = sandbox.start(["/bin/sleep", NAP])
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))  # the supervisor can open nothing more
            result = process.wait(8)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        assert (result.reason, result.exit_code) == ("sandbox lost", None)
        assert list_processes(NAP) == []


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


def test_long_running_program_is_stopped(tmp_path):
    program = write_program(
        tmp_path,
        "echo",
        """
listening = socket.socket(socket.AF_UNIX)
listening.bind("/tmp/in")
listening.listen()
print("1|5|unix|/tmp/in|grpc|", flush=True)
near = listening.accept()[0]
near.sendall(near.recv(100).upper())
time.sleep(60)
""",
    )
    with open_environment(LIMITS, files={"echo": program}, readable=READABLE) as sandbox:
        process = sandbox.start(["/project/echo"])
        assert process.read_line(5) == b"1|5|unix|/tmp/in|grpc|"
        with process.open_target("unix", "/tmp/in", sandbox.staging) as path, socket.socket(socket.AF_UNIX) as ours:
            ours.connect(path)
            ours.sendall(b"hello")
            assert ours.recv(100) == b"HELLO"
        assert process.result is None
        assert process.stop().reason == "stopped by us"


def test_plugin_is_reached_over_tcp(tmp_path):
    program = write_program(
        tmp_path,
        "echo",
        """
listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
near = listening.accept()[0]
near.sendall(near.recv(100).upper())
time.sleep(60)
""",
    )
    with open_environment(LIMITS, files={"echo": program}, readable=READABLE) as sandbox:
        process = sandbox.start(["/project/echo"])
        address = f"127.0.0.1:{process.read_line(5).decode()}"
        with process.open_target("tcp", address, sandbox.staging) as path, socket.socket(socket.AF_UNIX) as ours:
            ours.connect(path)
            ours.sendall(b"hello")
            assert ours.recv(100) == b"HELLO"
        assert process.stop().reason == "stopped by us"


@pytest.mark.parametrize("link", ["ln -s {place} /tmp/in", "ln -s {folder} /tmp/folder; ln -s folder/ours /tmp/in"])
def test_socket_of_the_machine_is_not_reached_through_a_plugins_address(link, tmp_path):
    place = tmp_path / "ours"
    with socket.socket(socket.AF_UNIX) as mine, open_environment(LIMITS) as sandbox:
        mine.bind(str(place))
        mine.listen()
        process = sandbox.start(["/bin/sh", "-c", f"{link.format(place=place, folder=tmp_path)}; echo done; sleep 60"])
        assert process.read_line(5) == b"done"
        for address in ("/tmp/in", str(place), "/tmp/folder/ours", f"../..{place}"):
            with (
                process.open_target("unix", address, sandbox.staging) as path,
                socket.socket(socket.AF_UNIX) as ours,
                pytest.raises(FileNotFoundError),
            ):
                ours.connect(path)
        process.stop()


@pytest.mark.skipif(not os.statvfs("/proc").f_flag & os.ST_NOEXEC, reason="no file system with noexec is at hand")
def test_file_that_cannot_be_started_is_our_fault():
    with (
        pytest.raises(SandboxUnavailable, match="mounted with noexec"),
        open_environment(LIMITS, files={"program": Path("/proc/version")}),
    ):
        pass


def test_readable_folder_below_tmp_is_seen_and_cannot_be_swapped(tmp_path):
    folder, target = tmp_path / "readable", tmp_path / "target"
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
