"""Tests of the program pages and of the program chooser."""

from dataclasses import replace
from html import unescape

import pytest
from bs4 import BeautifulSoup

from integrations.programs.calendars import Holiday, ProgramCalendar
from integrations.programs.registry import PROGRAMS
from integrations.programs.sla_policy import SeverityTargets, Sla, SlaTarget
from integrations.submissions.models import IntegrationDraft
from integrations.submissions.policy_labels import format_target, list_calendar_rows

pytestmark = pytest.mark.any_database

ALL_EDITIONS = [(program, edition) for program in PROGRAMS.values() for edition in program.editions]


@pytest.mark.parametrize(
    ("program", "edition"), ALL_EDITIONS, ids=lambda each: getattr(each, "key", getattr(each, "date", ""))
)
def test_program_page_shows_all_of_the_edition(client, db, program, edition):
    page = client.get(f"/programs/{program.key}/", {"edition": edition.date})
    text = unescape(page.text)
    steps = [step.name for step in edition.steps]
    requirement_titles = [r.title for r in edition.list_requirements()] + [
        r.title for t in edition.tiers for r in t.requirements
    ]
    expected_texts = [
        *steps,
        *requirement_titles,
        *(c.name for c in edition.categories),
        *(c.description for c in edition.categories),
        *(line.published for line in edition.licenses.rules),
        *(t.name for t in edition.tiers),
        *(t.description for t in edition.tiers),
        edition.mailbox,
        edition.listing,
        edition.removal,
        edition.badge_terms,
        edition.sla.summary,
        *edition.badges,
        *edition.offerings,
        *(text for _name, text in edition.offering_descriptions),
        *(link.url for link in edition.links),
        *(link.url for step in edition.steps for link in step.links),
        *(a.email for a in edition.agencies),
        *(contact.purpose for contact in edition.contacts),
        *(contact.email or contact.url for contact in edition.contacts),
        edition.calendar.zone,
    ]
    assert [words for words in expected_texts if words not in text] == []


def test_page_shows_the_edition_in_force_which_is_a_setting(client, db, settings):
    assert client.get("/programs/terraform-provider/").context["edition"].date == "2021-10"
    settings.PROGRAM_EDITIONS = {"terraform-provider": "2026-06"}
    assert client.get("/programs/terraform-provider/").context["edition"].date == "2026-06"


def list_tabs(page):
    links = BeautifulSoup(page.content, "html.parser").select(".tabs a")
    return [(link.get_text(strip=True), link.get("aria-current") == "page") for link in links]


def test_switch_shows_the_date_and_the_state_of_each_edition(client, db, settings):
    page = client.get("/programs/terraform-provider/")
    assert list_tabs(page) == [("2021-10 (in force)", True), ("2026-06 (upcoming)", False)]
    assert "New integrations use the edition in force" not in page.text
    page = client.get("/programs/terraform-provider/", {"edition": "2026-06"})
    assert list_tabs(page) == [("2021-10 (in force)", False), ("2026-06 (upcoming)", True)]
    assert ("Upcoming edition" in page.text, "New integrations use the edition in force" in page.text) == (True, True)
    settings.PROGRAM_EDITIONS = {"terraform-provider": "2026-06"}
    page = client.get("/programs/terraform-provider/", {"edition": "2021-10"})
    assert list_tabs(page) == [("2021-10 (superseded)", True), ("2026-06 (in force)", False)]
    assert "Superseded edition" in page.text


def test_page_shows_the_differences_of_the_two_editions(client, db):
    page = client.get("/programs/terraform-run-task/")
    assert page.text.count("Differences between 2021-10 and 2026-06") == 1
    assert ("Network access to Terraform Enterprise" in page.text, "technologypartners@hashicorp.com" in page.text) == (
        True,
        True,
    )
    assert client.get("/programs/nomad/").text.count("Differences between") == 0


def test_page_names_the_stage_and_the_scope_of_a_requirement(client, db):
    page = " ".join(client.get("/programs/terraform-provider/").text.split())
    assert page.count("Required for the stage “Release”.") == 2
    assert page.count("One submission applies to all of your integrations in this program.") == 2
    assert page.count("One signature applies to all of your integrations.") == 1


def test_list_of_programs_names_the_edition_in_force(client, db, settings):
    title = "Terraform Integration Program: HCP Terraform and Terraform Enterprise Integrations"
    assert title not in client.get("/programs/").text
    settings.PROGRAM_EDITIONS = {"terraform-run-task": "2026-06"}
    assert title in client.get("/programs/").text


