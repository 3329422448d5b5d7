"""Tests of the audit log page: who can read it, its filters, its pages, and its exports."""

import csv
import io
import json
from typing import Any

import pytest
from django.urls import reverse

from portal.accounts import roles
from portal.accounts.models import User
from tests.conftest import NOW
from tests.portal.accounts.sign_in import SignIn
from tests.portal.audit.tampering import execute

PAGE = "/audit-log/"


@pytest.fixture
def events(alice: User, bob: User, sam: User) -> None:
    for user, role in ((alice, "reviewer"), (bob, "auditor")):
        roles.change_roles(user, grant=[role], actor=sam, now=NOW, reason="=Joins")


def export(client: Any, query: str) -> str:
    return b"".join(client.get(f"{PAGE}?{query}").streaming_content).decode()


def test_staff_and_auditors_read_the_log_and_others_do_not(
    events: None, sign_in: SignIn, sam: User, bob: User, rita: User, charlie: User
) -> None:
    answers = [sign_in(User.objects.get(pk=who.pk)).get(PAGE).status_code for who in (sam, bob, rita, charlie)]
    assert answers == [200, 200, 404, 404]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["Bob Baker", "Alice Archer"]),
        ("kind=account.deactivated", []),
        ("person=sam", ["Bob Baker", "Alice Archer"]),
        ("person=rita", []),
        ("last_day=2000-01-01", []),
        ("first_day=2000-01-01", ["Bob Baker", "Alice Archer"]),
        ("first_day=2000-99-99", ["Bob Baker", "Alice Archer"]),
    ],
)
def test_filters_select_events(events: None, sign_in: SignIn, sam: User, query: str, names: list[str]) -> None:
    lines = export(sign_in(sam), f"{query}&format=jsonl").splitlines()
    assert [json.loads(line)["data"]["name"] for line in lines] == names


def test_filter_of_an_object_verifies_its_chain(events: None, sign_in: SignIn, sam: User, alice: User) -> None:
    page = sign_in(sam).get(f"{PAGE}?stream=account:{alice.pk}").content.decode()
    assert ("The log of this object is intact." in page, "was changed" in page) == (True, False)


def test_changed_event_is_shown(events: None, sign_in: SignIn, sam: User, alice: User) -> None:
    execute("UPDATE audit_auditevent SET note = 'Forged' WHERE stream = %s", f"account:{alice.pk}")
    page = sign_in(sam).get(f"{PAGE}?stream=account:{alice.pk}").content.decode()
    assert "The log of this object was changed" in page


def test_pages_continue_before_the_last_event(
    events: None, sign_in: SignIn, sam: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.inbox.views.audit_log.PAGE_SIZE", 1)
    first = sign_in(sam).get(PAGE)
    second = sign_in(sam).get(f"{PAGE}?before={first.context['next_before']}")
    names = [[event.data["name"] for event in page.context["events"]] for page in (first, second)]
    assert (names, second.context["next_before"]) == ([["Bob Baker"], ["Alice Archer"]], None)


def test_invalid_date_is_reported(events: None, sign_in: SignIn, sam: User) -> None:
    page = sign_in(sam).get(f"{PAGE}?first_day=2000-99-99").content.decode()
    assert "Enter a date as YYYY-MM-DD." in page


def test_csv_export_has_no_formulas(events: None, sign_in: SignIn, sam: User) -> None:
    rows = list(csv.DictReader(io.StringIO(export(sign_in(sam), "format=csv").removeprefix("\ufeff"))))
    assert [(row["actor"], row["note"]) for row in rows] == [("Sam Stone", "'=Joins")] * 2


def test_pages_of_objects_link_to_their_events(at: Any, sign_in: SignIn, sam: User) -> None:
    integration = at("review", "nomad")
    partner = integration.partner
    links = {
        reverse("reviews:partner", args=[partner.slug]): f"/audit-log/?stream=partner:{partner.pk}",
        reverse("reviews:review", args=[integration.uuid]): f"/audit-log/?stream=integration:{integration.pk}",
    }
    client = sign_in(sam)
    assert [f'{link}"' in client.get(page).content.decode() for page, link in links.items()] == [True, True]
