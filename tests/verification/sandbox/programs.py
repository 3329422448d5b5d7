"""Small programs to run in the sandbox, most of which misbehave."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PYTHON = Path(sys.executable).resolve()
READABLE = (Path(sys.base_prefix), Path(sys.prefix))
PREAMBLE = f"#!{PYTHON} -IS\nimport os, pathlib, signal, socket, sys, time\n"

HOSTILE = {
    "reads the home folder": """
home = pathlib.Path.home()
for path in sorted(home.rglob("*")):
    if path.is_file():
        print(path.read_text())
time.sleep(30)
""",
    "reads the home folder of its user and ends": """
import pwd
(pathlib.Path(pwd.getpwuid(os.getuid()).pw_dir) / ".aws/credentials").read_text()
""",
    "opens the network": """
connection = socket.socket()
try:
    connection.connect(("93.184.215.14", 443))
except OSError as error:
    print(error)
time.sleep(30)
""",
    "opens the network by name": """
try:
    socket.getaddrinfo("hashicorp.com", 443)
except OSError as error:
    print(error)
""",
    "opens the network over IPv6": """
datagrams = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
try:
    datagrams.sendto(b"out", ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", 53))
except OSError as error:
    print(error)
time.sleep(30)
""",
    "forks": """
while True:
    try:
        os.fork()
    except OSError:
        pass
""",
    "forks and hides": """
for number in range(200):
    try:
        is_child = os.fork() == 0
    except OSError:
        time.sleep(60)
    if is_child:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
""",
    "eats memory": """
blocks = []
while True:
    blocks.append(b"x" * 4_000_000)
""",
    "writes 10 GB": """
block = os.urandom(1024 * 1024)
with open("/tmp/large", "wb") as file:
    for _ in range(10 * 1024):
        file.write(block)
""",
    "writes a million files": """
for number in range(1_000_000):
    pathlib.Path(f"/tmp/{number}").touch()
""",
    "never answers": """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(600)
""",
    "prints without end": """
while True:
    print("x" * 1000)
""",
}


def write_program(folder: Path, name: str, text: str) -> Path:
    """Write a Python program and return its path."""
    path = folder / name
    path.write_text(PREAMBLE + text)
    path.chmod(0o755)
    return path


def list_processes(text: str) -> list[str]:
    """Return the IDs of all processes whose command line contains the text."""
    process_ids = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            process_ids += [path.parent.name] if text.encode() in path.read_bytes() else []
    return process_ids


@contextmanager
def kill_bubblewrap_in_use() -> Iterator[str]:
    """Yield a command that waits. As soon as the command runs in the sandbox, its bubblewrap is killed."""
    is_over = threading.Event()
    command = f"exec sleep 600.{os.getpid()}"
    killer = threading.Thread(target=_kill_outermost_process, args=(command.removeprefix("exec "), is_over))
    killer.start()
    try:
        yield command
    finally:
        is_over.set()
        killer.join()


def _kill_outermost_process(command: str, is_over: threading.Event) -> None:
    """Wait until a command runs, then kill the child of this process below which it runs."""
    while not is_over.is_set():
        for process_id in list_processes(command.replace(" ", "\0")):
            os.kill(_find_child_above(int(process_id)), signal.SIGKILL)
            return


def _find_child_above(process_id: int) -> int:
    """Return the process or its ancestor, whichever is a child of this process."""
    parent = int(Path(f"/proc/{process_id}/status").read_text().split("PPid:")[1].split()[0])
    return process_id if parent == os.getpid() else _find_child_above(parent)
