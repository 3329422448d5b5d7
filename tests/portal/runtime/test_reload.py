"""Test of bin/up --reload: the web server restarts after changes and survives syntax errors."""

from pathlib import Path

import pytest

from tests.portal.runtime.running_portal import HAS_PROC, RunningPortal, copy_tree, run_portal

NAMES = ("pyproject.toml", "portal", "verification", "integrations", "templates", "static", "manage.py")
RELOADING = "changed, reloading."


@pytest.mark.skipif(not HAS_PROC, reason="no /proc on this machine")
@pytest.mark.any_database
def test_reload_follows_changes_and_survives_a_syntax_error(empty_data: Path, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    copy_tree(root, NAMES)
    code = root / "portal" / "status" / "views.py"
    page = root / "templates" / "account" / "login.html"
    good = code.read_text()
    with run_portal(empty_data, "--empty", "--reload", root=root) as portal:
        portal.wait_until_ready()
        assert '"database": "ok"' in portal.read("/healthz")

        page.write_text(page.read_text().replace("{% block content %}", "{% block content %}<b>edited page</b>", 1))
        portal.wait_until(lambda: "<b>edited page</b>" in portal.read("/accounts/login/"))

        save_and_reload(portal, code, good + "def broken(:\n")
        portal.wait_for_output("SyntaxError")
        assert portal.process.poll() is None

        save_and_reload(portal, code, good.replace('"database": "ok"', '"database": "edited"'))
        portal.wait_until(lambda: '"database": "edited"' in portal.read("/healthz"))

        assert portal.stop() == 0
        assert portal.processes() == {}


def save_and_reload(portal: RunningPortal, path: Path, text: str) -> None:
    """Save a file and wait until the server reloads. The server starts to watch files after its first page."""
    reloads = portal.output.count(RELOADING)
    path.write_text(text)
    portal.wait_until(lambda: portal.output.count(RELOADING) > reloads or path.touch() is not None)
