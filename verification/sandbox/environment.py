"""Environment for untrusted programs: see the docstring of the package."""

import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from verification.sandbox import bubblewrap, network, project_files, usage
from verification.sandbox.bubblewrap import Bubblewrap, build_unavailable_error
from verification.sandbox.control_groups import ControlGroup, find_own_group
from verification.sandbox.egress_proxy import EgressRules
from verification.sandbox.host_users import reserve_host_user
from verification.sandbox.process import SandboxProcess
from verification.sandbox.resource_limits import set_limits
from verification.sandbox.socket_memory import SocketMemory
from verification.sandbox.types import HOME, MEGABYTE, PROJECT, CommandResult, Limits, SandboxUnavailable

VARIABLES = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": HOME,
    "TMPDIR": "/tmp",  # noqa: S108 - inside the sandbox
    "LANG": "C.UTF-8",
    "USER": "sandbox",
}
PROXY_VARIABLES = dict.fromkeys(
    ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"), f"http://127.0.0.1:{network.PROXY_PORT}"
)
FILES = "/files"  # where bound files are: outside every folder that a program can write
FILTERS = Path(__file__).parent / "filters"
STAGING_ROOT = "/tmp"  # noqa: S108 - paths of sockets have at most 108 characters; the folder is made by mkdtemp
DECOYS = (
    ".aws/credentials",
    ".ssh/id_ed25519",
    ".netrc",
    ".config/gcloud/application_default_credentials.json",
    ".docker/config.json",
    ".kube/config",
    ".azure/accessTokens.json",
)
DECOY_TEXT = b"decoy: reading this file is recorded\n"


@dataclass
class Environment:
    """Open environment: see `open_environment`.

    `host_user`: the user and group of the program outside, whose files it can write, or -1 for our own.
    """

    staging: Path
    host_user: int
    limits: Limits
    holder: Bubblewrap
    program: str
    variables: Mapping[str, str]
    binds: Sequence[tuple[str, str]]
    paths: Mapping[str, str]
    egress: EgressRules | None = None
    is_strict: bool = True
    storage: int = -1
    decoys: int = -1
    processes: list[SandboxProcess] = field(default_factory=list)

    def locate(self, name: str) -> str:
        """Return the path inside of a file that was supplied as a Path. The program can't replace the file."""
        return self.paths[name]

    def write(self, name: str, data: bytes) -> None:
        """Write a file in the project folder. Raises OSError."""
        project_files.write_file(self.storage, f"project/{name}", data, self.host_user)

    def read(self, name: str, size: int = 20 * MEGABYTE) -> bytes:
        """Return the first bytes of a file in the project folder. Raises OSError if it can't be read."""
        return project_files.read_file(self.storage, f"project/{name}", size)

    def run(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, seconds: float = 0) -> CommandResult:
        """Run a program in the project folder to its end. Raises SandboxUnavailable."""
        return self.start(argv, env=env, seconds=seconds).finish()

    def start(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, seconds: float = 0) -> SandboxProcess:
        """Start a program in the project folder. `env` is added to the environment's own variables.

        All limits are set, and all resources that we give to the program are opened, before it starts.

        Raises:
            SandboxUnavailable: The sandbox failed.
            ValueError: An argument or a variable contains a NUL character.
        """
        variables = {**self.variables, **(env or {})}
        # NUL characters separate the arguments of bubblewrap, so the rest of a value could bind any folder.
        if any("\0" in text for text in (*argv, *variables, *variables.values())):
            raise ValueError("An argument or a variable contains a NUL character.")
        self._prepare_mount_points()
        arguments = bubblewrap.build_sandbox_arguments(self.staging, self.binds, variables)
        enter = bubblewrap.build_enter_command(self.holder.child, self.host_user)
        seconds = seconds or self.limits.seconds
        with ExitStack() as stack:
            blocked_process = bubblewrap.start_blocked(
                [*enter, self.program], arguments, [str(word) for word in argv], find_filter()
            )
            stack.callback(blocked_process.close)
            blocked_process.wait_until(lambda: self._is_ready(blocked_process.child))
            # Not earlier: the kernel counts processes in the user namespace that the process has now entered.
            set_limits(enter, blocked_process.child, self.limits, seconds)
            name = f"{self.staging.name}-{blocked_process.child}"
            group = ControlGroup.create(find_own_group(), name, self.limits, blocked_process.child)
            if group is not None:
                stack.callback(group.remove)
            port = network.PROXY_PORT if self.egress is not None else 0
            diagnostics, *listeners = network.open_diagnostics(blocked_process.child, port)
            if self.egress is not None:
                stack.enter_context(self.egress.serve(listeners[0]))
            sockets = _open_socket_memory(blocked_process.child, diagnostics)
            monitor = usage.UsageMonitor(blocked_process.child, self.storage, self.limits, sockets, group, self.decoys)
            stack.callback(monitor.close)
            process = SandboxProcess(blocked_process, monitor, seconds, stack)
        self.processes.append(process)
        return process

    def _prepare_mount_points(self) -> None:
        """Create the mount points below writable folders such as /tmp.

        A link of a program would redirect bubblewrap, so links are refused.
        """
        try:
            for _, path in self.binds:
                for name, inside in bubblewrap.FOLDERS.items():
                    if Path(path).is_relative_to(inside):
                        below = Path(path).relative_to(inside)
                        project_files.make_folders(self.storage, f"{name}/{below}", self.host_user)
        except OSError as error:
            raise SandboxUnavailable(f"The program has changed the place of a readable folder: {error}.") from error

    def _is_ready(self, child: int) -> bool:
        """Return whether bubblewrap has moved the process into its new root."""
        try:
            # Until then, the path leads to the files of the machine.
            return os.stat(f"/proc/{child}/root{PROJECT}").st_dev == os.fstat(self.storage).st_dev
        except OSError:
            return False

    def close(self) -> None:
        """Stop all programs that are still running."""
        for process in self.processes:
            process.stop()


