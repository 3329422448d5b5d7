"""Test of the example in the guide about checks."""

import textwrap
from dataclasses import replace

import pytest
import yaml

from tests.codebase.project_files import ROOT
from tests.verification.checks.fake_sources import REPOSITORY, SUBJECT, FakeSources, build_release_answers
from verification.checks import types
from verification.outcomes import Outcome

GUIDE = (ROOT / "docs" / "how-to" / "add-a-check.md").read_text()


def read_code_block(language: str) -> str:
    return textwrap.dedent(GUIDE.split(f"```{language}\n")[1].split("```")[0])


@pytest.fixture
def example_check(monkeypatch: pytest.MonkeyPatch) -> types.Check:
    """Register the check of the guide with its description."""
    description = types.CheckDescription(**yaml.safe_load(read_code_block("yaml"))[0])
    monkeypatch.setattr(types, "load_descriptions", lambda: {description.key: description})
    monkeypatch.setattr(types, "CHECKS", {})
    exec(read_code_block("python"), {})
    return types.CHECKS[description.key]


@pytest.mark.parametrize(
    ("homepage", "outcome", "summary"),
    [
        ("https://acme.example", Outcome.PASS, "The homepage is https://acme.example."),
        ("", Outcome.WARN, "The repository has no homepage."),
    ],
)
def test_example_of_the_guide_is_a_working_check(
    example_check: types.Check, homepage: str, outcome: Outcome, summary: str
) -> None:
    repository = replace(REPOSITORY, homepage=homepage)
    result = example_check.run(SUBJECT, FakeSources(**build_release_answers(), repository_answer=repository))
    assert (result.outcome, result.summary) == (outcome, summary)
    assert result.evidence[0].value == repository.full_name
