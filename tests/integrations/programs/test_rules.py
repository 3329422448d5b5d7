"""Rules about the texts of programs, which new programs must follow too.

The loader refuses inconsistent editions: see test_loader.py.
"""

import re
from pathlib import Path

import pytest

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Edition

ROOT = Path(__file__).parents[3]
ALL_EDITIONS = {f"{p.key}@{e.date}": e for p in PROGRAMS.values() for e in p.editions}


@pytest.fixture(params=ALL_EDITIONS.values(), ids=ALL_EDITIONS.keys())
def edition(request: pytest.FixtureRequest) -> Edition:
    return request.param


def list_requirements(edition: Edition) -> list:
    tiers = [r for t in edition.tiers for r in t.requirements]
    return [*edition.list_requirements(), *(r for r in tiers if r not in edition.list_requirements())]


def test_every_edition_links_to_resources(edition):
    assert any(part.links for part in (edition, *edition.steps, *edition.categories, *list_requirements(edition)))


def test_attestations_are_whole_sentences(edition):
    statements = [requirement.statement for requirement in list_requirements(edition) if requirement.statement]
    assert [statement for statement in statements if not statement.endswith(".")] == []


def test_texts_have_no_exclamation_marks_and_no_banned_words(edition):
    assert re.findall(r"!|\binvalid\b|\billegal\b", repr(edition), re.IGNORECASE) == []


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_name_check_needs_a_pattern_and_a_repository(program):
    has_name_check = any("repository.name" in r.checks for e in program.editions for r in e.list_requirements())
    assert has_name_check == bool(program.repository_pattern)
    assert not has_name_check or (program.needs_repository and program.repository_hint)


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("terraform-provider", "terraform-provider-aws", "terraform-provider-AWS"),
        ("packer", "packer-plugin-exoscale", "packer-exoscale"),
        ("consul-nia", "terraform-panos-dag-nia", "terraform-panos-nia"),
    ],
)
def test_repository_pattern_distinguishes_names(key, good, bad):
    pattern = PROGRAMS[key].repository_pattern
    assert (bool(re.match(pattern, good)), bool(re.match(pattern, bad))) == (True, False)


def test_code_has_no_special_cases_for_programs():
    # Comparing the programs of two integrations is fine, but code that names one has a special case.
    pattern = re.compile(
        r"program\.key\s*(==|!=)|(program_key|edition_date|edition\.date)\s*(==|!=)\s*[\"']"
        r"|(program_key|program\.key)\s+(not\s+)?in\s*[\[({]"
    )
    violations = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("integrations", "verification", "portal")
        for path in (ROOT / folder).rglob("*.py")
        if (ROOT / "integrations" / "programs") not in path.parents and "migrations" not in path.parts
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if pattern.search(line)
    ]
    assert violations == []
