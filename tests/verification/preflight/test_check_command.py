import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from verification.preflight.cli import main

NAME = "acme/terraform-provider-rocket"


def run_check_command(*words):
    out = io.StringIO()
    try:
        call_command("check_repository", *words, stdout=out, stderr=io.StringIO())
    except SystemExit as end:
        return end.code, out.getvalue()
    return 0, out.getvalue()


@pytest.mark.github
@pytest.mark.parametrize("form", [[], ["--format", "json"], ["--format", "sarif"]])
def test_check_says_what_preflight_says(github, registry, form):
    github.seed(Repo(NAME, license="GPL-3.0-only"))
    registry.publish(Provider("acme/rocket"))
    out = io.StringIO()
    code = main(["terraform-provider", NAME, *form], out, io.StringIO())
    assert run_check_command(NAME, "--program", "terraform-provider", *form) == (code, out.getvalue())
    if "json" in form:
        assert json.loads(out.getvalue())["repository"] == NAME


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([NAME], "the following arguments are required: --program"),
        (["--program", "nomad"], "the following arguments are required: OWNER/NAME"),
        ([NAME, "acme/other", "--program", "nomad"], "unrecognized arguments: acme/other"),
        (["acme", "--program", "nomad"], "Enter a URL with an owner and a repository"),
        ([NAME, "--program", "nomad", "--edition", "1999-01"], "nomad has these editions"),
    ],
)
def test_check_of_what_cannot_be(words, sentence):
    with pytest.raises(CommandError, match=sentence):
        run_check_command(*words)


def test_invalid_repository_ends_with_the_code_of_usage_errors():
    with pytest.raises(CommandError) as refusal:
        run_check_command("acme", "--program", "nomad")
    assert refusal.value.returncode == 2
