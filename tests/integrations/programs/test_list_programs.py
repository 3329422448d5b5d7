"""Tests of the command list_programs."""

import json
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from integrations.programs.registry import PROGRAMS
from integrations.programs.rendering import describe_edition, format_edition
from integrations.programs.sla_policy import SeverityTargets, SlaTarget


def run_list_programs(*args: str) -> str:
    out = StringIO()
    call_command("list_programs", *args, stdout=out)
    return out.getvalue()


def test_json_holds_one_object_per_edition():
    data = json.loads(run_list_programs("--json"))
    every = [(p.key, e.date) for p in PROGRAMS.values() for e in p.editions]
    assert [(one["key"], one["edition"]) for one in data] == every


def test_json_names_steps_and_requirements_as_the_edition_does():
    editions = {(one["key"], one["edition"]): one for one in json.loads(run_list_programs("--json"))}
    for program in PROGRAMS.values():
        for edition in program.editions:
            one = editions[program.key, edition.date]
            assert [(s["name"], s["stage"]) for s in one["steps"]] == [(s.name, str(s.stage)) for s in edition.steps]
            assert [
                (r["id"], r["title"], r["responsible_party"], r["kind"])
                for s in one["steps"]
                for r in s["requirements"]
            ] == [(r.id, r.title, str(r.responsible_party), str(r.kind)) for r in edition.list_requirements()]


def test_json_holds_rules_as_plain_values():
    (nomad,) = json.loads(run_list_programs("--json", "--program", "nomad"))
    assert nomad["sla"] == {
        "summary": "Partners resolve critical issues within 48 hours, and all others within 5 business days.",
        "respond": None,
        "resolve": {
            "critical": {"hours": 48, "business_days": None, "binding": "required", "implements": "NIP-14.5"},
            "other": {"hours": None, "business_days": 5, "binding": "required", "implements": "NIP-14.6"},
        },
        "zone": "",
    }
    assert nomad["licenses"]["rules"] == [
        {"published": "MPL-2.0", "allow": ["MPL-2.0"], "manual_review": [], "note": ""}
    ]
    assert nomad["mailbox"] == "Nomad-integration-dev@hashicorp.com"
    assert len(nomad["categories"]) == 8


def test_text_shows_every_title_rule_and_tier():
    text = run_list_programs()
    for program in PROGRAMS.values():
        for edition in program.editions:
            expected_texts = (
                edition.date,
                edition.mailbox,
                edition.listing,
                edition.removal,
                edition.sla.summary,
                edition.licenses.summary,
                *edition.offerings,
                *(s.name for s in edition.steps),
                *(r.title for r in edition.list_requirements()),
                *(c.name for c in edition.categories),
                *(t.name for t in edition.tiers),
                *(line.published for line in edition.licenses.rules),
                *(a.email for a in edition.agencies),
            )
            in_force = edition == program.default_edition
            edition_text = format_edition(describe_edition(program, edition, in_force=in_force))
            assert [words for words in expected_texts if words not in edition_text] == []
            assert edition_text in text


@pytest.mark.parametrize(("setting", "date"), [({}, "2021-10"), ({"terraform-provider": "2026-06"}, "2026-06")])
def test_edition_in_force_is_marked(settings, setting, date):
    settings.PROGRAM_EDITIONS = setting
    editions = json.loads(run_list_programs("--json", "--program", "terraform-provider"))
    assert [one["edition"] for one in editions if one["in_force"]] == [date]
    lines = run_list_programs("--program", "terraform-provider").splitlines()
    assert [line for line in lines if "in force" in line] == [
        f"Terraform provider (terraform-provider), edition {date} (in force)"
    ]


def test_text_of_a_program_without_targets_says_that_it_has_none():
    assert "SLA         no targets" in run_list_programs("--program", "packer")


def test_text_leaves_out_a_target_type_whose_issues_are_only_measured() -> None:
    program = PROGRAMS["nomad"]
    edition = program.editions[-1]
    sla = replace(edition.sla, respond=SeverityTargets(), resolve=SeverityTargets(critical=SlaTarget(hours=48)))
    text = format_edition(describe_edition(program, replace(edition, sla=sla), in_force=True))
    assert [line for line in text.splitlines() if line.startswith("SLA")] == ["SLA         resolve: critical 48 h"]


def test_unknown_program_is_refused():
    with pytest.raises(CommandError):
        run_list_programs("--program", "waypoint")
