"""Tests of the input of provider acceptance tests."""

from pathlib import Path

import pytest

from tests.verification.testruns.provider_lifecycle.world import BASE
from verification.testruns.kinds.provider_lifecycle.config import (
    find_config_problem,
    parse_environment,
    parse_hosts,
    select_assignments,
)
from verification.testruns.terraform_cli import parse_executable_name


def test_environment_is_read_with_comments_and_quotes() -> None:
    assert parse_environment('# a\n\nexport A="b c"\nTF_VAR_x=1\n') == {"A": "b c", "TF_VAR_x": "1"}


def test_only_the_assignments_of_a_saved_test_account_count() -> None:
    account = (
        "Sign in at https://acme.io/?team=1 as ann\n# EU\nexport ACME_TOKEN=s3cret\n\nPassword: x\nACME_URL = a=b\n"
    )
    assert parse_environment(select_assignments(account)) == {"ACME_TOKEN": "s3cret", "ACME_URL": "a=b"}


WHY_RESERVED = "because it controls the test run itself. You can set TF_VAR_… variables."


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("token", "Enter line 1 as NAME=value."),
        ("1A=b", "Enter line 1 as NAME=value."),
        ("=b", "Enter line 1 as NAME=value."),
        ("TF_CLI_ARGS=-x", f"You can't set TF_CLI_ARGS, {WHY_RESERVED}"),
        ("LD_PRELOAD=x", f"You can't set LD_PRELOAD, {WHY_RESERVED}"),
        ("https_proxy=x", f"You can't set https_proxy, {WHY_RESERVED}"),
    ],
)
def test_invalid_environment_is_refused(line: str, message: str) -> None:
    with pytest.raises(ValueError) as refusal:
        parse_environment(line)
    assert str(refusal.value) == message


def test_hosts_must_be_host_names() -> None:
    assert parse_hosts("API.acme.io, b.acme.io:8443") == ("api.acme.io", "b.acme.io:8443")
    for text in ("https://a.io", "10.0.0.1", "localhost", "a..b", "b.acme.io:65536", "b.acme.io:0"):
        with pytest.raises(ValueError, match="isn't a host name"):
            parse_hosts(text)


def test_executable_name_contains_name_and_version() -> None:
    assert parse_executable_name(Path("terraform-provider-google-beta_v1.2.3-rc.1_x5")) == ("google-beta", "1.2.3-rc.1")
    assert parse_executable_name(Path("terraform-provider-null")) == ("null", "")
    assert parse_executable_name(Path("provider")) == ("", "")


def find_problem(**more: str) -> str:
    inputs = {"base": BASE, "changed": BASE, "failing_change": "", "refused": "", "partial": ""} | more
    return find_config_problem(inputs, {"A": "s3cret-value"})


def test_credential_in_a_configuration_is_refused() -> None:
    assert find_problem() == ""
    message = "A configuration contains the value of A. Use a variable to keep the value out of the test run."
    assert find_problem(changed=BASE + "# s3cret-value") == message


def test_remote_state_is_refused() -> None:
    message = "Remove “backend” and “cloud”. The test run manages the state itself."
    assert find_problem(base=f'terraform {{\n  backend "http" {{}}\n}}\n{BASE}') == message
    assert find_problem(changed=f"terraform {{\n  cloud {{}}\n}}\n{BASE}") == message
