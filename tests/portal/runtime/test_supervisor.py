"""Tests of the supervisor, which restarts processes and ends them together."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event

import pytest
from django.db import OperationalError

from portal.runtime.child_process import Service
from portal.runtime.supervisor import Supervisor

ROOT = Path(__file__).resolve().parents[3]
HAS_PROC = Path("/proc/self/stat").exists()
LONG_RUNNING = "import time; print('up', flush=True); time.sleep(600)"


def python(code: str) -> Sequence[str]:
    return (sys.executable, "-c", code)


class RecordedSupervisor:
    """Supervisor whose output a test reads, and which the test ends at a line."""

    def __init__(self, folder: Path) -> None:
        self.lines: list[str] = []
        self.reactions: dict[str, Callable[[], None]] = {}
        self.supervisor = Supervisor(folder, self.read)

    def read(self, line: str) -> None:
        self.lines.append(line)
        for words in [words for words in self.reactions if words in line]:
            self.reactions.pop(words)()

    def end(self) -> None:
        self.supervisor.exit_code = 0

    def pid(self, name: str) -> int:
        child = next(child for child in self.supervisor.children if child.service.name == name)
        assert child.process is not None
        return child.process.pid


@pytest.fixture
def run(tmp_path: Path) -> RecordedSupervisor:
    return RecordedSupervisor(tmp_path)


def test_killed_helper_is_restarted_with_a_one_line_reason(run: RecordedSupervisor) -> None:
    run.reactions["worker | up"] = lambda: os.kill(run.pid("worker"), signal.SIGKILL)
    run.reactions["starts again"] = lambda: run.reactions.update({"worker | up": run.end})
    assert run.supervisor.run([Service("worker", python(LONG_RUNNING))]) == 0
    assert run.lines == [
        "worker | up",
        "bin/up | The worker process stopped (killed by SIGKILL); it starts again in 0.5 s.",
        "worker | up",
    ]


def test_helper_that_fails_repeatedly_waits_longer_each_time(run: RecordedSupervisor) -> None:
    run.reactions["2 s."] = run.end
    code = "import sys; print('ValueError: torn message'); sys.exit(1)"
    assert run.supervisor.run([Service("worker", python(code))]) == 0
    reason = "exit code 1: ValueError: torn message"
    assert [line for line in run.lines if line.startswith("bin/up")] == [
        f"bin/up | The worker process stopped ({reason}); it starts again in {delay} s." for delay in ("0.5", "1", "2")
    ]


@pytest.mark.skipif(not hasattr(signal, "SIGRTMIN"), reason="no real-time signals on this machine")
def test_helper_killed_by_an_unnamed_signal_is_restarted(run: RecordedSupervisor) -> None:
    number = signal.SIGRTMIN + 2
    run.reactions["worker | up"] = lambda: os.kill(run.pid("worker"), number)
    run.reactions["starts again"] = run.end
    assert run.supervisor.run([Service("worker", python(LONG_RUNNING))]) == 0
    assert run.lines[-1] == (
        f"bin/up | The worker process stopped (killed by signal {number:d}); it starts again in 0.5 s."
    )


def test_unterminated_last_line_is_printed_and_is_the_reason(run: RecordedSupervisor) -> None:
    run.reactions["starts again"] = run.end
    run.supervisor.run([Service("worker", python("import sys; sys.stdout.write('ValueError: boom'); sys.exit(3)"))])
    assert run.lines == [
        "worker | ValueError: boom",
        "bin/up | The worker process stopped (exit code 3: ValueError: boom); it starts again in 0.5 s.",
    ]


def raise_error(error: Exception) -> None:
    raise error


def test_failed_preparation_is_reported_and_retried(run: RecordedSupervisor) -> None:
    run.reactions["starts again in 1 s."] = run.end
    prepare = partial(raise_error, ValueError("torn\nfile"))
    assert run.supervisor.run([Service("worker", python(LONG_RUNNING), prepare=prepare)]) == 0
    assert run.lines[0] == "bin/up | The worker process stopped (ValueError: torn file); it starts again in 0.5 s."


def test_failed_preparation_of_the_web_process_ends_everything(run: RecordedSupervisor) -> None:
    web = Service("web", python(LONG_RUNNING), prepare=partial(raise_error, ValueError("torn")), is_essential=True)
    assert run.supervisor.run([web]) == 1
    assert run.lines == ["bin/up | The web process cannot start (ValueError: torn)."]


def test_failing_check_is_reported_once_until_it_succeeds(run: RecordedSupervisor) -> None:
    locked = OperationalError("database is locked")
    results = [locked, locked, None, locked]

    def check() -> None:
        if not results:
            run.end()
        elif error := results.pop(0):
            raise error

    run.supervisor.tick = check
    assert run.supervisor.run([]) == 0
    line = "bin/up | A check of the running portal failed (OperationalError: database is locked); it runs again."
    assert run.lines == [line, line]


def test_service_with_a_failing_readiness_check_is_not_ready(run: RecordedSupervisor) -> None:
    results: list[Exception] = [OSError(24, "Too many open files"), ValueError("torn")]

    def is_ready() -> bool:
        if results:
            raise results.pop()
        return True

    def end_when_ready() -> None:
        if run.supervisor.children[0].was_ready:
            run.end()

    run.supervisor.tick = end_when_ready
    assert run.supervisor.run([Service("web", python(LONG_RUNNING), is_ready=is_ready, is_essential=True)]) == 0
    assert results == []


def test_characters_outside_the_terminal_encoding_are_escaped(tmp_path: Path) -> None:
    lines: list[str] = []

    def write(line: str) -> None:
        line.encode("latin-1")
        lines.append(line)
        supervisor.exit_code = 0

    supervisor = Supervisor(tmp_path, write)
    code = "import sys, time; sys.stdout.buffer.write('é …\\n'.encode()); sys.stdout.flush(); time.sleep(600)"
    assert supervisor.run([Service("worker", python(code))]) == 0
    assert lines == [r"worker | \xe9 \u2026"]


def test_missing_program_is_retried(run: RecordedSupervisor) -> None:
    run.reactions["starts again in 1 s."] = run.end
    assert run.supervisor.run([Service("worker", ["/nonexistent"])]) == 0
    assert run.lines[0] == (
        "bin/up | The worker process stopped (No such file or directory: /nonexistent); it starts again in 0.5 s."
    )


def test_web_process_that_cannot_start_ends_everything(run: RecordedSupervisor, tmp_path: Path) -> None:
    helper = tmp_path / "helper"
    code = f"import os, pathlib, time; pathlib.Path({str(helper)!r}).write_text(str(os.getpid())); time.sleep(600)"
    waiting = f"import pathlib, sys, time\nwhile not pathlib.Path({str(helper)!r}).exists(): time.sleep(0.01)\n"
    web = Service("web", python(waiting + "sys.exit(3)"), is_ready=lambda: False, is_essential=True)
    assert run.supervisor.run([web, Service("worker", python(code))]) == 1
    assert run.lines == ["bin/up | The web process cannot start (exit code 3)."]
    with pytest.raises(ProcessLookupError):
        os.kill(int(helper.read_text()), 0)


def test_web_process_that_had_started_is_restarted(run: RecordedSupervisor) -> None:
    def kill_when_ready() -> None:
        if run.supervisor.children[0].was_ready:
            run.supervisor.tick = lambda: None
            os.kill(run.pid("web"), signal.SIGKILL)

    run.supervisor.tick = kill_when_ready
    run.reactions["starts again"] = run.end
    assert run.supervisor.run([Service("web", python(LONG_RUNNING), is_essential=True)]) == 0
    assert run.lines[-1] == "bin/up | The web process stopped (killed by SIGKILL); it starts again in 0.5 s."


def test_process_that_ignores_termination_is_killed_with_its_children(run: RecordedSupervisor) -> None:
    code = (
        "import signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        "print(child.pid, flush=True); time.sleep(600)"
    )
    run.reactions["worker"] = run.end
    assert run.supervisor.run([Service("worker", python(code))]) == 0
    grandchild = int(run.lines[0].split()[-1])
    assert any(is_gone(grandchild) or Event().wait(0.05) for _ in range(200))


def is_gone(pid: int) -> bool:
    """Return whether a process has ended; zombies count as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.skipif(not HAS_PROC, reason="no /proc on this machine")
