"""What does a program find in a room, and what not? And what comes out of it?"""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.verification.sandbox.programs import PYTHON, READABLE, written
from verification.sandbox.base import HOME, MEGABYTE, Limits
from verification.sandbox.room import open_room

ROOT = Path(__file__).resolve().parents[3]
LIMITS = Limits(seconds=10, disk=20 * MEGABYTE)


def said(script, **given):
    with open_room(LIMITS, **given) as room:
        outcome = room.run(["/bin/sh", "-c", script])
    assert outcome.kind == "finished", outcome
    return outcome.stdout.decode().split()


def test_nothing_of_the_environment_comes_along(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "canary-of-the-environment")
    with open_room(LIMITS, env={"OWN": "1"}) as room:
        names = {line.split(b"=")[0].decode() for line in room.run(["/usr/bin/env"]).stdout.splitlines()}
    assert names == {"PATH", "HOME", "TMPDIR", "LANG", "USER", "OWN"}


def test_the_machine_is_not_to_be_seen():
    there = ["bin", "dev", "etc", "home", "lib", "proc", "project", "run", "sbin", "tmp", "usr"]
    there += [name for name in ("lib32", "lib64", "libx32") if os.path.exists(f"/{name}")]
    assert said("ls -A /; ls -A /home") == [*sorted(there), "sandbox"]
    assert said("echo $HOME; ls -A /project; ls /proc | grep -c '^[0-9]'")[:1] == [HOME]


def test_a_program_is_an_ordinary_user_without_capabilities():
    assert said("id -u; grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status") == [
        "1000", "CapEff:", "0000000000000000", "NoNewPrivs:", "1",
    ]  # fmt: skip


@pytest.mark.parametrize("command", ["unshare -U true", "mount -t tmpfs none /mnt", "touch /usr/x"])
def test_what_widens_its_rights_is_refused(command):
    with open_room(LIMITS) as room:
        assert room.run(["/bin/sh", "-c", f"{command} && echo done"]).stdout == b""


def test_memory_that_no_limit_counts_cannot_be_had(tmp_path):
    program = written(tmp_path, "memfd", "os.memfd_create('x')")
    with open_room(LIMITS, files={"memfd": program}, readable=READABLE) as room:
        outcome = room.run(["/project/memfd"])
    assert (outcome.code, b"PermissionError" in outcome.stderr) == (1, True)


def test_a_process_that_hides_ends_with_the_program():
    with open_room(LIMITS) as room:
        room.run(["/bin/sh", "-c", "setsid sleep 60 & exit 0"])
        assert room.run(["/bin/sh", "-c", "ls /proc | grep -c '^[0-9]'"]).stdout.strip() in (b"3", b"4")


def test_files_come_in_stay_between_runs_and_come_out(tmp_path):
    given = tmp_path / "given"
    given.write_text("given")
    with open_room(LIMITS, files={"a/b.txt": b"written", "given": given}) as room:
        assert room.run(["/bin/cat", "a/b.txt", "given"]).stdout == b"writtengiven"
        assert room.run(["/bin/sh", "-c", "echo more > c; echo no > given"]).code != 0
        assert room.run(["/bin/cat", "c"]).stdout == b"more\n"
        room.write("c", b"ours")
        assert room.read("c") == b"ours"
        with pytest.raises(OSError, match="no such file"):
            room.read("missing")
        room.run(["/bin/ln", "-s", "/etc/passwd", "link"])
        with pytest.raises(OSError, match="outside the working folder"):
            room.read("link")
    assert given.read_text() == "given"


def test_the_first_process_outlives_whoever_wants_it_dead():
    with open_room(LIMITS) as room:
        room.run(["/bin/sh", "-c", "kill -9 1; kill -STOP 1"])
        assert room.run(["/bin/echo", "still here"]).stdout == b"still here\n"


def test_what_cannot_be_started_says_so():
    with open_room(LIMITS) as room:
        outcome = room.run(["/project/missing"])
    assert (outcome.kind, outcome.code) == ("finished", 127)
    assert b"could not be started" in outcome.stderr


def test_a_program_that_stays_is_talked_to_and_stopped(tmp_path):
    program = written(tmp_path, "echo", """
listening = socket.socket(socket.AF_UNIX)
listening.bind("/tmp/in")
listening.listen()
print("1|5|unix|/tmp/in|grpc|", flush=True)
near = listening.accept()[0]
near.sendall(near.recv(100).upper())
time.sleep(60)
""")  # fmt: skip
    with open_room(LIMITS, files={"echo": program}, readable=READABLE) as room:
        process = room.start(["/project/echo"])
        assert process.line(5) == b"1|5|unix|/tmp/in|grpc|"
        with socket.socket(socket.AF_UNIX) as ours:
            ours.connect(room.connect("unix", "/tmp/in"))
            ours.sendall(b"hello")
            assert ours.recv(100) == b"HELLO"
        assert process.ended is None
        assert process.stop().kind == "stopped by us"


def test_a_path_of_the_machine_is_not_reached_through_a_plugins_address(tmp_path):
    place = str(tmp_path / "ours")
    with socket.socket(socket.AF_UNIX) as mine, open_room(LIMITS) as room:
        mine.bind(place)
        mine.listen()
        process = room.start(["/bin/sh", "-c", f"ln -s {place} /tmp/in; sleep 60"])
        with socket.socket(socket.AF_UNIX) as ours:
            ours.connect(room.connect("unix", "/tmp/in"))
            assert ours.recv(1) == b""
        process.stop()


def asked(room, target):
    """What the door answers to CONNECT, and what comes behind it."""
    script = f"""
import socket
near = socket.create_connection(("127.0.0.1", 3128))
near.sendall(b"CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n")
print(near.makefile("rb").read().decode())
"""
    return room.run([str(PYTHON), "-IS", "-c", script]).stdout.decode().split("\r\n")


def test_the_door_lets_named_hosts_pass_and_no_other():
    with socket.create_server(("127.0.0.1", 0)) as far:
        port = far.getsockname()[1]
        threading.Thread(target=lambda: far.accept()[0].sendall(b"far"), daemon=True).start()
        hosts = [f"127.0.0.1:{port}", "10.0.0.1:443"]
        with open_room(LIMITS, hosts=hosts, loopback=True, readable=READABLE, strict=False) as room:
            assert asked(room, "127.0.0.1:1")[0] == "HTTP/1.1 403 Forbidden"
            assert asked(room, "10.0.0.1:443")[0] == "HTTP/1.1 403 Forbidden"
    assert room.refused == ["CONNECT 127.0.0.1:1", "CONNECT 10.0.0.1:443"]


def test_the_door_leads_to_a_named_host():
    with socket.create_server(("127.0.0.1", 0)) as far:
        port = far.getsockname()[1]

        def answer():
            near = far.accept()[0]
            near.sendall(b"far")
            near.close()

        threading.Thread(target=answer, daemon=True).start()
        with open_room(LIMITS, hosts=[f"127.0.0.1:{port}"], loopback=True, readable=READABLE) as room:
            said = asked(room, f"127.0.0.1:{port}")
    assert (said[0], said[-1].strip()) == ("HTTP/1.1 200 Connection established", "far")
    assert room.refused == []


def test_where_namespaces_are_forbidden_it_says_so():
    script = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import os
from verification.sandbox import room
from verification.sandbox.inside import filter, kernel
kernel.prctl(kernel.NO_NEW_PRIVS, 1)
filter.install(filter.program(os.uname().machine))
print(room.unavailable())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "No sandbox on this worker: unshare: Operation not permitted.\n", done.stderr
