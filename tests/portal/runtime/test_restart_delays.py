"""Tests of the delay before a process is restarted."""

import sys
from pathlib import Path

from portal.runtime.child_process import Child, Service
from portal.runtime.supervisor import Supervisor


def test_helper_that_fails_for_many_hours_is_restarted(tmp_path: Path) -> None:
    lines: list[str] = []

    def end_after_first_line() -> None:
        if lines:
            supervisor.exit_code = 0

    supervisor = Supervisor(tmp_path, lines.append, end_after_first_line)
    worker = Child(Service("worker", (sys.executable, "-c", "raise SystemExit(1)")))
    worker.failures = 5000
    supervisor.children.append(worker)
    assert supervisor.run([]) == 0
    assert lines == ["bin/up | The worker process stopped (exit code 1); it starts again in 30 s."]