def test_signal_ends_everything(tmp_path: Path, number: signal.Signals) -> None:
    with start_supervisor(tmp_path) as (process, helper):
        process.send_signal(number)
        assert (process.wait(60), is_gone(helper)) == (0, True)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent died")
def test_killed_supervisor_leaves_no_process(tmp_path: Path) -> None:
    with start_supervisor(tmp_path) as (process, helper):
        process.kill()
        process.wait()
        assert any(is_gone(helper) or Event().wait(0.05) for _ in range(200))


@contextmanager
def start_supervisor(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Start a supervisor in a new process. Return both, with the ID of its only child."""
    code = f"""
import pathlib, sys
from portal.runtime.child_process import Service
from portal.runtime.supervisor import Supervisor
supervisor = Supervisor(pathlib.Path({str(folder)!r}), lambda line: print(line, flush=True))
supervisor.catch_signals()
lasting = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
sys.exit(supervisor.run([Service("worker", [sys.executable, "-c", lasting])]))
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, int(process.stdout.readline().split()[-1])


def test_output_is_printed_by_line_with_the_process_name(run: RecordedSupervisor) -> None:
    run.reactions["second"] = run.end
    code = "import time; print('first\\n\\nse', end='', flush=True); print('cond', flush=True); time.sleep(600)"
    run.supervisor.run([Service("beat", python(code))])
    assert run.lines == ["beat   | first", "beat   | second"]


def test_process_that_requests_a_restart_gets_it_immediately(run: RecordedSupervisor, tmp_path: Path) -> None:
    first = tmp_path / "first"
    code = (
        f"import pathlib, sys, time; first = pathlib.Path({str(first)!r});"
        "is_first = not first.exists(); first.touch();"
        "print('start', flush=True); sys.exit(3) if is_first else time.sleep(600)"
    )
    run.reactions["start"] = lambda: run.reactions.update({"start": run.end})
    run.supervisor.run([Service("web", python(code), reload_code=3)])
    assert run.lines == ["web    | start", "web    | start"]


def test_function_runs_in_a_separate_process(run: RecordedSupervisor) -> None:
    def report() -> None:
        print(os.getpid())
        print("a warning", file=sys.stderr)
        sys.exit("no such option")

    run.reactions["starts again"] = run.end
    run.supervisor.run([Service("worker", report)])
    assert run.lines[0] != f"worker | {os.getpid()}"
    assert run.lines[1:] == [
        "worker | a warning",
        "worker | no such option",
        "bin/up | The worker process stopped (exit code 1: no such option); it starts again in 0.5 s.",
    ]


def test_function_that_raises_is_reported_and_restarted(run: RecordedSupervisor) -> None:
    run.reactions["starts again"] = run.end
    run.supervisor.run([Service("worker", lambda: int("torn"))])
    reason = "exit code 1: ValueError: invalid literal for int() with base 10: 'torn'"
    assert run.lines[-1] == f"bin/up | The worker process stopped ({reason}); it starts again in 0.5 s."


@pytest.mark.skipif(not HAS_PROC, reason="no /proc on this machine")
def test_function_inherits_no_open_files_of_the_supervisor(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as lock:
        run = RecordedSupervisor(tmp_path)
        run.supervisor.own_files = [lock]
        run.reactions["worker"] = run.end

        def print_open_files() -> None:
            print(sorted(os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.exists()))

        run.supervisor.run([Service("worker", print_open_files)])
    assert str(tmp_path / "lock") not in run.lines[0]
