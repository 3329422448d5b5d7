"""Does any check pass when nobody answers? Every check that there is, whichever program asks for it."""

from dataclasses import replace

import pytest

from integrations.programs.registry import PROGRAMS
from verification.checks import execution
from verification.checks.types import CHECKS
from verification.preflight.report import UNKNOWN, Report
from verification.sources import Sources
from verification.sources.http.client import Outbound

PROGRAM = PROGRAMS["terraform-provider"]
SUBJECT = execution.subject_of(PROGRAM, PROGRAM.newest, "acme/terraform-provider-rocket")
ASKED = replace(SUBJECT, homepage="https://acme.example", answers={"A": {"documentation": "https://acme.io/docs"}})


def nowhere(host, port):
    raise OSError("unreachable")


@pytest.fixture
def cut(settings):
    settings.GITHUB_API_URL = settings.REGISTRY_URL = "http://127.0.0.1:1"
    return Sources(web=Outbound(loopback=True, resolve=nowhere))


@pytest.mark.parametrize("subject", [SUBJECT, ASKED], ids=["bare", "with answers"])
def test_with_the_network_cut_no_check_passes(cut, subject):
    found = execution.look(sorted(CHECKS), subject, cut)
    passed = {key: result.summary for key, result in found.items() if result.outcome in ("pass", "warn", "waived")}
    assert {key: said for key, said in passed.items() if not said.startswith("This program asks for no")} == {}
    assert [key for key, result in found.items() if "fault is ours" in result.summary] == []


def test_outage_fails_nobody(cut):
    found = execution.look(sorted(CHECKS), ASKED, cut)
    assert {key: result.summary for key, result in found.items() if result.outcome == "fail"} == {}


def test_registry_behind_a_strange_resolver_fails_nobody(settings):
    """Where a network sends the registry's name to an address of its own, nobody of the company can mend it."""
    settings.REGISTRY_URL, settings.GITHUB_API_URL = "https://registry.acme.io", "http://127.0.0.1:1"
    captive = Sources(web=Outbound(resolve=lambda host, port: ["10.0.0.1"]))
    keys = [key for key in CHECKS if key.startswith(("release.", "keys."))]
    found = execution.look(keys, SUBJECT, captive)
    assert {key: result.summary for key, result in found.items() if result.outcome in ("pass", "fail")} == {}


def test_cut_off_preflight_could_not_tell(cut):
    keys = execution.keys_of(PROGRAM.newest)
    assert Report(SUBJECT, execution.look(keys, SUBJECT, cut)).exit_code == UNKNOWN


@pytest.mark.parametrize("broken", sorted(CHECKS)[:3])
def test_check_that_raises_takes_no_other_with_it(cut, monkeypatch, broken):
    def breaks(_subject, _sources):
        raise ZeroDivisionError

    usual = execution.look(sorted(CHECKS), SUBJECT, cut)
    monkeypatch.setitem(CHECKS, broken, replace(CHECKS[broken], run=breaks))
    found = execution.look(sorted(CHECKS), SUBJECT, cut)
    assert found.pop(broken).summary == "We could not complete this check. The fault is ours."
    usual.pop(broken)
    assert found == usual
