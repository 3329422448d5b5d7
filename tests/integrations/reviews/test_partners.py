"""Tests of the partner page of program staff."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from integrations.partners.models import Membership, Partner, Role, VerificationState
from integrations.submissions.services import partner_merges
from portal.accounts.models import User
from tests.conftest import create_partner
from tests.integrations.page_text import find_text, get_field_error, parse

pytestmark = pytest.mark.any_database


def test_company_has_an_alliances_manager_until_it_is_merged(
    sign_in: Callable[[Any], Client], acme: Partner, globex: Partner, rob: Any, sam: Any, now: datetime
) -> None:
    client = sign_in(sam)
    url = "/companies/acme/"
    message = "Rob Roth is now the alliances manager of Acme."
    assert message in find_text(client.post(url, {"manager": rob.pk}, follow=True))
    assert "Save alliances manager" in find_text(client.get(url))
    incomplete = client.post(url)
    assert (incomplete.status_code, find_text(incomplete, "#id_manager_error")) == (
        422,
        "Select an alliances manager, or none.",
    )
    partner_merges.merge_partners(acme, globex, "One company since May.", actor=sam, now=now)
    assert "Save alliances manager" not in find_text(client.get(url))
    # from a page that was loaded before the merge
    refused = client.post(url, {"manager": sam.pk}, follow=True)
    assert "This company was merged into Globex." in find_text(refused)
    assert Partner.objects.get(pk=acme.pk).alliances_manager == rob


def test_choice_of_an_alliances_manager_survives_a_lost_session(
    acme: Partner, rob: Any, sam: Any, client: Client
) -> None:
    client.post("/companies/acme/", {"manager": rob.pk})
    client.force_login(sam, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get("/companies/acme/")
    assert find_text(page, "#id_manager [selected]") == "Rob Roth"
    assert "It is not saved yet." in find_text(page)
    assert Partner.objects.get(pk=acme.pk).alliances_manager is None


def test_reason_for_a_merge_survives_a_lost_session(acme: Partner, globex: Partner, sam: Any, client: Client) -> None:
    url = "/companies/acme/merge/?into=globex"
    client.post(url, {"note": "One company since May."})
    client.force_login(sam, backend="django.contrib.auth.backends.ModelBackend")
    assert find_text(client.get(url), "textarea") == "One company since May."


def test_refused_decision_keeps_its_reason(sign_in: Callable[[Any], Client], acme: Partner, sam: Any) -> None:
    note = "Not theirs." * 100
    page = sign_in(sam).post("/companies/acme/decision/", {"action": "reject", "note": note})
    assert "at most 1000 characters" in get_field_error(page, "note")
    assert parse(page).select("#id_note")[0].text.strip() == note
    assert [button.text.strip() for button in parse(page).select("main form button")] == ["Reject partner"]


def test_members_have_pages_and_an_owner_of_a_later_page_counts(
    sign_in: Callable[[Any], Client], acme: Partner, alice: Any, rita: Any, now: datetime
) -> None:
    people = User.objects.bulk_create(User(email=f"p{n}@acme.example", name=f"Person {n}") for n in range(25))
    earlier = now - timedelta(days=400)
    acme.memberships.update(joined_at=now)
    acme.memberships.bulk_create(
        Membership(partner=acme, user=each, role=Role.VIEWER, joined_at=earlier) for each in people
    )
    client = sign_in(rita)
    pages = [find_text(client.get(f"/companies/acme/?members={number}"), "#members") for number in (1, 2)]
    assert ["Alice Archer" in page for page in pages] == [False, True]
    assert ["No active owner" in page for page in pages] == [False, False]


def test_list_is_filtered_by_verification_as_its_export_is(sign_in: Any, rita: Any, acme: Partner) -> None:
    create_partner("Initech", "initech.example", VerificationState.UNVERIFIED)
    client = sign_in(rita)
    names = [row.name for row in client.get("/companies/?state=unverified").context["page"]]
    export = client.get("/exports/partners.csv?state=unverified").getvalue().decode()
    assert (names, "Initech" in export, "Acme" in export) == (["Initech"], True, False)
    page = client.get("/companies/?state=closed")
    assert ("No matching partners" in page.text, "Clear all filters" in page.text) == (True, True)
