"""Tests that the programs and their pages say what the Terraform and Nomad guides say."""

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from integrations.programs.registry import PROGRAMS, get_edition
from integrations.programs.schema import Edition
from tests.integrations.page_text import parse
from tests.integrations.programs import guides
from tests.integrations.programs.guide_links import LINKS
from tests.integrations.submissions import published_programs

pytestmark = pytest.mark.any_database

PAGES: dict[tuple[str, str], Any] = {}  # rendered once for all tests
REQUIREMENTS = {r.id: r for name in guides.GUIDES for r in get_edition(*name).list_requirements()}


@pytest.fixture(params=guides.GUIDES, ids="@".join)
def name(request: pytest.FixtureRequest) -> tuple[str, str]:
    return request.param


@pytest.fixture
def edition(name: tuple[str, str]) -> Edition:
    return get_edition(*name)


@pytest.fixture
def page(client: Client, db: None, name: tuple[str, str]) -> Any:
    return get_page(client, name)


def get_page(client: Client, name: tuple[str, str]) -> Any:
    """Return the public page of an edition."""
    if name not in PAGES:
        PAGES[name] = client.get(f"/programs/{name[0]}/", {"edition": name[1]})
    return PAGES[name]


def read_page_text(page: Any) -> str:
    return " ".join(parse(page).get_text(" ").split())


def test_categories_have_the_name_and_purpose_of_the_guide(name: tuple[str, str], edition: Edition) -> None:
    assert [(c.name, c.description) for c in edition.categories] == guides.CATEGORIES[name]


def test_form_offers_the_categories_and_products_of_the_guide(client: Client, db: None, name: tuple[str, str]) -> None:
    form = client.get(f"/programs/choose/{name[0]}/").context["form"]
    described = get_edition(*name).describe_offerings()
    labels = {
        field: [
            BeautifulSoup(str(label), "html.parser").get_text() for value, label in form.fields[field].choices if value
        ]
        for field in ("category", "offerings")
    }
    assert labels == {
        "category": [f"{category} {purpose}" for category, purpose in guides.CATEGORIES[name]],
        "offerings": [f"{offering} {text}".strip() for offering, text in described],
    }
    assert [offering for offering, _text in described] == list(published_programs.OFFERINGS[name])


@pytest.mark.parametrize("program", [guides.PROVIDER, guides.RUN_TASK], ids="@".join)
def test_page_describes_each_offering_of_terraform(client: Client, db: None, program: tuple[str, str]) -> None:
    words = read_page_text(get_page(client, program))
    described = get_edition(*program).describe_offerings()
    assert [offering for offering, text in described if not text or text not in words] == []


def test_page_of_the_run_task_program_draws_the_sequence_of_a_run(client: Client, db: None) -> None:
    assert "Plan → Run task → Apply" in read_page_text(client.get("/programs/terraform-run-task/"))


@pytest.mark.parametrize("id", ["TP-LOGO", "RT-LOGO", "NO-8-LOGO"])
def test_logo_requirement_links_to_the_guidelines(id: str) -> None:
    assert [link.url for link in REQUIREMENTS[id].links] == ["https://www.hashicorp.com/brand"]


def test_steps_have_the_summary_of_the_guide(name: tuple[str, str], edition: Edition) -> None:
    assert [(step.key, step.summary) for step in edition.steps] == guides.STEPS[name]


def test_page_draws_the_steps_in_order(name: tuple[str, str], page: Any) -> None:
    assert [step["name"] for step in page.context["path"]] == published_programs.EDITIONS[name][0]
    words = read_page_text(page)
    assert [summary for _, summary in guides.STEPS[name] if summary not in words] == []


@pytest.mark.parametrize(("program", "place", "urls"), LINKS, ids=[f"{name[0]}-{place}" for name, place, _ in LINKS])
def test_resources_are_linked_where_the_guide_names_them(
    client: Client, db: None, program: tuple[str, str], place: str, urls: list[str]
) -> None:
    edition = get_edition(*program)
    links_by_place = {
        "": edition.links,
        **{category.key: category.links for category in edition.categories},
        **{step.key: step.links for step in edition.steps},
    }
    assert [link.url for link in links_by_place[place]] == urls
    anchors = {(a["href"], a.get_text(strip=True)) for a in parse(get_page(client, program)).find_all("a")}
    assert {(link.url, link.title) for link in links_by_place[place]} <= anchors


@pytest.mark.parametrize(("agency", "email", "site"), published_programs.AGENCIES)
def test_page_shows_how_to_reach_an_agency(client: Client, db: None, agency: str, email: str, site: str) -> None:
    links = parse(get_page(client, guides.PROVIDER)).find_all("a")
    texts_by_href = {a["href"]: a.get_text(strip=True) for a in links}
    assert (texts_by_href[site], texts_by_href[f"mailto:{email}"]) == (agency, email)


