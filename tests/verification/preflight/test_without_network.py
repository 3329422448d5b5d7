"""Tests of preflight without a network."""

from dataclasses import replace

import pytest

from integrations.programs.registry import PROGRAMS
from verification.checks import execution
from verification.checks.types import CHECKS
from verification.preflight.report import EXIT_UNDECIDED, PreflightReport
from verification.sources import Sources
from verification.sources.http.client import OutboundClient

PROGRAM = PROGRAMS["terraform-provider"]
SUBJECT = execution.build_subject(PROGRAM, PROGRAM.editions[-1], "acme/terraform-provider-rocket")
SUBJECT_WITH_LINKS = replace(
    SUBJECT, homepage="https://acme.example", answers={"A": {"documentation": "https://acme.io/docs"}}
)


def fail_to_resolve(host, port):
    raise OSError("unreachable")


@pytest.fixture
def offline_sources(settings):
    settings.GITHUB_API_URL = settings.REGISTRY_URL = "http://127.0.0.1:1"
    return Sources(web=OutboundClient(loopback=True, resolve=fail_to_resolve))


@pytest.mark.parametrize("subject", [SUBJECT, SUBJECT_WITH_LINKS], ids=["bare", "with answers"])
def test_no_check_passes_without_a_network(offline_sources, subject):
    checks = execution.run_checks(sorted(CHECKS), subject, offline_sources)
    passed_summaries = {
        key: result.summary for key, result in checks.items() if result.outcome in ("pass", "warn", "waived")
    }
    nothing_asked = ("This program asks for no", "This program accepts any language")
    assert {key: summary for key, summary in passed_summaries.items() if not summary.startswith(nothing_asked)} == {}
    assert [key for key, result in checks.items() if "fault is ours" in result.summary] == []


def test_no_check_fails_because_of_an_outage(offline_sources):
    checks = execution.run_checks(sorted(CHECKS), SUBJECT_WITH_LINKS, offline_sources)
    assert {key: result.summary for key, result in checks.items() if result.outcome == "fail"} == {}


def test_outage_makes_every_check_of_the_release_an_error(offline_sources):
    keys = [key for key in CHECKS if key.startswith(("release.", "keys.")) and key != "release.download"]
    checks = execution.run_checks(keys, SUBJECT, offline_sources)
    assert {key: result.outcome for key, result in checks.items()} == dict.fromkeys(keys, "error")


def test_release_checks_do_not_fail_if_the_registry_resolves_to_a_private_address(settings):
    """Some networks resolve the registry's name to a private address, which the company can't fix."""
    settings.REGISTRY_URL = "https://registry.acme.io"
    settings.GITHUB_API_URL = "http://127.0.0.1:1"
    intercepted_sources = Sources(web=OutboundClient(resolve=lambda host, port: ["10.0.0.1"]))
    keys = [key for key in CHECKS if key.startswith(("release.", "keys."))]
    checks = execution.run_checks(keys, SUBJECT, intercepted_sources)
    assert {key: result.summary for key, result in checks.items() if result.outcome in ("pass", "fail")} == {}


def test_preflight_without_a_network_is_undecided(offline_sources):
    keys = execution.list_check_keys(PROGRAM.editions[-1])
    assert PreflightReport(SUBJECT, execution.run_checks(keys, SUBJECT, offline_sources)).exit_code == EXIT_UNDECIDED


@pytest.mark.parametrize("broken_key", sorted(CHECKS)[:3])
def test_check_that_raises_does_not_change_other_checks(offline_sources, monkeypatch, broken_key):
    def raise_error(_subject, _sources):
        raise ZeroDivisionError

    expected_checks = execution.run_checks(sorted(CHECKS), SUBJECT, offline_sources)
    monkeypatch.setitem(CHECKS, broken_key, replace(CHECKS[broken_key], run=raise_error))
    checks = execution.run_checks(sorted(CHECKS), SUBJECT, offline_sources)
    assert (
        checks.pop(broken_key).summary
        == "We couldn't complete this check because of an error on our side. No action needed."
    )
    expected_checks.pop(broken_key)
    assert checks == expected_checks
