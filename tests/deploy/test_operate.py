"""Tests of docs/reference/commands.md and of the RUN lines of the container file."""

import re
from pathlib import Path

from django.core.management import get_commands, load_command_class

from tests.deploy import run_lines

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "commands.md"
OURS = ("portal", "integrations", "verification")


def table() -> list[str]:
    """The table as it has to stand in the page."""
    ours = sorted((name, app) for name, app in get_commands().items() if str(app).startswith(OURS))
    return [f"| `{name}` | {load_command_class(str(app), name).help} |" for name, app in ours]


def test_page_has_every_command_and_its_own_words():
    _, _, rest = PAGE.read_text().partition("<!-- commands: begin -->")
    written = [line for line in rest.partition("<!-- commands: end -->")[0].splitlines() if line.startswith("| `")]
    assert written == table(), "write these lines:\n" + "\n".join(table())


def test_every_run_line_runs_here_or_says_why_not():
    lines = list(run_lines.lines(run_lines.CONTAINER.read_text()))
    assert [line.command.split()[0] for line in lines if not line.why_not] == ["python3", "make_secret()"]
    assert [line.why_not for line in lines if line.why_not] == [
        "installs a package of the machine",
        "makes a user of the machine",
    ]


def test_run_lines_stay_in_the_scratch_folder(tmp_path):
    for line in run_lines.lines(run_lines.CONTAINER.read_text()):
        words = f"{line.command} {' '.join(line.environment.values())}"
        moved = run_lines.map_to_scratch(words, tmp_path).replace(str(tmp_path), "")
        assert (
            re.search(r"(?<![\w/.])/(opt|app|data|tmp)\b", run_lines.map_to_scratch(words, Path("S"))) is None
            or line.why_not
        )
        assert moved.count("/opt/portal") == words.count("/opt/portal")
