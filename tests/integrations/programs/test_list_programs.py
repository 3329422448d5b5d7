"""Does the command print every program?"""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from integrations.programs.registry import PROGRAMS
from integrations.programs.rendering import describe, table


def printed(*args: str) -> str:
    out = StringIO()
    call_command("list_programs", *args, stdout=out)
    return out.getvalue()


def test_json_holds_one_object_per_edition():
    said = json.loads(printed("--json"))
    every = [(p.key, e.date) for p in PROGRAMS.values() for e in p.editions]
    assert [(one["key"], one["edition"]) for one in said] == every


def test_json_names_steps_and_requirements_as_the_edition_does():
    said = {(one["key"], one["edition"]): one for one in json.loads(printed("--json"))}
    for program in PROGRAMS.values():
        for edition in program.editions:
            one = said[program.key, edition.date]
            assert [(s["name"], s["stage"]) for s in one["steps"]] == [(s.name, str(s.stage)) for s in edition.steps]
            assert [(r["id"], r["title"], r["who"], r["kind"]) for s in one["steps"] for r in s["requirements"]] == [
                (r.id, r.title, str(r.who), str(r.kind)) for r in edition.requirements()
            ]


def test_json_holds_rules_as_plain_values():
    (nomad,) = json.loads(printed("--json", "--program", "nomad"))
    assert nomad["sla"] == {
        "verb": "resolve",
        "summary": "Critical issues are resolved within 48 hours, all others within 5 business days.",
        "critical": {"hours": 48, "business_days": None, "ideally": False},
        "other": {"hours": None, "business_days": 5, "ideally": False},
    }
    assert nomad["licences"]["lines"] == [{"published": "MPL-2.0", "allow": ["MPL-2.0"], "ask": [], "note": ""}]
    assert nomad["mailbox"] == "Nomad-integration-dev@hashicorp.com"
    assert len(nomad["categories"]) == 8


def test_text_shows_every_title_rule_and_tier():
    text = printed()
    for program in PROGRAMS.values():
        for edition in program.editions:
            shown = (
                edition.date, edition.mailbox, edition.listing, edition.removal, edition.sla.summary,
                edition.licences.summary, *edition.offerings, *(s.name for s in edition.steps),
                *(r.title for r in edition.requirements()), *(c.name for c in edition.categories),
                *(t.name for t in edition.tiers), *(line.published for line in edition.licences.lines),
                *(a.email for a in edition.agencies),
            )  # fmt: skip
            assert [words for words in shown if words not in table(describe(program, edition))] == []
            assert table(describe(program, edition)) in text


def test_text_of_a_program_without_figures_says_so():
    assert "SLA         track: no figures" in printed("--program", "packer")


def test_unknown_program_is_refused():
    with pytest.raises(CommandError):
        printed("--program", "waypoint")
