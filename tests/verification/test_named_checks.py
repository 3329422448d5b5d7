from integrations.programs import PROGRAMS
from verification import checks
from verification.base import CHECKS


def test_every_check_that_a_program_names_exists():
    assert checks.__all__
    named = {
        key
        for program in PROGRAMS.values()
        for edition in program.editions
        for requirement in (*edition.requirements(), *(r for tier in edition.tiers for r in tier.requirements))
        for key in requirement.checks
    }
    assert named - set(CHECKS) == set()
    assert "repository.licence" in named
