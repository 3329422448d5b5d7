"""Command that prints the results of the attacks as JSON: python -m tests.verification.sandbox.attacks.runner.

It needs only Python and bubblewrap, so it runs as any user.
"""

import errno
import json
import os
import resource
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.verification.sandbox.attacks.attack import Attack
from tests.verification.sandbox.attacks.programs import ATTACKS
from verification.sandbox.egress_proxy import EgressRules
from verification.sandbox.environment import Environment, find_obstacle, open_environment
from verification.sandbox.types import MEGABYTE, Limits

LIMITS = Limits(seconds=20, memory=80 * MEGABYTE, disk=20 * MEGABYTE, processes=40, output=200_000)
READABLE = (Path(sys.base_prefix),)
PYTHON = Path(sys.executable).resolve()
ATTACK_SECONDS = {"endless program": 0.5}


class Host:
    """Files and services of the host that attacks aim at."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        for name in ("secret", "bound"):
            (folder / name).write_text(name)
        (folder / "target").mkdir()
        (folder / "target" / "file").write_text("file")
        self.tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.abstract, self.path = (stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2))
        self.abstract.bind(f"\0attack-{os.getpid()}")
        self.path.bind(str(folder / "socket"))
        for listener in (self.abstract, self.path):
            listener.listen()

    def list_locations(self, environment: Environment) -> dict[str, str]:
        """Return the locations that attacks name in their arguments."""
        return {
            "port": str(self.tcp.getsockname()[1]),
            "abstract": f"attack-{os.getpid()}",
            "socket": str(self.folder / "socket"),
            "secret": str(self.folder / "secret"),
            "source": __file__,
            "supervisor": str(os.getpid()),
            "holder": str(environment.holder.process.pid),
        }

    def describe(self) -> list[Any]:
        """Return the state of every file. No attack may change it."""
        return [
            [str(path.relative_to(self.folder)), path.stat().st_mode, path.stat().st_mtime_ns, path.stat().st_size]
            for path in sorted(self.folder.rglob("*"))
        ]


@contextmanager
def open_host() -> Iterator[Host]:
    """Yield a host in a temporary folder."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="attacked-"))
        yield Host(Path(folder), stack)


def run_attack(attack: Attack, host: Host, seconds: float = 0) -> dict[str, Any]:
    """Return the result of the attack, and whether the host is unchanged."""
    before = host.describe()
    files: dict[str, bytes | Path] = {"program": attack.text.encode(), "bound": host.folder / "bound"}
    egress = EgressRules(["example.com"]) if attack.has_proxy else None
    with open_environment(
        LIMITS, files=files, readable=READABLE, is_strict=attack.is_strict, egress=egress
    ) as environment:
        locations = host.list_locations(environment)
        arguments = [locations[name] for name in attack.arguments]
        result = environment.run([str(PYTHON), "-IS", "/project/program", *arguments], seconds=seconds)
    return {
        "reason": str(result.reason),
        "exit_code": result.exit_code,
        "lines": result.stdout.decode().splitlines() if result.exit_code is not None else [],
        "error": result.stderr.decode()[-500:] if result.exit_code else "",
        "is_host_unchanged": host.describe() == before,
    }


RACE = """
import os
while True:
    os.mkdir("/project/raced")
    os.rename("/project/raced", "/project/gone")
    os.symlink(TARGET, "/project/raced")
    os.rename("/project/raced", "/project/gone2")
    os.unlink("/project/gone2")
    for name in os.listdir("/project/gone"):
        os.unlink(f"/project/gone/{name}")
    os.rmdir("/project/gone")
"""
SWAPS = (  # what the program does; what the supervisor does with which path; the expected error
    ("ln -sfn {target}/file /project/main.tf", "write", "main.tf", "ELOOP"),
    ("ln -sfn {target}/file /project/main.tf", "read", "main.tf", "ELOOP"),
    ("ln -sfn {target} /project/folder", "write", "folder/file", "ENOTDIR"),
    ("ln -sfn {target} /project/folder", "read", "folder/file", "ENOTDIR"),
    ("ln -sfn / /project/folder", "read", "folder/etc/passwd", "ENOTDIR"),
    ("rm /project/main.tf; mkfifo /project/main.tf", "read", "main.tf", "ENOENT"),
    ("rm /project/main.tf; mkfifo /project/main.tf", "write", "main.tf", "ENXIO"),
    ("rm /project/bound; ln -s {target}/file /project/bound", "write", "bound", "ELOOP"),
    ("true", "write", "../target/file", "EPERM"),
    ("true", "read", "/etc/passwd", "ENOENT"),
)


def run_swaps(host: Host) -> list[list[Any]]:
    """Return the supervisor's result for each replaced path, and whether the host is unchanged."""
    swap_results = []
    before = host.describe()
    files: dict[str, bytes | Path] = {"main.tf": b"from the supervisor", "bound": host.folder / "bound"}
    for script, action, name, _ in SWAPS:
        with open_environment(LIMITS, files=files, readable=READABLE) as environment:
            environment.run(["/bin/sh", "-c", script.format(target=host.folder / "target")])
            try:
                result = "write" if action == "write" else "read"
                environment.write(name, b"x") if action == "write" else environment.read(name)
            except OSError as error:
                result = errno.errorcode[error.errno or 0]
        swap_results.append([result, host.describe() == before])
    return swap_results


def run_race(host: Host, rounds: int = 300) -> bool:
    """Write and read while a program replaces a folder with a link. Return whether the host is unchanged."""
    before = host.describe()
    program = RACE.replace("TARGET", repr(str(host.folder / "target"))).encode()
    with open_environment(LIMITS, files={"race": program}, readable=READABLE) as environment:
        process = environment.start([str(PYTHON), "-IS", "/project/race"])
        for _ in range(rounds):
            with suppress(OSError):
                environment.write("raced/file", b"written")
            with suppress(OSError):
                assert environment.read("raced/file") == b"written"
        process.stop()
    return host.describe() == before


def main() -> None:
    """Run every attack."""
    hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard_limit))  # the usual limit of a service
    results: dict[str, Any] = {"obstacle": find_obstacle(), "user": os.geteuid(), "attacks": {}}
    if not results["obstacle"]:
        with open_host() as host:
            for name, attack in ATTACKS.items():
                results["attacks"][name] = run_attack(attack, host, ATTACK_SECONDS.get(name, 0))
            results["swaps"] = run_swaps(host)
            results["is_host_unchanged_by_race"] = run_race(host)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
