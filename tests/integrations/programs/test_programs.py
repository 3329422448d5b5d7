"""Tests that each program agrees with its published page."""

import pytest

from integrations.programs.registry import PROGRAMS, get_edition
from integrations.programs.schema import Edition
from tests.integrations.submissions import published_programs

ALL_EDITIONS = [(program.key, edition.date) for program in PROGRAMS.values() for edition in program.editions]


@pytest.fixture(params=ALL_EDITIONS, ids=[f"{key}@{date}" for key, date in ALL_EDITIONS])
def name(request: pytest.FixtureRequest) -> tuple[str, str]:
    return request.param


@pytest.fixture
def edition(name: tuple[str, str]) -> Edition:
    return get_edition(*name)


def test_programs_are_the_published_ones():
    assert sorted(published_programs.EDITIONS) == ALL_EDITIONS


def test_steps_stages_mailbox_and_counts_are_the_published_ones(name, edition):
    edition_facts = (
        [step.name for step in edition.steps],
        [step.stage for step in edition.steps],
        edition.mailbox,
        len(edition.categories),
        len(edition.licenses.rules),
    )
    assert edition_facts == published_programs.EDITIONS[name]


def test_sla_targets_are_the_published_ones(name, edition):
    targets = [
        (target_type, severity, target.hours, target.business_days, target.binding)
        for target_type, severity, target in edition.sla.list_targets()
    ]
    assert targets == published_programs.SLA_TARGETS[name[0]]


def test_only_critical_targets_are_ideal(edition):
    ideal_severities = {severity for _verb, severity, target in edition.sla.list_targets() if target.is_ideal}
    assert ideal_severities - {"critical"} == set()


def test_checklist_appears_in_its_published_order(name, edition):
    expected_ids = published_programs.CHECKLISTS[name]
    assert [r.id for r in edition.list_requirements() if r.id in expected_ids] == expected_ids


def test_offerings_are_the_published_ones(name, edition):
    assert edition.offerings == published_programs.OFFERINGS[name]


@pytest.mark.parametrize("name", sorted(published_programs.CATEGORY_NAMES))
def test_category_names_are_the_published_ones(name):
    assert {c.name for c in get_edition(*name).categories} == published_programs.CATEGORY_NAMES[name]


def test_newer_provider_categories_are_the_older_with_one_renamed_and_one_added():
    then = published_programs.CATEGORY_NAMES["terraform-provider", "2021-10"]
    now = {c.name for c in get_edition("terraform-provider", "2026-06").categories}
    assert now == then - {"Comms & Messaging"} | {"Communication & Messaging", "Infrastructure Management"}


def test_fifteen_licenses_map_to_the_expected_spdx_ids():
    lines = get_edition("terraform-provider", "2021-10").licenses.rules
    assert [
        (line.published, " ".join(line.allow), " ".join(line.manual_review)) for line in lines
    ] == published_programs.LICENSES


def test_license_list_is_the_same_for_both_provider_editions_and_the_modules():
    lists = {get_edition(*name).licenses for name in ALL_EDITIONS if len(get_edition(*name).licenses.rules) == 15}
    assert len(lists) == 1


@pytest.mark.parametrize("spdx", published_programs.FORBIDDEN_LICENSES)
def test_unlisted_license_neither_passes_nor_needs_manual_review(spdx):
    policy = get_edition("terraform-provider", "2026-06").licenses
    assert spdx not in policy.allow | policy.manual_review


@pytest.mark.parametrize("key", ["nomad", "packer"])
def test_rule_allows_only_go_and_mpl(key):
    policy = PROGRAMS[key].editions[-1].licenses
    assert (policy.allow, policy.manual_review, policy.languages) == (frozenset({"MPL-2.0"}), frozenset(), ("Go",))


def test_development_kit_runs_from_a_to_f_in_both_editions():
    for edition in PROGRAMS["terraform-provider"].editions:
        letters = [link.title[0] for link in edition.get_step("prepare").links if link.title[1:2] == ")"]
        assert sorted(set(letters)) == list("abcdef")
        assert letters == sorted(letters)


