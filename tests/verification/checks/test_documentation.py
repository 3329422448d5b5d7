"""Does every check say in words what it asks?"""

import pytest
from django.core.management import CommandError, call_command

from integrations.programs.registry import PROGRAMS
from verification.checks import execution, question_texts
from verification.checks.documentation import MEANINGS, asks, more, programs_of
from verification.checks.management.commands import checks_table
from verification.checks.types import CHECKS
from verification.outcomes import Outcome


@pytest.mark.parametrize("key", sorted(CHECKS))
def test_check_has_its_words(key):
    check = CHECKS[key]
    assert asks(check).endswith(".")
    assert check.advice.endswith(".")
    assert check.title
    assert not check.title.endswith(".")
    assert all(paragraph.endswith((".", "…")) for paragraph in more(check))


def test_every_check_that_a_program_asks_for_exists():
    wanted = {
        key for program in PROGRAMS.values() for edition in program.editions for key in execution.keys_of(edition)
    }
    assert wanted - set(CHECKS) == set()


def test_programs_of_a_check():
    assert {"nomad", "packer"} <= {program.key for program in programs_of("repository.language")}
    assert programs_of("no.check") == ()


def test_every_outcome_has_a_meaning():
    assert set(MEANINGS) == set(Outcome)


def test_page_lists_every_check():
    assert [key for key in CHECKS if f"\n| `{key}` | " not in checks_table.table()] == []


def test_page_that_is_behind_is_said(monkeypatch, tmp_path):
    page = tmp_path / "checks.md"
    page.write_text(f"# Checks\n{checks_table.BEGIN}\nold\n{checks_table.END}\nend\n")
    monkeypatch.setattr(checks_table, "PAGE", page)
    with pytest.raises(CommandError, match="behind the checks"):
        call_command("checks_table", check=True)
    call_command("checks_table")
    call_command("checks_table", check=True)
    assert page.read_text().startswith("# Checks\n")
    assert page.read_text().endswith(f"{checks_table.END}\nend\n")


def test_translators_find_all_that_the_checks_ask():
    call_command("checks_words", check=True)
    assert set(question_texts.ASKED) >= {asks(check) for check in CHECKS.values()}
