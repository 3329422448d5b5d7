"""Tests of joining a company by domain and of the transfer of its ownership."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from integrations.partners import permissions
from integrations.partners.models import Partner, VerificationState
from integrations.partners.services import members
from portal.api.models import ApiToken
from portal.api.services import tokens
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.integrations.page_text import find_text
from tests.integrations.partners.memberships import get_membership, get_refusal, join, list_partner_events

pytestmark = pytest.mark.any_database

SignIn = Callable[[Any], Client]


@pytest.fixture
def acme_with_proven_domain(acme: Partner, alice: Any, now: datetime) -> Partner:
    """Acme with a proof of the domain acme.example."""
    acme.verifications.create(method="dns", subject="acme.example", verified_at=now)
    return acme


def list_emails() -> list[tuple[str, str, str]]:
    return list(EmailMessage.objects.order_by("pk").values_list("name", "to", "subject"))


def test_person_at_the_verified_domain_joins_as_viewer_and_owners_are_notified(
    sign_in: SignIn, acme_with_proven_domain: Partner, alice: Any, dora: Any
) -> None:
    client = sign_in(dora)
    assert "Join Acme as a viewer" in find_text(client.get("/company/new/"), "#suggestions")
    page = client.post("/company/acme/join/", follow=True)
    assert "You joined Acme as a viewer." in find_text(page)
    assert permissions.get_role(acme_with_proven_domain, dora) == "viewer"
    assert list_emails() == [("member_joined", alice.email, "Dora Dean joined Acme")]
    assert list_partner_events(acme_with_proven_domain) == [("member.joined", "Dora Dean")]


def test_owner_with_the_longest_address_is_notified(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    alice.email = f"{'a' * 64}@{'b' * 63}.{'c' * 63}.{'d' * 53}.example"
    alice.save()
    assert len(alice.email) == 254
    members.request_to_join(acme, actor=dora, now=now)
    email = EmailMessage.objects.get()
    EmailMessage._meta.get_field("key").run_validators(email.key)  # SQLite does not enforce the length
    assert email.to == alice.email


@pytest.mark.parametrize("method", ["github", "decision"])
def test_unproven_domain_does_not_allow_joining(
    sign_in: SignIn, acme: Partner, alice: Any, dora: Any, now: datetime, method: str
) -> None:
    acme.verifications.create(method=method, subject="acme.example", verified_at=now)
    client = sign_in(dora)
    page = client.get("/company/new/")
    assert "Ask to join Acme" in page.text
    assert "as a viewer" not in page.text
    page = client.post("/company/acme/join/", follow=True)
    assert "Ask to join the company. An owner decides on your request." in find_text(page)
    assert permissions.get_role(acme, dora) == ""


@pytest.mark.parametrize("state", [state for state in VerificationState if state != "verified"])
def test_unverified_company_cannot_be_joined_by_domain(
    acme_with_proven_domain: Partner, dora: Any, now: datetime, state: VerificationState
) -> None:
    Partner.objects.update(verification_state=state)
    with pytest.raises(ActionRefused, match="Ask to join"):
        members.join_by_domain(acme_with_proven_domain, addresses=["dora@acme.example"], actor=dora, now=now)


@pytest.mark.parametrize("addresses", [[], ["dora@gmail.com"], ["dora@mail.acme.example"], ["dora@globex.example"]])
def test_other_addresses_do_not_allow_joining(
    acme_with_proven_domain: Partner, dora: Any, now: datetime, addresses: list[str]
) -> None:
    acme_with_proven_domain.verifications.create(method="email", subject="gmail.com", verified_at=now)
    with pytest.raises(ActionRefused, match="Ask to join"):
        members.join_by_domain(acme_with_proven_domain, addresses=addresses, actor=dora, now=now)


@pytest.mark.every_database
def test_removed_member_cannot_rejoin_by_domain(acme_with_proven_domain: Partner, dora: Any, now: datetime) -> None:
    join(acme_with_proven_domain, dora, "editor", now, ended_at=now)
    with pytest.raises(ActionRefused, match="Ask to join"):
        members.join_by_domain(acme_with_proven_domain, addresses=["dora@acme.example"], actor=dora, now=now)


def test_company_cannot_be_joined_by_its_url_from_another_domain(
    sign_in: SignIn, acme_with_proven_domain: Partner, charlie: Any
) -> None:
    assert sign_in(charlie).post("/company/acme/join/")["Location"] == "/company/join/"
    assert permissions.get_role(acme_with_proven_domain, charlie) == ""


def test_owner_transfers_the_ownership_and_becomes_an_editor(
    sign_in: SignIn, acme: Partner, alice: Any, bob: Any
) -> None:
    address = f"/company/acme/people/{get_membership(acme, bob).pk}/"
    page = sign_in(alice).post(address, {"action": "transfer"}, follow=True)
    assert "Bob Baker is now an owner. You are an editor." in find_text(page)
    assert (get_membership(acme, alice).role, get_membership(acme, bob).role) == ("editor", "owner")
    assert list_emails() == [("role_changed", bob.email, "New role in Acme: owner")]


@pytest.mark.every_database
def test_former_owner_keeps_no_token_and_no_invitation(acme: Partner, alice: Any, bob: Any, now: datetime) -> None:
    tokens.create_token("pipeline", ("integrations:read",), 30, actor=alice, now=now, partner=acme)
    members.create_invitation(acme, "dora@acme.example", "owner", actor=alice, now=now)
    members.transfer_ownership(get_membership(acme, bob), actor=alice, now=now)
    assert ApiToken.objects.filter(revoked_at=None).count() == 0
    assert list(members.list_open_invitations(now)) == []


def test_ownership_is_transferred_only_by_owners_to_other_active_members(
    acme: Partner, alice: Any, bob: Any, dora: Any, now: datetime
) -> None:
    second = join(acme, dora, "owner", now)
    message = "Select an active member who is not an owner."
    assert get_refusal(members.transfer_ownership, second, actor=alice, now=now) == message
    assert get_refusal(members.transfer_ownership, get_membership(acme, alice), actor=bob, now=now).startswith(
        "Only owners"
    )
    type(bob).objects.filter(pk=bob.pk).update(is_active=False)
    assert get_refusal(members.transfer_ownership, get_membership(acme, bob), actor=alice, now=now) == message
    assert (get_membership(acme, alice).role, get_membership(acme, bob).role) == ("owner", "editor")
