"""Tests that every term is explained once and that every link to a term works."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from integrations.programs.registry import PROGRAMS
from integrations.sla.engine.types import ClockStatus
from integrations.submissions.public_status import PUBLIC_STATUSES_BY_KEY
from integrations.submissions.workflow.states import ListingStatus, ResponsibleParty, Stage
from portal.ui.content.glossary import CHAPTERS, TERMS_BY_KEY, build_url
from portal.ui.glossary import term
from tests.codebase.project_files import list_template_files
from verification.outcomes import Outcome

pytestmark = pytest.mark.any_database

EXPLAINED_VALUES = [value for term in TERMS_BY_KEY.values() for value in term.explains]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("stage", Stage),
        ("listing_status", ListingStatus),
        ("responsible_party", ResponsibleParty),
        ("outcome", Outcome),
        ("clock", ClockStatus),
        ("shown", PUBLIC_STATUSES_BY_KEY),
    ],
)
def test_every_state_is_explained_once(kind: str, values: object) -> None:
    explained_values = [of.partition(":")[2] for of in EXPLAINED_VALUES if of.startswith(f"{kind}:")]
    assert sorted(explained_values) == sorted(str(value) for value in values)  # type: ignore[attr-defined]


def test_no_term_is_duplicated() -> None:
    keys = [term.key for chapter in CHAPTERS for term in chapter.terms] + [chapter.key for chapter in CHAPTERS]
    assert len(keys) == len(set(keys))


def test_page_has_an_anchor_for_each_term_and_is_public(client: Client, db: None) -> None:
    page = client.get("/help/glossary/").text
    assert [key for key in TERMS_BY_KEY if f'id="{key}"' not in page] == []
    tiers = [tier for program in PROGRAMS.values() for tier in program.default_edition.tiers]
    assert [tier.name for tier in tiers if tier.name not in page] == []


def test_links_to_terms_work() -> None:
    pattern = re.compile(r"""(?:\{% url "help:glossary" %\}#|\{% term ")([\w-]+)""")
    term_keys = {key for page in list_template_files() for key in pattern.findall(page.read_text())}
    assert term_keys
    assert term_keys - set(TERMS_BY_KEY) - {chapter.key for chapter in CHAPTERS} - {"tiers"} == set()
    assert build_url("responsible-party") == f"{reverse('help:glossary')}#responsible-party"


def test_unknown_term_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^Unknown glossary term: 'gizmo'\.$"):
        term("gizmo")
    assert (
        term("tier", text="<b>")
        == f'<a class="term" href="/help/glossary/#tier" title="{TERMS_BY_KEY["tier"].definition}">&lt;b&gt;</a>'
    )


def test_each_tier_links_to_its_anchor_on_the_program_page(client: Client, db: None) -> None:
    glossary = client.get(reverse("help:glossary")).text
    for key in PROGRAMS:
        path = reverse("submissions:program", args=[key])
        page = client.get(path).text
        anchors = re.findall(rf'href="{path}#([^"]+)"', glossary)
        assert anchors
        assert [anchor for anchor in anchors if f'id="{anchor}"' not in page] == []


def test_checks_can_be_searched(client: Client, db: None) -> None:
    page = client.get("/help/checks/", {"q": "signature"}).text
    assert "release.signature" in page
    assert "repository.license" not in page
    assert "No matching checks" in client.get("/help/checks/", {"q": "gardening"}).text
    assert client.get("/help/checks/", {"q": "\x00" * 3000}).status_code == 200


def test_help_links_to_all_pages(client: Client, db: None) -> None:
    page = client.get("/help/").text
    places = (
        "help:getting_started",
        "submissions:programs",
        "checks:help",
        "help:glossary",
        "status:index",
        "directory:verify_badge",
        "directory:list",
    )
    assert [name for name in places if f'href="{reverse(name)}"' not in page] == []
