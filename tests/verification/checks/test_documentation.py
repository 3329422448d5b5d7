"""Tests of the texts and the reference page of checks."""

import pytest
from django.core.management import CommandError, call_command

from integrations.programs.registry import PROGRAMS
from portal.core.content_files import load_section
from portal.ui.content.glossary import OUTCOME_DESCRIPTIONS
from verification.checks import execution
from verification.checks.documentation import list_programs_using_check
from verification.checks.management.commands.checks_table import Command
from verification.checks.types import CHECKS, CONTENT_PATH, CheckDescription
from verification.outcomes import Outcome


@pytest.mark.parametrize("key", sorted(CHECKS))
def test_check_has_all_texts(key):
    check = CHECKS[key]
    assert check.expectation.endswith(".")
    assert check.advice.endswith(".")
    assert check.title
    assert not check.title.endswith(".")
    assert check.details == "" or check.details.endswith(".")
    assert check.version > 0


def test_every_required_check_exists():
    required_keys = {
        key
        for program in PROGRAMS.values()
        for edition in program.editions
        for key in execution.list_check_keys(edition)
    }
    assert required_keys - set(CHECKS) == set()
    assert "repository.license" in required_keys


def test_programs_that_use_a_check_are_listed():
    assert {"nomad", "packer"} <= {program.key for program in list_programs_using_check("repository.language")}
    assert list_programs_using_check("no.check") == ()


def test_every_outcome_has_a_description():
    assert set(OUTCOME_DESCRIPTIONS) == set(Outcome)


def test_page_lists_every_check():
    assert [key for key in CHECKS if f"\n| `{key}` | " not in Command().build_section()] == []


def test_outdated_page_is_reported_and_updated(settings, tmp_path):
    settings.BASE_DIR = tmp_path
    page = tmp_path / "docs" / "reference" / "checks.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Checks\n<!-- checks: begin -->\nold\n<!-- checks: end -->\nend\n")
    with pytest.raises(CommandError, match="does not match the checks"):
        call_command("checks_table", check=True)
    call_command("checks_table")
    call_command("checks_table", check=True)
    assert page.read_text().startswith("# Checks\n")
    assert page.read_text().endswith("<!-- checks: end -->\nend\n")


def test_content_file_describes_each_check_once():
    descriptions = load_section(CONTENT_PATH, "checks", tuple[CheckDescription, ...])
    assert sorted(description.key for description in descriptions) == sorted(CHECKS)