def _open_socket_memory(child: int, diagnostics: socket.socket) -> SocketMemory:
    sockets = SocketMemory(child, diagnostics)
    try:
        sockets.measure_all()
    except OSError as error:
        sockets.close()
        raise build_unavailable_error(f"the kernel doesn't report the memory of sockets ({error.strerror})") from error
    return sockets


@contextmanager
def open_environment(
    limits: Limits | None = None,
    *,
    files: Mapping[str, bytes | Path] | None = None,
    readable: Sequence[Path] = (),
    egress: EgressRules | None = None,
    env: Mapping[str, str] | None = None,
    is_strict: bool = True,
) -> Iterator[Environment]:
    """Open an environment.

    Args:
        files: Contents of the project folder by name. Bytes are written to a file. A Path becomes a link to a read-only
            file, see `Environment.locate`.
        readable: Folders of this machine that are available read-only under their own paths.
        egress: The proxy for HTTPS_PROXY, see `egress_proxy`. Without it, programs have no network access.
        env: Additional environment variables for every program.
        is_strict: Stop a program that uses the network or opens credentials, instead of only failing the access.

    Raises:
        SandboxUnavailable: No sandbox can run. The message has the reason.
    """
    limits = limits or Limits()
    bound_paths = {name: path.resolve() for name, path in (files or {}).items() if isinstance(path, Path)}
    sources = [*(path.resolve() for path in readable), *bound_paths.values()]
    _check_executable(bound_paths.values())
    paths = {name: f"{FILES}/{number}/{Path(name).name}" for number, name in enumerate(bound_paths)}
    with ExitStack() as stack:
        staging = _make_staging(stack)
        holder, bwrap = _hold_storage(staging, limits.disk, sources, stack)
        host_user = stack.enter_context(reserve_host_user())
        # In the order of `sources`, because the numbers connect both lists.
        inside = [*map(str, readable), *paths.values()]
        binds = [(bubblewrap.get_visible_path(staging, number), path) for number, path in enumerate(inside)]
        variables = VARIABLES | (PROXY_VARIABLES if egress else {}) | dict(env or {})
        environment = Environment(staging, host_user, limits, holder, bwrap, variables, binds, paths, egress, is_strict)
        _fill_storage(environment, files or {}, stack)
        # Called first at the end: programs must be gone before their storage.
        stack.callback(environment.close)
        yield environment


