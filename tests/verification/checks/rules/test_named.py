from integrations.programs.registry import PROGRAMS
from verification.checks import rules
from verification.checks.types import CHECKS


def test_every_check_that_a_program_names_exists():
    assert rules.__all__
    check_names = {
        key
        for program in PROGRAMS.values()
        for edition in program.editions
        for requirement in (*edition.requirements(), *(r for tier in edition.tiers for r in tier.requirements))
        for key in requirement.checks
    }
    assert check_names - set(CHECKS) == set()
    assert "repository.license" in check_names
