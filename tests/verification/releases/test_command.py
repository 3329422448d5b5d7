"""Tests of the command verify_release."""

import json

import pytest
from django.core.management import CommandError, call_command

from tests.verification.releases import faults
from tests.verification.releases.release_registry import Release


def run_verify_release(capsys, *arguments):
    call_command("verify_release", *arguments)
    return capsys.readouterr().out


def test_json_output_has_the_verdict_and_the_checks(registry, capsys):
    registry.publish(Release("command"))
    data = json.loads(run_verify_release(capsys, "--registry", registry.url, "acme/command", "1.0.0", "--json"))
    assert (data["provider"], data["version"], data["platforms"]) == ("acme/command", "1.0.0", ["linux_amd64"])
    assert data["terraform"] == {
        "verdict": "accept",
        "message": "",
        "platform": "linux_amd64",
        "platforms": {"linux_amd64": {"verdict": "accept", "message": ""}},
    }
    assert all(set(check) == {"id", "title", "outcome", "summary", "evidence"} for check in data["checks"])
    assert data["outcome"] == "pass"


def test_json_output_has_terraforms_refusal(registry, capsys):
    registry.publish(faults.INSTALL["wrong-key"]("command-wrong"))
    data = json.loads(run_verify_release(capsys, "--registry", registry.url, "acme/command-wrong", "v1.0.0", "--json"))
    assert data["terraform"]["verdict"] == "refuse"
    assert data["terraform"]["message"] == "authentication signature from unknown issuer"
    assert data["outcome"] == "fail"


def test_text_output_lists_the_checks_and_ends_with_the_verdict(registry, capsys):
    registry.publish(Release("command-text"))
    lines = run_verify_release(
        capsys, "--registry", registry.url, "acme/command-text", "--host", "registry.acme.io"
    ).splitlines()
    assert lines[0] == "registry.acme.io/acme/command-text 1.0.0"
    assert lines[-1] == "Terraform on linux_amd64: accept."
    assert "PASS     Signature: Signed by a registered key." in lines


def test_failed_release_exits_with_1(registry, capsys):
    registry.publish(faults.INSTALL["wrong-key"]("command-failed"))
    with pytest.raises(SystemExit) as end:
        run_verify_release(capsys, "--registry", registry.url, "acme/command-failed")
    assert end.value.code == 1


def test_registry_without_a_response_exits_with_2(capsys):
    with pytest.raises(SystemExit) as end:
        run_verify_release(capsys, "--registry", "http://127.0.0.1:1", "acme/command")
    assert end.value.code == 2


@pytest.mark.parametrize(
    ("url", "provider", "message"),
    [
        ("http://127.0.0.1:1", "rocket", "NAMESPACE/NAME"),
        ("http://127.0.0.1:1", "acme/rocket/1.0.0", "NAMESPACE/NAME"),
        ("http://registry.acme.io", "acme/rocket", "Use https"),
        ("http://10.0.0.1", "acme/rocket", "private address"),
        ("registry.acme.io", "acme/rocket", "not a valid URL"),
        ("http://[", "acme/rocket", "Invalid IPv6 URL"),
    ],
)
def test_invalid_provider_or_registry_is_refused(url, provider, message):
    with pytest.raises(CommandError, match=message):
        call_command("verify_release", "--registry", url, provider)
