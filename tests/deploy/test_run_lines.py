"""Tests of the RUN lines of the container file."""

import re
from pathlib import Path

from tests.deploy import run_lines


def test_every_run_line_runs_here_or_has_a_skip_reason():
    lines = list(run_lines.list_run_lines(run_lines.CONTAINER.read_text()))
    assert [line.command.split()[0] for line in lines if not line.skip_reason] == ["python3", "make_secret()"]
    assert [line.skip_reason for line in lines if line.skip_reason] == [
        "installs a package of the machine",
        "makes a user of the machine",
    ]


def test_run_lines_stay_in_the_scratch_folder(tmp_path):
    for line in run_lines.list_run_lines(run_lines.CONTAINER.read_text()):
        words = f"{line.command} {' '.join(line.environment.values())}"
        moved = run_lines.map_to_scratch(words, tmp_path).replace(str(tmp_path), "")
        assert (
            re.search(r"(?<![\w/.])/(opt|app|data|tmp)\b", run_lines.map_to_scratch(words, Path("S"))) is None
            or line.skip_reason
        )
        assert moved.count("/opt/portal") == words.count("/opt/portal")
