"""Supervisor of the embedded portal: starts processes, restarts those that die, and ends all of them together."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from portal.runtime.child_process import Child, Service, describe_error, do_nothing, is_ready
from portal.runtime.forked_process import STOP_SIGNALS, ForkedProcess, follow_parent

FIRST_DELAY_SECONDS = 0.5
MAX_DELAY_SECONDS = 30.0
MAX_DOUBLINGS = 10  # more than the maximum delay needs
STABLE_SECONDS = 30.0  # the restart delay is reset after a process ran this long
STOP_SECONDS = 2.5  # between SIGTERM and SIGKILL; together with the broker, less than 5 seconds
LAST_STOP_SECONDS = 1.0
TICK_SECONDS = 0.2


class Supervisor:
    """Supervisor that runs services until a signal, or until an essential service fails to start."""

    def __init__(
        self,
        folder: Path,
        write: Callable[[str], None],
        tick: Callable[[], None] = do_nothing,
        own_files: Sequence[IO[str]] = (),
    ) -> None:
        self.folder = folder
        self.write = write
        self.tick = tick
        self.own_files = own_files  # such as locks, which no other process may hold
        self.children: list[Child] = []
        self.selector = selectors.DefaultSelector()
        self.exit_code: int | None = None
        self.tick_error = ""

    def run(self, services: Sequence[Service]) -> int:
        """Start services and keep them running. Return the exit code: 0 after a signal, 1 after a failure."""
        try:
            for service in services:
                self._start(self._add(service))
            while self.exit_code is None:
                self._forward_output(TICK_SECONDS)
                self._check_children()
                self._call_tick()
        finally:
            self.stop()
        return self.exit_code

    def start_first(self, service: Service, seconds: float) -> str:
        """Start a service that others need. Return an empty string when it is ready, or why it isn't."""
        child = self._add(service)
        reason = self._launch(child)
        deadline = time.monotonic() + seconds
        while child.is_running and time.monotonic() < deadline and self.exit_code is None:
            if is_ready(service):
                child.was_ready = True
                return ""
            self._forward_output(0.02)
        if child.process is not None:
            reason = "it does not answer" if child.is_running else self._describe_exit(child)
        child.signal_group(signal.SIGKILL)
        self._close(child)
        self.children.remove(child)
        return reason

    def catch_signals(self) -> None:
        """Stop in order on Ctrl+C, on a request to terminate, and when the terminal closes."""
        for number in STOP_SIGNALS:
            signal.signal(number, self._on_signal)

    def _on_signal(self, _number: int, _frame: object) -> None:
        self.exit_code = 0

    def _add(self, service: Service) -> Child:
        child = Child(service)
        self.children.append(child)
        return child

    def _start(self, child: Child) -> None:
        reason = self._launch(child)
        if reason:
            self._handle_failure(child, reason)

    def _launch(self, child: Child) -> str:
        """Start the process. Return an empty string, or why it can't be started."""
        child.started_at = time.monotonic()
        child.last_line = ""
        child.unfinished_line = b""
        try:
            child.service.prepare()
            child.process = self._spawn(child.service)
        except Exception as error:  # a problem with one service must not stop the others
            return describe_error(error)
        assert child.process.stdout is not None
        os.set_blocking(child.process.stdout.fileno(), False)
        self.selector.register(child.process.stdout, selectors.EVENT_READ, child)
        return ""

    def _spawn(self, service: Service) -> subprocess.Popen[bytes] | ForkedProcess:
        if callable(service.command):
            die_with_supervisor = follow_parent()

            def prepare() -> None:
                die_with_supervisor()
                self._close_own_files()

            return ForkedProcess(service.name, service.command, prepare)
        return subprocess.Popen(  # noqa: S603 - the commands are our own
            service.command,
            cwd=self.folder,
            env=os.environ | dict(service.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl+C reaches only the supervisor, which stops the others in order
            preexec_fn=follow_parent(),  # safe, because this process has one thread
        )

    def _close_own_files(self) -> None:
        """Close the files of the supervisor in a fork."""
        for key in list(self.selector.get_map().values()):
            key.data.process.stdout.close()
        self.selector.close()
        for handle in self.own_files:
            handle.close()

    def _check_children(self) -> None:
        for child in self.children:
            if child.process is None:
                if time.monotonic() >= child.restart_at:
                    self._start(child)
            elif not child.is_running:
                self._handle_exit(child)
            elif not child.was_ready and is_ready(child.service):
                child.was_ready = True

    def _call_tick(self) -> None:
        """Run the caller's checks. A failure that lasts is reported once."""
        tick_error = ""
        try:
            self.tick()
        except Exception as error:
            tick_error = describe_error(error)
        if tick_error and tick_error != self.tick_error:
            self._print(f"A check of the running portal failed ({tick_error}); it runs again.")
        self.tick_error = tick_error

    def _handle_exit(self, child: Child) -> None:
        reason = self._describe_exit(child)
        exit_code = child.process.returncode if child.process else None
        child.signal_group(signal.SIGKILL)  # for processes that it left behind
        self._close(child)
        if self.exit_code is not None:
            return
        if exit_code is not None and exit_code == child.service.reload_code:
            self._start(child)
            return
        self._handle_failure(child, reason)

    def _handle_failure(self, child: Child, reason: str) -> None:
        """Stop the portal if the process is essential. Otherwise, plan its next start."""
        if child.service.is_essential and not child.was_ready:
            self._print(f"The {child.service.name} process cannot start ({reason}).")
            self.exit_code = 1
            return
        if time.monotonic() - child.started_at >= STABLE_SECONDS:
            child.failures = 0
        # The exponent is limited, because a float can't hold its power after some hours of failures.
        delay = min(FIRST_DELAY_SECONDS * 2 ** min(child.failures, MAX_DOUBLINGS), MAX_DELAY_SECONDS)
        child.failures += 1
        child.restart_at = time.monotonic() + delay
        self._print(f"The {child.service.name} process stopped ({reason}); it starts again in {delay:g} s.")

    def _describe_exit(self, child: Child) -> str:
        self._read(child)
        self._print_lines(child, b"\n")  # completes a last line without a line end
        return child.describe_exit()

    def _close(self, child: Child) -> None:
        if child.process is not None and child.process.stdout is not None:
            self.selector.unregister(child.process.stdout)
            child.process.stdout.close()
            child.process.wait()
        child.process = None

    def _forward_output(self, seconds: float) -> None:
        """Print the output of the processes. Wait for output at most this long."""
        if not self.selector.get_map():
            time.sleep(seconds)
        for key, _events in self.selector.select(seconds):
            self._read(key.data)

    def _read(self, child: Child) -> None:
        if child.process is None or child.process.stdout is None:
            return
        data = child.process.stdout.read(65536)  # None if no output is available
        if data == b"" and child.is_running:
            time.sleep(0.05)  # it closed its output but still runs, so polling more often is useless
        self._print_lines(child, data or b"")

    def _print_lines(self, child: Child, data: bytes) -> None:
        """Print the lines that are complete."""
        *lines, child.unfinished_line = (child.unfinished_line + data).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace").rstrip()
            if text:
                child.last_line = text
                if not child.service.is_quiet:
                    self._print(text, child.service.name)

    def _print(self, text: str, name: str = "bin/up") -> None:
        line = f"{name:<6} | {text}"
        try:
            try:
                self.write(line)
            except UnicodeError:  # the terminal lacks a character
                self.write(line.encode("ascii", "backslashreplace").decode())
        except OSError:
            self.exit_code = 0  # the terminal is gone

    def stop(self) -> None:
        """Stop all processes: first those that use others, then the rest. Kill a process that doesn't stop."""
        if self.exit_code is None:
            self.exit_code = 1
        for is_last, seconds in ((False, STOP_SECONDS), (True, LAST_STOP_SECONDS)):
            children = [child for child in self.children if child.service.is_last == is_last]
            for child in children:
                if child.is_running and child.process is not None:
                    child.process.terminate()
            deadline = time.monotonic() + seconds
            while time.monotonic() < deadline and any(child.is_running for child in children):
                self._forward_output(0.05)
            for child in children:
                self._read(child)
                self._print_lines(child, b"\n")
                child.signal_group(signal.SIGKILL)
                self._close(child)
