"""Tests of the list of integrations: access, filters, and pages."""

from datetime import timedelta

import pytest

from integrations.programs.registry import PROGRAMS
from integrations.submissions.models import Integration
from tests.conftest import NOW, create_integration

DRIVERS = PROGRAMS["nomad"].editions[-1].categories[0].key


@pytest.fixture
def rows(acme, alice, globex, charlie):
    return [
        create_integration(acme, alice, name="Rocket", category=DRIVERS),
        create_integration(acme, alice, "vault", name="Safe", repository="acme/safe"),
        create_integration(globex, charlie, name="Rocket covert", repository="globex/covert"),
    ]


def list_names(page):
    return [row.name for row in page.context["rows"]]


def test_partner_lists_only_its_own_integrations(rows, sign_in, alice, bob):
    for person in (alice, bob):
        page = sign_in(person).get("/integrations/")
        assert sorted(list_names(page)) == ["Rocket", "Safe"]
        assert "covert" not in page.text


def test_companies_are_named_for_those_who_see_several(rows, sign_in, acme, globex, alice, charlie, rita):
    acme.memberships.create(user=charlie, role="viewer", joined_at=NOW)
    pages = [sign_in(person).get("/integrations/").text for person in (alice, charlie, rita)]
    assert ['<span class="muted">Acme</span>' in page for page in pages] == [False, True, True]


def test_program_lists_all_integrations(rows, sign_in, rita, sam):
    for person in (rita, sam):
        assert sorted(list_names(sign_in(person).get("/integrations/"))) == ["Rocket", "Rocket covert", "Safe"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"program": "vault"}, ["Safe"]),
        ({"stage": "engage"}, ["Rocket", "Rocket covert", "Safe"]),
        ({"stage": "support"}, []),
        ({"category": DRIVERS}, ["Rocket"]),
        ({"responsible_party": "partner"}, ["Rocket", "Rocket covert", "Safe"]),
        ({"responsible_party": "program"}, []),
        ({"listing_status": "unlisted"}, ["Rocket", "Rocket covert", "Safe"]),
        ({"listing_status": "listed"}, []),
        ({"q": "ROCKET"}, ["Rocket", "Rocket covert"]),
        ({"q": "globex"}, ["Rocket covert"]),
        ({"q": "%"}, []),
        ({"q": "rocket", "program": "vault"}, []),
        ({"program": "gardening"}, ["Rocket", "Rocket covert", "Safe"]),
        ({"program": "gardening", "q": "safe"}, ["Safe"]),
        ({"q": "\x00"}, ["Rocket", "Rocket covert", "Safe"]),
    ],
)
def test_filters_select_integrations(rows, sign_in, rita, query, expected):
    assert list_names(sign_in(rita).get("/integrations/", query | {"sort": "name"})) == expected


@pytest.mark.every_database
@pytest.mark.parametrize(("sort", "column"), [("due", "action_due_at"), ("since", "responsible_since")])
def test_integrations_without_a_time_come_last(rows, sign_in, rita, sort, column):
    for row, value in zip(rows, (None, NOW, NOW - timedelta(days=1)), strict=True):
        Integration.objects.filter(pk=row.pk).update(**{column: value})
    assert list_names(sign_in(rita).get("/integrations/", {"sort": sort})) == ["Rocket covert", "Safe", "Rocket"]


def test_unknown_filter_value_is_reported(rows, sign_in, rita):
    page = sign_in(rita).get("/integrations/", {"stage": "gardening"})
    assert "Unknown filter value. The list shows all results." in page.text


@pytest.mark.parametrize("page", ["0", "-1", "x", "9999", ""])
def test_invalid_page_number_shows_a_page(rows, sign_in, rita, page):
    assert len(list_names(sign_in(rita).get("/integrations/", {"page": page}))) == 3


def create_rows(partner, user, count):
    Integration.objects.bulk_create(
        Integration(
            partner=partner,
            program_key="nomad",
            edition_date="2021-04",
            step="engage",
            name=f"Copy {number}",
            name_key=f"copy{number}",
            responsible_party="partner",
            created_at=NOW,
            created_by=user,
        )
        for number in range(count)
    )


def test_list_needs_few_queries_for_many_rows(acme, alice, sign_in, django_assert_max_num_queries):
    client = sign_in(alice)
    for count in (60, 2000):
        create_rows(acme, alice, count)
        with django_assert_max_num_queries(8):
            page = client.get("/integrations/", {"q": "copy", "stage": "engage", "sort": "due", "page": 2})
    assert (len(list_names(page)), page.context["page"].paginator.count) == (50, 2060)


def test_list_sends_only_the_results_to_htmx(rows, sign_in, alice):
    page = sign_in(alice).get("/integrations/", headers={"HX-Request": "true"})
    assert ("<html" in page.text, "Safe" in page.text) == (False, True)
