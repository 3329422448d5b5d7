"""Tests of the command check_repository, which runs preflight."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from verification.preflight.cli import main

NAME = "acme/terraform-provider-rocket"


def run_check_repository(*arguments):
    out = io.StringIO()
    try:
        call_command("check_repository", *arguments, stdout=out, stderr=io.StringIO())
    except SystemExit as exit_error:
        return exit_error.code, out.getvalue()
    return 0, out.getvalue()


@pytest.mark.github
@pytest.mark.parametrize("form", [[], ["--format", "json"], ["--format", "sarif"]])
def test_command_prints_the_report_of_preflight(github, registry, form):
    github.seed(Repo(NAME, license="GPL-3.0-only"))
    registry.publish(Provider("acme/rocket"))
    out = io.StringIO()
    code = main(["terraform-provider", NAME, *form], out, io.StringIO())
    assert run_check_repository(NAME, "--program", "terraform-provider", *form) == (code, out.getvalue())
    if "json" in form:
        assert json.loads(out.getvalue())["repository"] == NAME


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([NAME], "the following arguments are required: --program"),
        (["--program", "nomad"], "the following arguments are required: OWNER/NAME"),
        ([NAME, "acme/other", "--program", "nomad"], "unrecognized arguments: acme/other"),
        (["acme", "--program", "nomad"], "Enter a URL with an owner and a repository"),
        ([NAME, "--program", "nomad", "--edition", "1999-01"], "nomad has these editions"),
    ],
)
def test_invalid_arguments_are_reported(arguments, message):
    with pytest.raises(CommandError, match=message):
        run_check_repository(*arguments)


def test_invalid_repository_exits_with_the_code_of_usage_errors():
    with pytest.raises(CommandError) as error:
        run_check_repository("acme", "--program", "nomad")
    assert error.value.returncode == 2