def test_tiers_have_the_maintainer_and_namespace_of_the_guide(name: tuple[str, str], edition: Edition) -> None:
    tiers = [(t.name, t.description, t.namespace, t.granted_at_release) for t in edition.tiers]
    assert tiers == guides.TIERS[name]


def test_page_shows_the_tiers_with_their_namespaces(name: tuple[str, str], page: Any) -> None:
    words = read_page_text(page)
    for tier, description, namespace, _ in guides.TIERS[name]:
        assert f"{tier} {description}" + (f" Namespace: {namespace}." if namespace else "") in words


def test_listing_badge_and_benefits_are_those_of_the_guide(name: tuple[str, str], edition: Edition) -> None:
    assert (edition.badges, edition.benefits, edition.listing) == guides.LISTINGS[name]


def test_page_shows_listing_badge_and_benefits(name: tuple[str, str], page: Any) -> None:
    badges, benefits, listing = guides.LISTINGS[name]
    words = read_page_text(page)
    assert [text for text in (*badges, *benefits, listing) if text not in words] == []


def test_page_says_that_unsupported_integrations_are_removed(name: tuple[str, str], page: Any) -> None:
    assert page.context["edition"].removal == guides.REMOVALS[name]
    assert guides.REMOVALS[name] in read_page_text(page)


def test_page_shows_the_time_to_resolve_issues(name: tuple[str, str], page: Any) -> None:
    ideally = " (ideally)" if name == guides.RUN_TASK else ""
    assert page.context["sla"] == [
        ("Critical issues", f"Resolution within 48 hours{ideally}"),
        ("Other issues", "Resolution within 5 business days"),
    ]


def test_page_names_the_contact_and_the_mailbox(name: tuple[str, str], page: Any) -> None:
    mailbox = published_programs.EDITIONS[name][2]
    assert f"Alliances manager, or the program mailbox: {mailbox}" in read_page_text(page)
    assert f'href="mailto:{mailbox}"' in page.text


@pytest.mark.parametrize("id", guides.QUESTIONS)
def test_form_asks_what_the_guide_asks(id: str) -> None:
    assert [(f.key, f.type, f.required) for f in REQUIREMENTS[id].fields] == guides.QUESTIONS[id]


@pytest.mark.parametrize("id", guides.COMMITMENTS)
def test_partner_commits_to_the_time_to_resolve_issues(id: str) -> None:
    (commitment,) = (field for field in REQUIREMENTS[id].fields if field.key == "commitment")
    assert (commitment.label, commitment.type, commitment.required) == (guides.COMMITMENTS[id], "yes", True)


def test_support_plan_covers_new_functionality_and_customer_issues() -> None:
    labels = {field.key: field.label for field in REQUIREMENTS["NO-9"].fields}
    assert labels["plan"] == "Plan for new functionality and customer issues"


def test_mnda_is_encouraged_but_not_required() -> None:
    assert (REQUIREMENTS["NO-2"].optional, REQUIREMENTS["NO-2"].reason) == (
        True,
        "HashiCorp encourages an MNDA, which lets both sides share confidential information. If you don't need one, "
        "mark it as not applicable.",
    )


@pytest.mark.parametrize("id", guides.STATEMENTS)
def test_statement_to_confirm_is_that_of_the_guide(id: str) -> None:
    assert REQUIREMENTS[id].statement == guides.STATEMENTS[id]


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("terraform-provider", "Infrastructure partner: Terraform manages resources on your platform."),
        ("terraform-run-task", "Workflow partner: your service is part of a Terraform run."),
    ],
)
def test_page_names_the_kind_of_partner(client: Client, db: None, key: str, kind: str) -> None:
    page = client.get(f"/programs/{key}/")
    assert page.context["kind"] == kind
    assert f"{PROGRAMS[key].summary} {kind}" in read_page_text(page)


def test_review_meeting_covers_the_three_items_of_the_guide() -> None:
    assert REQUIREMENTS["RT-4"].meeting_items == (
        "Enabled on the partner's platform and on Terraform Cloud",
        "Use case explained",
        "Live demo",
    )
    assert REQUIREMENTS["NO-7"].meeting_items == ("Live demo",)


def test_program_page_of_a_run_task_says_how_its_badge_may_be_used() -> None:
    assert get_edition(*guides.RUN_TASK).badge_terms == (
        "For verified integrations of program members. You can show the badge on your own digital properties, subject "
        "to the technology partner guide, which program members receive."
    )


def test_code_of_each_nomad_category_has_a_rule_and_plugins_go_upstream() -> None:
    plugins = ("container-runtime", "gpus-hardware-devices", "storage", "autoscaling")
    others = ("ci-cd", "monitoring", "artifact-repo", "networking")
    categories = {id: REQUIREMENTS[id].categories for id in ("NO-LIC", "NO-GO", "NO-CODE", "NO-PR")}
    assert categories == {"NO-LIC": plugins, "NO-GO": plugins, "NO-CODE": others, "NO-PR": plugins}
    assert {*plugins, *others} == {category.key for category in get_edition(*guides.NOMAD).categories}
