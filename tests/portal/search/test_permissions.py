"""Tests that a search finds nothing that its user can't open."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from integrations.partners.models import Membership
from integrations.partners.permissions import clear_cached_roles
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.search.backends import MAX_MATCHES
from portal.search.models import Audience, Kind, SearchEntry
from portal.search.queries import search
from tests.conftest import NOW, create_user

PUBLIC = {"PROVIDER"}
MEMBERS = PUBLIC | {"INTEGRATION", "PARTNER", "REPOSITORY", "ISSUE", "PERSON"}
STAFF = MEMBERS | {"FINDING"}
KINDS_BY_ROLE = {
    "owner": MEMBERS,
    "editor": MEMBERS,
    "viewer": MEMBERS,
    "former member": PUBLIC,
    "member of another company": PUBLIC,
    "person without a company": PUBLIC,
    "visitor": PUBLIC,
    "reviewer": STAFF,
    "staff": STAFF,
    "reviewer who is a member": MEMBERS,
}


@pytest.fixture
def users(acme: Any, alice: Any, bob: Any, charlie: Any, rita: Any, sam: Any) -> dict[str, Any]:
    viewer = create_user("vera@acme.example", "Vera")
    former = create_user("fred@acme.example", "Fred")
    insider = create_user("ines@acme.example", "Ines", is_reviewer=True)
    for user, ended_at in ((viewer, None), (former, NOW), (insider, None)):
        Membership.objects.create(partner=acme, user=user, role="viewer", joined_at=NOW, ended_at=ended_at)
    return {
        "owner": alice,
        "editor": bob,
        "viewer": viewer,
        "former member": former,
        "member of another company": charlie,
        "person without a company": create_user("nora@nowhere.example", "Nora"),
        "visitor": AnonymousUser(),
        "reviewer": rita,
        "staff": sam,
        "reviewer who is a member": insider,
    }


@pytest.mark.parametrize("role", KINDS_BY_ROLE)
@pytest.mark.parametrize("query", ["zephyr", "zep", "ZEPH", "zephyrs"])
def test_search_returns_the_kinds_of_the_role(zephyr: Integration, users: Any, role: str, query: str) -> None:
    assert {hit.kind.name for hit in search(users[role], query, 100)} == KINDS_BY_ROLE[role]


@pytest.mark.parametrize("role", KINDS_BY_ROLE)
@pytest.mark.parametrize(("query", "kind"), [("nomad", "PROGRAM"), ("glossary", "DOCUMENTATION")])
def test_search_returns_public_pages_to_everyone(
    zephyr: Integration, users: Any, role: str, query: str, kind: str
) -> None:
    assert kind in {hit.kind.name for hit in search(users[role], query, 100)}


def test_tests_cover_every_kind(zephyr: Integration, rita: Any) -> None:
    assert set(SearchEntry.objects.values_list("kind", flat=True)) == set(Kind)


@pytest.mark.any_database
@pytest.mark.parametrize("role", ["owner", "reviewer", "staff"])
def test_each_result_opens(zephyr: Integration, users: Any, sign_in: Any, role: str) -> None:
    client = sign_in(users[role])
    hits = [hit for query in ("zephyr", "nomad", "glossary") for hit in search(users[role], query, 100)]
    urls = {hit.url.partition("#")[0] for hit in hits if hit.kind is not Kind.PROVIDER}
    assert {url: client.get(url).status_code for url in urls} == dict.fromkeys(urls, 200)


def list_findings(user: Any) -> list[str]:
    return [hit.title for hit in search(user, "describe zephyr", 100) if hit.kind is Kind.FINDING]


@pytest.mark.any_database
def test_finding_is_found_by_the_partner_only_while_changes_are_requested(
    zephyr: Integration, alice: Any, rita: Any
) -> None:
    assert (list_findings(alice), list_findings(rita)) == ([], ["Describe zephyr mode."])
    perform_transition(zephyr, "request_changes", actor=rita, note="Nearly there.", now=NOW)
    assert list_findings(alice) == ["Describe zephyr mode."]
    perform_transition(zephyr, "undo_decision", actor=rita, now=NOW)
    assert list_findings(alice) == []


def test_former_member_finds_nothing_at_once(zephyr: Integration, bob: Any) -> None:
    assert "Zephyr" in [hit.title for hit in search(bob, "zephyr", 100)]
    Membership.objects.filter(user=bob).update(ended_at=NOW)
    clear_cached_roles(bob)
    assert {hit.kind.name for hit in search(bob, "zephyr", 100)} == PUBLIC


def build_finding(partner: Any, name: str) -> SearchEntry:
    fields = {"title": name, "title_words": name, "words": name, "url": f"/{partner.pk}/"}
    return SearchEntry(
        kind=Kind.FINDING, object_id=name, source="test", audience=Audience.MEMBERS, partner=partner, **fields
    )


def test_limit_counts_only_what_the_user_can_find(acme: Any, globex: Any, charlie: Any) -> None:
    """Many newer entries of others don't take the place of the user's own."""
    build_finding(globex, "quartz own").save()
    SearchEntry.objects.bulk_create(build_finding(acme, f"quartz {number}") for number in range(MAX_MATCHES + 10))
    assert [hit.title for hit in search(charlie, "quar", 100)] == ["quartz own"]
