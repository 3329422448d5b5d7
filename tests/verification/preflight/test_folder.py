import io
import json
import socket

import pytest

from integrations.programs import PROGRAMS
from verification.looking import NotHere
from verification.preflight.command import main
from verification.preflight.folder import FolderSources


@pytest.fixture
def no_network(monkeypatch):
    def nobody(*_args, **_kwargs):
        raise AssertionError("nobody may be dialled")

    monkeypatch.setattr(socket.socket, "connect", nobody)
    monkeypatch.setattr(socket, "getaddrinfo", nobody)


@pytest.mark.parametrize("program", sorted(PROGRAMS))
def test_empty_folder_passes_nothing(program, tmp_path, no_network):
    """What cannot be read is not run, whichever check it is; only what asks for nothing may pass."""
    out = io.StringIO()
    code = main([program, "acme/terraform-provider-rocket", "--path", str(tmp_path), "--json"], out, io.StringIO())
    told = json.loads(out.getvalue())
    passed = {check["summary"] for check in told["checks"] if check["outcome"] in ("pass", "warn")}
    assert {summary for summary in passed if not summary.startswith("This program asks for no")} == set()
    assert code in (1, 2)
    assert [check for check in told["checks"] if "fault is ours" in check["summary"]] == []


def test_what_a_folder_cannot_know_is_said(tmp_path):
    sources = FolderSources(tmp_path)
    for ask in (
        lambda: sources.github.releases("acme/rocket"),
        lambda: sources.github.repository("acme/rocket").private,
        lambda: sources.registry.provider("acme", "rocket"),
        lambda: sources.web.get,
        lambda: sources.anything,
    ):
        with pytest.raises(NotHere, match="--path"):
            ask()