def test_agencies_appear_in_the_older_provider_edition_only():
    agencies_by_edition = {
        name: [(a.name, a.email, a.site) for a in get_edition(*name).agencies] for name in ALL_EDITIONS
    }
    assert {name: agencies for name, agencies in agencies_by_edition.items() if agencies} == {
        ("terraform-provider", "2021-10"): published_programs.AGENCIES
    }


def test_tiers_of_providers_are_the_published_ones():
    older, newer = PROGRAMS["terraform-provider"].editions
    assert [t.key for t in older.tiers] == ["official", "verified", "community", "archived"]
    assert [t.key for t in newer.tiers] == ["official", "partner-premier", "partner", "community", "archived"]
    assert (older.release_tier.key, newer.release_tier.key) == ("verified", "partner")


def test_partner_premier_asks_for_one_of_each_group():
    premier = get_edition("terraform-provider", "2026-06").get_tier("partner-premier")
    members = {g.key: [r.id for r in premier.requirements if r.group == g.key] for g in premier.groups}
    assert premier.on_request
    assert [g.minimum for g in premier.groups] == [1, 1]
    assert members == {"technical": ["TP-SBOM"], "feature": ["TP-EPH", "TP-SEARCH", "TP-ACTION"]}


def test_partner_tier_has_six_requirements_that_are_on_the_path_too():
    edition = get_edition("terraform-provider", "2026-06")
    assert len(edition.release_tier.requirements) == 6
    assert set(edition.release_tier.requirements) <= set(edition.list_requirements())


def test_contact_changed_with_the_terraform_editions_of_2026():
    assert {
        name: get_edition(*name).contact for name in ALL_EDITIONS if get_edition(*name).contact != "Alliances manager"
    } == {
        ("terraform-provider", "2026-06"): "HashiCorp-IBM Product Partnerships Manager",
        ("terraform-run-task", "2026-06"): "HashiCorp-IBM Product Partnerships Manager",
    }


def test_run_task_review_covers_three_items():
    for edition in PROGRAMS["terraform-run-task"].editions:
        assert len(edition.get_requirement("RT-4").meeting_items) == 3


def test_run_task_summary_is_two_lines_shared_by_the_partner():
    for edition in PROGRAMS["terraform-run-task"].editions:
        summary = edition.get_requirement("RT-6")
        assert (summary.scope, [f.max_lines for f in summary.fields]) == ("partner", [2])


def test_run_task_stages_grew_from_one_to_four():
    older, newer = PROGRAMS["terraform-run-task"].editions
    stages = [{value for value, _ in e.get_requirement("RT-3").fields[0].options} for e in (older, newer)]
    assert stages == [{"pre_apply"}, {"pre_plan", "post_plan", "pre_apply", "post_apply", "api"}]


def test_only_nomad_accepts_permanent_credentials():
    permanence_by_id = {
        r.id: r.permanent
        for name in ALL_EDITIONS
        for r in get_edition(*name).list_requirements()
        if r.kind == "credentials"
    }
    assert permanence_by_id == {"NO-6": True, "PK-6": False, "VA-4": False}


def test_agreement_comes_before_building_in_the_newer_run_task_edition_only():
    older, newer = PROGRAMS["terraform-run-task"].editions
    stages = [str(e.positions[e.get_deadline(e.get_requirement("RT-2"))][1]) for e in (older, newer)]
    assert stages == ["release", "develop"]


def test_nomad_links_are_in_their_categories():
    link_counts = {c.key: len(c.links) for c in PROGRAMS["nomad"].editions[-1].categories if c.links}
    assert link_counts == {
        "container-runtime": 3,
        "gpus-hardware-devices": 4,
        "monitoring": 1,
        "storage": 1,
        "autoscaling": 1,
    }


def test_partners_are_distinguished_for_terraform_only():
    kinds = {program.key: program.partner_type for program in PROGRAMS.values() if program.partner_type}
    assert kinds == {"terraform-provider": "infrastructure", "terraform-run-task": "workflow"}


def test_email_questions_say_that_the_program_uses_the_address(edition):
    helps = {
        f"{requirement.id}.{question.key}": question.help
        for requirement in edition.list_all_requirements()
        for question in requirement.fields
        if question.type == "email"
    }
    # The portal itself writes to no address that no one has confirmed.
    assert [key for key, text in helps.items() if not text.startswith("The program uses this address ")] == []
