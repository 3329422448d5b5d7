import json

import pytest
from django.core.management import CommandError, call_command

from tests.verification.releases import faults
from tests.verification.releases.world import Release


def run_verify_release(capsys, *arguments):
    call_command("verify_release", *arguments)
    return capsys.readouterr().out


def test_command_answers_in_json(world, capsys):
    world.publish(Release("command"))
    data = json.loads(run_verify_release(capsys, "--registry", world.url, "acme/command", "1.0.0", "--json"))
    assert (data["provider"], data["version"], data["platforms"]) == ("acme/command", "1.0.0", ["linux_amd64"])
    assert data["terraform"] == {
        "verdict": "accept",
        "message": "",
        "platform": "linux_amd64",
        "platforms": {"linux_amd64": {"verdict": "accept", "message": ""}},
    }
    assert all(set(check) == {"id", "title", "outcome", "summary", "evidence"} for check in data["checks"])
    assert data["outcome"] == "pass"


def test_command_says_what_terraform_would_say(world, capsys):
    world.publish(faults.INSTALL["wrong-key"]("command-wrong"))
    data = json.loads(run_verify_release(capsys, "--registry", world.url, "acme/command-wrong", "v1.0.0", "--json"))
    assert data["terraform"]["verdict"] == "refuse"
    assert data["terraform"]["message"] == "authentication signature from unknown issuer"
    assert data["outcome"] == "fail"


def test_command_answers_in_words(world, capsys):
    world.publish(Release("command-words"))
    lines = run_verify_release(
        capsys, "--registry", world.url, "acme/command-words", "--host", "registry.acme.io"
    ).splitlines()
    assert lines[0] == "registry.acme.io/acme/command-words 1.0.0"
    assert lines[-1] == "Terraform on linux_amd64: accept."
    assert "PASS     Signature: Signed by a registered key." in lines


@pytest.mark.parametrize(
    ("registry", "provider", "why"),
    [
        ("http://127.0.0.1:1", "rocket", "NAMESPACE/NAME"),
        ("http://127.0.0.1:1", "acme/rocket/1.0.0", "NAMESPACE/NAME"),
        ("http://registry.acme.io", "acme/rocket", "Use https"),
        ("http://10.0.0.1", "acme/rocket", "private address"),
        ("registry.acme.io", "acme/rocket", "not a valid URL"),
    ],
)
def test_command_refuses(registry, provider, why):
    with pytest.raises(CommandError, match=why):
        call_command("verify_release", "--registry", registry, provider)
