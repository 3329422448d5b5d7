"""Is every program well made? Rules that an eighth program must keep as well."""

import re
from pathlib import Path

import pytest

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Edition, FulfillingParty, RequirementKind, Stage
from verification.checks import rules, types

ROOT = Path(__file__).parents[3]
EVERY = {f"{p.key}@{e.date}": e for p in PROGRAMS.values() for e in p.editions}
CHECKS = set(types.CHECKS) if rules.__all__ else set()  # importing the package registers them
FIELD_TYPES = {"text", "lines", "url", "email", "choice", "choices", "number", "date", "yes"}
ASKED_AT_THE_START = {"name", "description", "repository", "category", "homepage", "offerings"}


@pytest.fixture(params=EVERY.values(), ids=EVERY.keys())
def edition(request: pytest.FixtureRequest) -> Edition:
    return request.param


def everything(edition: Edition) -> list:
    tiers = [r for t in edition.tiers for r in t.requirements]
    return [*edition.requirements(), *(r for r in tiers if r not in edition.requirements())]


def test_ids_and_keys_are_unique(edition):
    for names in (
        [r.id for r in everything(edition)],
        [s.key for s in edition.steps],
        [c.key for c in edition.categories],
        [t.key for t in edition.tiers],
    ):
        assert len(names) == len(set(names))


def test_path_goes_through_review_release_and_support_in_this_order(edition):
    ends = (Stage.REVIEW, Stage.RELEASE, Stage.SUPPORT)
    assert tuple(stage for _, stage in edition.positions() if stage in ends) == ends
    assert edition.positions()[-1][1] == Stage.SUPPORT


def test_every_deadline_lies_on_the_path(edition):
    for requirement in edition.requirements():
        assert 0 < edition.deadline(requirement) < len(edition.positions())


def test_no_requirement_is_due_before_its_own_step_begins(edition):
    places = [step.key for step, _ in edition.positions()]
    for requirement in edition.requirements():
        assert edition.deadline(requirement) >= places.index(edition.step_of(requirement).key)


def test_groups_of_the_path_exist_and_are_used(edition):
    used = {r.group for r in edition.requirements() if r.group}
    assert used == {g.key for g in edition.groups}


def test_groups_of_each_tier_exist_and_can_be_met(edition):
    for tier in edition.tiers:
        members = [r.group for r in tier.requirements if r.group]
        assert set(members) == {g.key for g in tier.groups}
        assert all(1 <= g.minimum <= members.count(g.key) for g in tier.groups)


def test_categories_named_by_requirements_exist(edition):
    category_keys = {key for r in everything(edition) for key in r.categories}
    assert category_keys <= {c.key for c in edition.categories}


def test_exactly_one_tier_is_entered_at_release(edition):
    assert len([t for t in edition.tiers if t.granted_at_release]) == 1


def test_each_kind_of_requirement_can_be_used(edition):
    usable = {
        RequirementKind.FORM: lambda r: r.fields,
        RequirementKind.DOCUMENT: lambda r: r.accept,
        RequirementKind.AGREEMENT: lambda r: r.agreement in ("mnda", "tpa") and r.who == FulfillingParty.BOTH,
        RequirementKind.ATTESTATION: lambda r: r.statement.endswith("."),
        RequirementKind.MEETING: lambda r: r.meeting_items and r.who == FulfillingParty.BOTH,
        RequirementKind.CREDENTIALS: lambda r: r.who == FulfillingParty.PARTNER,
        RequirementKind.CHECK: lambda r: r.checks and set(r.checks) <= CHECKS and r.who == FulfillingParty.MACHINE,
    }
    assert [r.id for r in everything(edition) if not usable[r.kind](r)] == []


def test_every_requirement_says_why(edition):
    assert [r.id for r in everything(edition) if not r.why] == []


def test_forms_ask_usable_questions_and_none_of_the_start_form(edition):
    for requirement in everything(edition):
        keys = [f.key for f in requirement.fields]
        assert len(keys) == len(set(keys))
        assert not ASKED_AT_THE_START & set(keys)
        for field in requirement.fields:
            assert field.type in FIELD_TYPES
            assert bool(field.options) == (field.type in ("choice", "choices"))


def test_no_license_is_both_allowed_and_asked_about(edition):
    assert edition.licenses.allow & edition.licenses.ask == frozenset()


def test_license_check_needs_a_license_rule_and_the_other_way_round(edition):
    has_license_check = any("repository.license" in r.checks for r in edition.requirements())
    assert has_license_check == bool(edition.licenses.lines)


def test_links_are_addresses_with_titles(edition):
    links = [
        *edition.links,
        *(link for part in (*edition.steps, *edition.categories, *everything(edition)) for link in part.links),
    ]
    assert links
    assert [link for link in links if not re.match(r"https?://[a-z0-9.-]+(/|$)", link.url) or not link.title] == []


def test_words_keep_the_tone(edition):
    assert re.findall(r"!|\binvalid\b|\billegal\b", repr(edition), re.IGNORECASE) == []


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_editions_are_dated_and_in_order(program):
    dates = [e.date for e in program.editions]
    assert dates == sorted(set(dates))
    assert all(re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", date) for date in dates)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_renamed_names_lead_from_an_older_edition_to_a_newer(program):
    for edition in program.editions:
        for date, names in edition.renamed.items():
            assert _names(program.by_date[date]) >= set(names)
            assert _names(edition) >= set(names.values())


def _names(edition: Edition) -> set[str]:
    parts = (edition.requirements(), edition.steps, edition.categories)
    return {getattr(part, "id", "") or part.key for parts_ in parts for part in parts_}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_name_check_needs_a_pattern_and_a_repository(program):
    asks = any("repository.name" in r.checks for e in program.editions for r in e.requirements())
    assert asks == bool(program.repository_pattern)
    assert not asks or (program.needs_repository and program.repository_hint)


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


def test_no_code_asks_which_program_it_is():
    # Comparing two integrations' programs is fine; naming one of them is what would make it a special case.
    asking = re.compile(
        r"program\.key\s*(==|!=)|(program_key|edition_date|edition\.date)\s*(==|!=)\s*[\"']"
        r"|(program_key|program\.key)\s+(not\s+)?in\s*[\[({]"
    )
    violations = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("integrations", "verification", "portal")
        for path in (ROOT / folder).rglob("*.py")
        if (ROOT / "integrations" / "programs") not in path.parents and "migrations" not in path.parts
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if asking.search(line)
    ]
    assert violations == []