def _check_executable(paths: Iterable[Path]) -> None:
    """Raise SandboxUnavailable for files on a file system that is mounted with noexec."""
    for path in paths:
        if path.exists() and os.statvfs(path).f_flag & os.ST_NOEXEC:
            raise build_unavailable_error(f"programs can't start from {path.parent}, which is mounted with noexec")


def _make_staging(stack: ExitStack) -> Path:
    """Create a temporary folder outside that the sandbox's user outside can read."""
    project_files.remove_leftovers(Path(STAGING_ROOT))
    staging = Path(tempfile.mkdtemp(prefix=f"sandbox-{os.getpid()}-", dir=STAGING_ROOT))
    stack.callback(shutil.rmtree, staging, ignore_errors=True)
    for folder in (staging, staging / "storage", staging / "visible", staging / "etc"):
        folder.mkdir(exist_ok=True)
        # Not mkdir's mode, which the mask of the service restricts.
        folder.chmod(0o711)
    for name, text in bubblewrap.SETTINGS.items():
        (staging / "etc" / name).write_text(text)
        (staging / "etc" / name).chmod(0o644)
    return staging


def _hold_storage(staging: Path, size: int, sources: Sequence[Path], stack: ExitStack) -> tuple[Bubblewrap, str]:
    """Return the bubblewrap that holds the storage, and the path of bwrap in its namespace."""
    program, extra_sources = bubblewrap.find_program_for_sandbox(staging, len(sources))
    arguments = bubblewrap.build_storage_arguments(staging, size, [*sources, *extra_sources])
    holder = bubblewrap.start_holder(arguments)
    stack.callback(holder.close)
    return holder, program


def _fill_storage(environment: Environment, files: Mapping[str, bytes | Path], stack: ExitStack) -> None:
    """Write the initial files of the project folder and the home folder."""
    path = Path(f"/proc/{environment.holder.child}/root{environment.staging}/storage")
    environment.storage = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    stack.callback(os.close, environment.storage)
    if environment.host_user >= 0:
        for name in bubblewrap.FOLDERS:
            os.chown(name, environment.host_user, environment.host_user, dir_fd=environment.storage)
    for name, data in files.items():
        if isinstance(data, bytes):
            environment.write(name, data)
        else:
            target = environment.locate(name)
            project_files.write_link(environment.storage, f"project/{name}", target, environment.host_user)
    if environment.is_strict:
        for name in DECOYS:
            project_files.write_file(environment.storage, f"home/{name}", DECOY_TEXT, environment.host_user)
        try:
            # Before the first program, so that no access is missed.
            environment.decoys = usage.watch_files([path / "home" / name for name in DECOYS])
        except OSError as error:
            raise build_unavailable_error(f"files cannot be watched ({error.strerror})") from error
        stack.callback(os.close, environment.decoys)


def find_filter() -> Path:
    """Return the system call filter for this machine type."""
    path = FILTERS / f"{os.uname().machine}.bpf"
    if not path.exists():
        raise build_unavailable_error(f"there is no system call filter for {os.uname().machine}")
    return path


@cache
def find_obstacle() -> str:
    """Return why no sandbox can run on this machine, or an empty string. Each job has a process that tries it once."""
    if not sys.platform.startswith("linux"):
        return str(build_unavailable_error("it needs Linux"))
    try:
        with open_environment(Limits(seconds=10, disk=MEGABYTE)) as environment:
            result = environment.run(["/bin/sh", "-c", "echo ready"])
    except SandboxUnavailable as reason:
        return str(reason)
    if result.stdout == b"ready\n":
        return ""
    text = result.stderr[:300].decode("utf-8", "replace").strip() or result.message
    return f"No sandbox on this worker: a first command did not run in it. {text}"