@pytest.mark.parametrize("address", ["/programs/gardening/", "/programs/nomad/?edition=1999-01"])
def test_unknown_program_or_edition_is_not_found(client, db, address):
    assert client.get(address).status_code == 404


def test_all_programs_are_shown_terraform_first(client, db):
    page = client.get("/programs/")
    products = [product for product, _ in page.context["products"]]
    assert products == ["Terraform", "Consul", "Nomad", "Packer", "Vault"]
    assert [key for key in PROGRAMS if f'href="/programs/{key}/"' not in page.text] == []


@pytest.mark.parametrize(
    ("yes", "both", "kinds"),
    [
        (["terraform-provider"], False, 1),
        (["terraform-run-task"], False, 1),
        (["terraform-provider", "terraform-run-task"], True, 2),
        (["nomad"], False, 0),
        (["gardening"], False, 0),
    ],
)
def test_chooser_leads_each_kind_of_partner(client, db, yes, both, kinds):
    page = client.get("/programs/choose/", {"yes": yes})
    assert [p.key for p in page.context["selected_programs"]] == [key for key in yes if key in PROGRAMS]
    assert ("You qualify for both partner types." in page.text, len(page.context["kinds"])) == (both, kinds)
    assert page.text.count("/new/?program=terraform-") == len([k for k in yes if k.startswith("terraform")])


def test_chooser_shows_the_question_of_every_program(client, db):
    text = client.get("/programs/choose/").text.replace("&#x27;", "'")
    assert [p.key for p in PROGRAMS.values() if p.question not in text] == []


def test_chooser_sends_only_the_answer_to_htmx(client, db):
    page = client.get("/programs/choose/", {"yes": "nomad"}, headers={"HX-Request": "true"})
    assert ("<html" in page.text, 'href="/new/?program=nomad"' in page.text) == (False, True)


def test_draft_is_created_at_once_for_the_only_company(sign_in, alice):
    client = sign_in(alice)
    assert '<form method="post" action="/programs/choose/nomad/">' in client.get("/new/?program=nomad").text
    where = client.post("/programs/choose/nomad/").headers["Location"]
    assert where == f"/drafts/{IntegrationDraft.objects.get().uuid}/"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (SlaTarget(hours=48), "48 hours"),
        (SlaTarget(business_days=5), "5 business days"),
        (SlaTarget(hours=48, binding="ideal"), "48 hours (ideally)"),
    ],
)
def test_target_is_formatted(target, words):
    assert format_target(target) == words


@pytest.mark.parametrize(
    ("calendar", "rows"),
    [
        (ProgramCalendar("UTC"), [("Time zone", "UTC"), ("Workdays", "Monday to Friday")]),
        (
            ProgramCalendar(
                "Europe/Berlin",
                ("monday", "tuesday", "wednesday", "thursday"),
                "DE",
                "BY",
                (Holiday("2026-12-24", "Company holiday"),),
            ),
            [
                ("Time zone", "Europe/Berlin"),
                ("Workdays", "Monday, Tuesday, Wednesday, Thursday"),
                ("Public holidays", "Germany (BY)"),
                ("Additional holidays", "Dec. 24, 2026 (Company holiday)"),
            ],
        ),
    ],
)
def test_calendar_is_formatted(calendar, rows):
    assert list_calendar_rows(calendar) == rows


@pytest.mark.parametrize(
    ("zone", "message"),
    [
        ("", "Business days follow the partner's calendar and time zone."),
        ("Asia/Tokyo", "Business days follow the partner's calendar, in the time zone Asia/Tokyo."),
    ],
)
def test_program_page_shows_the_policy_of_both_verbs(client, db, monkeypatch, zone, message):
    sla = Sla(
        "Partners respond and resolve.",
        respond=SeverityTargets(SlaTarget(hours=4), SlaTarget(business_days=1)),
        resolve=SeverityTargets(SlaTarget(hours=48, binding="ideal"), SlaTarget(business_days=5)),
        zone=zone,
    )
    nomad = PROGRAMS["nomad"]
    monkeypatch.setitem(PROGRAMS, "nomad", replace(nomad, editions=(replace(nomad.editions[-1], sla=sla),)))
    page = client.get("/programs/nomad/")
    assert page.context["sla"] == [
        ("Critical issues", "First response within 4 hours"),
        ("Other issues", "First response within 1 business day"),
        ("Critical issues", "Resolution within 48 hours (ideally)"),
        ("Other issues", "Resolution within 5 business days"),
    ]
    assert message in page.text.replace("&#x27;", "'")
