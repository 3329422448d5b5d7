"""Tests that no check passes in preflight without a network."""

from dataclasses import replace

import pytest

from integrations.programs.registry import PROGRAMS
from verification.checks import execution
from verification.checks.types import CHECKS
from verification.preflight.report import EXIT_UNDECIDED, PreflightReport
from verification.sources import Sources
from verification.sources.http.client import OutboundClient

PROGRAM = PROGRAMS["terraform-provider"]
SUBJECT = execution.build_subject(PROGRAM, PROGRAM.newest, "acme/terraform-provider-rocket")
SUBJECT_WITH_LINKS = replace(
    SUBJECT, homepage="https://acme.example", answers={"A": {"documentation": "https://acme.io/docs"}}
)


def nowhere(host, port):
    raise OSError("unreachable")


@pytest.fixture
def cut(settings):
    settings.GITHUB_API_URL = settings.REGISTRY_URL = "http://127.0.0.1:1"
    return Sources(web=OutboundClient(loopback=True, resolve=nowhere))


@pytest.mark.parametrize("subject", [SUBJECT, SUBJECT_WITH_LINKS], ids=["bare", "with answers"])
def test_with_the_network_cut_no_check_passes(cut, subject):
    checks = execution.run_checks(sorted(CHECKS), subject, cut)
    passed_summaries = {
        key: result.summary for key, result in checks.items() if result.outcome in ("pass", "warn", "waived")
    }
    nothing_asked = ("This program asks for no", "This program accepts any language")
    assert {key: summary for key, summary in passed_summaries.items() if not summary.startswith(nothing_asked)} == {}
    assert [key for key, result in checks.items() if "fault is ours" in result.summary] == []


def test_outage_fails_no_one(cut):
    checks = execution.run_checks(sorted(CHECKS), SUBJECT_WITH_LINKS, cut)
    assert {key: result.summary for key, result in checks.items() if result.outcome == "fail"} == {}


def test_outage_makes_every_check_of_the_release_an_error(cut):
    keys = [key for key in CHECKS if key.startswith(("release.", "keys.")) and key != "release.download"]
    checks = execution.run_checks(keys, SUBJECT, cut)
    assert {key: result.outcome for key, result in checks.items()} == dict.fromkeys(keys, "error")


def test_registry_behind_a_strange_resolver_fails_no_one(settings):
    """Some networks resolve the registry's name to a private address, which the company can't fix."""
    settings.REGISTRY_URL, settings.GITHUB_API_URL = "https://registry.acme.io", "http://127.0.0.1:1"
    captive = Sources(web=OutboundClient(resolve=lambda host, port: ["10.0.0.1"]))
    keys = [key for key in CHECKS if key.startswith(("release.", "keys."))]
    checks = execution.run_checks(keys, SUBJECT, captive)
    assert {key: result.summary for key, result in checks.items() if result.outcome in ("pass", "fail")} == {}


def test_cut_off_preflight_could_not_report(cut):
    keys = execution.list_check_keys(PROGRAM.newest)
    assert PreflightReport(SUBJECT, execution.run_checks(keys, SUBJECT, cut)).exit_code == EXIT_UNDECIDED


@pytest.mark.parametrize("broken_key", sorted(CHECKS)[:3])
def test_check_that_raises_takes_no_other_with_it(cut, monkeypatch, broken_key):
    def breaks(_subject, _sources):
        raise ZeroDivisionError

    usual = execution.run_checks(sorted(CHECKS), SUBJECT, cut)
    monkeypatch.setitem(CHECKS, broken_key, replace(CHECKS[broken_key], run=breaks))
    checks = execution.run_checks(sorted(CHECKS), SUBJECT, cut)
    assert (
        checks.pop(broken_key).summary
        == "We couldn't complete this check because of an error on our side. No action needed."
    )
    usual.pop(broken_key)
    assert checks == usual
