import pytest

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import SlaTarget
from integrations.submissions.models import IntegrationDraft
from integrations.submissions.views.program_catalog import format_target

pytestmark = pytest.mark.any_database

EVERY = [(program, edition) for program in PROGRAMS.values() for edition in program.editions]


@pytest.mark.parametrize(
    ("program", "edition"), EVERY, ids=lambda each: getattr(each, "key", getattr(each, "date", ""))
)
def test_program_page_shows_all_of_the_edition(client, db, program, edition):
    page = client.get(f"/programs/{program.key}/", {"edition": edition.date})
    text = page.text.replace("&#x27;", "'").replace("&amp;", "&").replace("&quot;", '"')
    steps = [step.name for step in edition.steps]
    requirement_titles = [r.title for r in edition.requirements()] + [
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
        *(link.url for link in edition.links),
        *(link.url for step in edition.steps for link in step.links),
        *(a.email for a in edition.agencies),
    ]
    assert [words for words in expected_texts if words not in text] == []


def test_program_without_an_edition_named_is_the_one_that_is_entered(client, db, settings):
    assert client.get("/programs/terraform-provider/").context["edition"].date == "2026-06"
    settings.PROGRAM_EDITIONS = {"terraform-provider": "2021-10"}
    assert client.get("/programs/terraform-provider/").context["edition"].date == "2021-10"


def test_edition_that_is_not_entered_says_so(client, db):
    page = client.get("/programs/terraform-provider/", {"edition": "2021-10"})
    assert "New integrations use another edition" in page.text


@pytest.mark.parametrize("address", ["/programs/gardening/", "/programs/nomad/?edition=1999-01"])
def test_program_that_never_was_is_not_there(client, db, address):
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
    assert (page.context["is_both"], len(page.context["kinds"])) == (both, kinds)
    assert page.text.count("/programs/choose/terraform-") == len([k for k in yes if k.startswith("terraform")])


def test_chooser_asks_every_program_in_the_partners_words(client, db):
    text = client.get("/programs/choose/").text.replace("&#x27;", "'")
    assert [p.key for p in PROGRAMS.values() if p.question not in text] == []


def test_chooser_answers_htmx_with_the_answer_alone(client, db):
    page = client.get("/programs/choose/", {"yes": "nomad"}, headers={"HX-Request": "true"})
    assert ("<html" in page.text, 'href="/programs/choose/nomad/"' in page.text) == (False, True)


def test_begin_makes_the_draft_at_once_where_the_partner_is_clear(sign_in, alice):
    client = sign_in(alice)
    assert '<form method="post" action="/programs/choose/nomad/">' in client.get("/programs/nomad/").text
    where = client.post("/programs/choose/nomad/").headers["Location"]
    assert where == f"/drafts/{IntegrationDraft.objects.get().uuid}/"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (None, ""),
        (SlaTarget(hours=48), "48 hours"),
        (SlaTarget(business_days=5), "5 business days"),
        (SlaTarget(hours=48, best_effort=True), "48 hours (ideally)"),
    ],
)
def test_promise_in_words(target, words):
    assert format_target(target) == words
