"""Tests of creating and joining a company, changing roles, and leaving."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from integrations.partners import permissions
from integrations.partners.models import JoinRequest, Membership, Partner
from integrations.partners.services import members, profiles
from portal.core.errors import ActionRefused
from tests.conftest import create_user
from tests.integrations.partners.memberships import get_membership, get_refusal, join, list_partner_events

pytestmark = pytest.mark.any_database

REFUSED_APPOINTMENT = "Only staff can appoint an owner. Staff can't appoint an owner of their own company."


def test_company_is_created_with_its_owner(dora: Any, now: datetime) -> None:
    partner = profiles.create_partner(
        " Ini  tech ", website="https://initech.example", domain="d.example", actor=dora, now=now
    )
    assert (partner.name, partner.slug, partner.domain) == ("Ini tech", "ini-tech", "d.example")
    assert permissions.get_role(partner, dora) == "owner"
    assert list_partner_events(partner) == [("partner.created", "Dora Dean")]


@pytest.mark.every_database
def test_company_with_a_lookalike_name_is_refused(acme: Partner, dora: Any, now: datetime) -> None:
    message = get_refusal(profiles.create_partner, "АСМЕ", actor=dora, now=now)
    assert message == "A company with this or a similar name already exists. Ask to join it, or enter another name."
    assert Partner.objects.count() == 1


def test_slugs_are_unique_and_differ_from_pages(dora: Any, now: datetime) -> None:
    slugs = [
        profiles.create_partner(name, actor=dora, now=now).slug for name in ("New", "Join Us", "Join-Us 2", "株式会社")
    ]
    assert slugs == ["new-2", "join-us", "join-us-2", "company"]


def test_owner_accepts_a_join_request(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    join_request = members.request_to_join(acme, message="It is me.", actor=dora, now=now)
    assert permissions.get_role(acme, dora) == ""
    members.decide_join_request(join_request, accept=True, role="editor", actor=alice, now=now)
    assert get_membership(acme, dora).role == "editor"
    assert JoinRequest.objects.get().state == "accepted"
    assert list_partner_events(acme) == [
        ("member.join_requested", "Dora Dean"),
        ("member.join_accepted", "Alice Archer"),
    ]


@pytest.mark.every_database
def test_declined_person_can_ask_again_after_a_day(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    members.decide_join_request(members.request_to_join(acme, actor=dora, now=now), accept=False, actor=alice, now=now)
    with pytest.raises(
        ActionRefused, match=r"Your request was declined\. You can ask again after 24 hours\."
    ) as refusal:
        members.request_to_join(acme, actor=dora, now=now + timedelta(hours=23))
    assert (refusal.value.kind, refusal.value.retry_after) == ("rate-limited", timedelta(hours=1))
    members.request_to_join(acme, actor=dora, now=now + timedelta(hours=25))
    assert JoinRequest.objects.filter(state="waiting").count() == 1


@pytest.mark.every_database
def test_second_join_request_and_request_of_a_member_are_refused(
    acme: Partner, alice: Any, dora: Any, now: datetime
) -> None:
    members.request_to_join(acme, actor=dora, now=now)
    assert (
        get_refusal(members.request_to_join, acme, actor=dora, now=now)
        == "You already asked to join Acme. Wait for an owner's decision."
    )
    assert get_refusal(members.request_to_join, acme, actor=alice, now=now) == "You are already a member of Acme."


def test_open_join_requests_are_limited(dora: Any, now: datetime) -> None:
    partners = [Partner.objects.create(name=f"Firm {n}x", slug=f"firm-{n}", created_at=now) for n in range(4)]
    for partner in partners[:3]:
        members.request_to_join(partner, actor=dora, now=now)
    message = get_refusal(members.request_to_join, partners[3], actor=dora, now=now)
    assert message == "You have 3 open requests. Wait for a decision on one of them."


@pytest.mark.every_database
def test_second_decision_on_a_request_names_the_first(
    acme: Partner, alice: Any, bob: Any, dora: Any, now: datetime
) -> None:
    members.change_role(get_membership(acme, bob), "owner", actor=alice, now=now)
    join_request = members.request_to_join(acme, actor=dora, now=now)
    members.decide_join_request(join_request, accept=False, actor=alice, now=now)
    message = get_refusal(members.decide_join_request, join_request, accept=True, role="owner", actor=bob, now=now)
    assert message == "Alice Archer already decided on this request: declined."
    assert not Membership.objects.filter(user=dora).exists()


@pytest.mark.parametrize("who", ["bob", "charlie", "rita", "sam", "dora"])
def test_only_owners_decide_on_requests(acme: Partner, alice: Any, now: datetime, who: str, request: Any) -> None:
    join_request = members.request_to_join(acme, actor=create_user("eve@acme.example", "Eve"), now=now)
    by = request.getfixturevalue(who)
    message = get_refusal(members.decide_join_request, join_request, accept=True, role="owner", actor=by, now=now)
    assert message == "Only owners of the company can do this."
    assert JoinRequest.objects.get().state == "waiting"


@pytest.mark.every_database
def test_invalid_role_is_refused(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    join_request = members.request_to_join(acme, actor=dora, now=now)
    with transaction.atomic():
        assert get_refusal(
            members.decide_join_request, join_request, accept=True, role="king", actor=alice, now=now
        ) == ("Select owner, editor, or viewer.")
    assert JoinRequest.objects.get().state == "waiting"


def test_last_owner_cannot_leave_or_change_role(acme: Partner, alice: Any, bob: Any, now: datetime) -> None:
    assert (
        get_refusal(members.change_role, get_membership(acme, alice), "editor", actor=alice, now=now)
        == members.LAST_OWNER_MESSAGE
    )
    assert (
        get_refusal(members.end_membership, get_membership(acme, alice), actor=alice, now=now)
        == members.LAST_OWNER_MESSAGE
    )
    members.change_role(get_membership(acme, bob), "owner", actor=alice, now=now)
    members.end_membership(get_membership(acme, alice), actor=alice, now=now)
    assert (permissions.get_role(acme, alice), permissions.get_role(acme, bob)) == ("", "owner")
    assert list_partner_events(acme) == [("member.role_changed", "Alice Archer"), ("member.removed", "Alice Archer")]


def test_owner_with_an_inactive_account_does_not_count(acme: Partner, alice: Any, bob: Any, now: datetime) -> None:
    members.change_role(get_membership(acme, bob), "owner", actor=alice, now=now)
    bob.is_active = False
    bob.save()
    assert (
        get_refusal(members.end_membership, get_membership(acme, alice), actor=alice, now=now)
        == members.LAST_OWNER_MESSAGE
    )


@pytest.mark.every_database
def test_removed_member_loses_access_and_can_be_invited_again(
    acme: Partner, alice: Any, bob: Any, now: datetime
) -> None:
    assert permissions.get_role(acme, bob) == "editor"
    members.end_membership(get_membership(acme, bob), actor=alice, now=now)
    permissions.clear_cached_roles(bob)
    assert permissions.get_role(acme, bob) == ""
    invitation, _ = members.create_invitation(acme, bob.email, "viewer", actor=alice, now=now)
    members.accept_invitation(invitation, addresses=[bob.email], actor=bob, now=now)
    assert permissions.get_role(acme, bob) == "viewer"
    assert Membership.objects.filter(partner=acme, user=bob).count() == 2


@pytest.mark.every_database
def test_invitations_of_a_removed_owner_are_revoked(acme: Partner, alice: Any, bob: Any, now: datetime) -> None:
    members.change_role(get_membership(acme, bob), "owner", actor=alice, now=now)
    members.create_invitation(acme, "bob@home.example", "owner", actor=bob, now=now)
    members.create_invitation(acme, "dora@acme.example", "editor", actor=alice, now=now)
    members.end_membership(get_membership(acme, bob), actor=alice, now=now)
    assert list(members.list_open_invitations(now).values_list("email", flat=True)) == ["dora@acme.example"]


@pytest.mark.every_database
def test_invitations_to_a_removed_member_are_revoked(
    acme: Partner, globex: Partner, alice: Any, charlie: Any, dora: Any, now: datetime
) -> None:
    dora.emailaddress_set.create(email="Dora@Home.example", verified=True)
    dora.emailaddress_set.create(email="erin@acme.example", verified=False)
    for email in (dora.email, "dora@home.example", "erin@acme.example"):
        members.create_invitation(acme, email, "editor", actor=alice, now=now)
    members.create_invitation(globex, dora.email, "editor", actor=charlie, now=now)
    members.end_membership(join(acme, dora, "viewer", now), actor=alice, now=now)
    open_invitations = members.list_open_invitations(now).order_by("partner", "email")
    assert list(open_invitations.values_list("partner__name", "email")) == [
        ("Acme", "erin@acme.example"),
        ("Globex", dora.email),
    ]


def test_members_and_strangers_cannot_change_memberships(
    acme: Partner, alice: Any, bob: Any, charlie: Any, now: datetime
) -> None:
    for by in (bob, charlie):
        assert get_refusal(members.end_membership, get_membership(acme, alice), actor=by, now=now) == (
            "Only owners of the company can do this."
        )
        assert get_refusal(members.change_role, get_membership(acme, bob), "owner", actor=by, now=now) == (
            "Only owners of the company can do this."
        )
    assert permissions.get_role(acme, bob) == "editor"


def test_ended_membership_cannot_be_changed(acme: Partner, alice: Any, bob: Any, now: datetime) -> None:
    was = get_membership(acme, bob)
    members.end_membership(was, actor=alice, now=now)
    assert (
        get_refusal(members.change_role, was, "owner", actor=alice, now=now)
        == "Bob Baker is no longer a member of the company."
    )
    assert (
        get_refusal(members.end_membership, was, actor=alice, now=now)
        == "Bob Baker is no longer a member of the company."
    )


def test_staff_appoint_an_owner_if_none_is_active(
    acme: Partner, alice: Any, bob: Any, sam: Any, rita: Any, now: datetime
) -> None:
    alice.is_active = False
    alice.save()
    assert get_refusal(members.appoint_owner, acme, bob, actor=rita, now=now) == REFUSED_APPOINTMENT
    members.appoint_owner(acme, bob, actor=sam, now=now)
    assert get_membership(acme, bob).role == "owner"
    assert get_refusal(members.appoint_owner, acme, bob, actor=sam, now=now) == "Bob Baker is already an owner."
    assert list_partner_events(acme) == [("member.owner_appointed", "Sam Stone")]


@pytest.mark.parametrize("candidate", ["sam", "bob"])
def test_staff_who_belong_to_a_company_appoint_no_owner(
    acme: Partner, alice: Any, bob: Any, sam: Any, now: datetime, candidate: str
) -> None:
    acme.memberships.create(user=sam, role="viewer", joined_at=now)
    user = {"sam": sam, "bob": bob}[candidate]
    assert get_refusal(members.appoint_owner, acme, user, actor=sam, now=now) == REFUSED_APPOINTMENT
    assert acme.list_members("owner") == [alice]


@pytest.mark.every_database
def test_one_person_can_belong_to_several_companies(acme: Partner, charlie: Any, alice: Any, now: datetime) -> None:
    invitation, _ = members.create_invitation(acme, charlie.email, "viewer", actor=alice, now=now)
    members.accept_invitation(invitation, addresses=[charlie.email], actor=charlie, now=now)
    mine = Membership.objects.filter(user=charlie, ended_at=None).order_by("partner__name")
    assert list(mine.values_list("partner__name", "role")) == [("Acme", "viewer"), ("Globex", "owner")]
