"""Tests of invitations to a partner."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.partners import permissions
from integrations.partners.models import Invitation, JoinRequest, Partner
from integrations.partners.services import invitation_responses, members, profiles
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.core import crypto
from portal.core.errors import ActionRefused
from tests.integrations.partners.memberships import get_membership, get_refusal, join, list_partner_events


def test_invited_person_joins_in_the_offered_role(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    invitation, token = members.create_invitation(acme, "Dora@Acme.example", "viewer", actor=alice, now=now)
    assert invitation.token_hash == crypto.hash_token(token)
    assert token not in str(AuditEvent.objects.values_list("data", flat=True))
    members.accept_invitation(invitation, addresses=[dora.email], actor=dora, now=now)
    assert get_membership(acme, dora).role == "viewer"
    assert list_partner_events(acme) == [
        ("member.invited", "Alice Archer"),
        ("member.invitation_accepted", "Dora Dean"),
    ]


def test_invitation_is_only_for_its_address(acme: Partner, alice: Any, charlie: Any, now: datetime) -> None:
    invitation, _ = members.create_invitation(acme, "dora@acme.example", "owner", actor=alice, now=now)
    message = get_refusal(members.accept_invitation, invitation, addresses=[charlie.email], actor=charlie, now=now)
    assert message == (
        "This invitation is for dora@acme.example. Sign in with that address, or add it to your account."
    )
    assert permissions.get_role(acme, charlie) == ""


def test_invitation_expires_after_14_days(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    invitation, _ = members.create_invitation(acme, dora.email, "editor", actor=alice, now=now)
    late = now + timedelta(days=14)
    message = get_refusal(members.accept_invitation, invitation, addresses=[dora.email], actor=dora, now=late)
    assert message == "This invitation expired after 14 days. Ask for a new one."
    members.accept_invitation(invitation, addresses=[dora.email], actor=dora, now=late - timedelta(seconds=1))
    assert get_membership(acme, dora).role == "editor"


def test_second_invitation_replaces_the_link_of_the_first(acme: Partner, alice: Any, now: datetime) -> None:
    first, before = members.create_invitation(acme, "dora@acme.example", "editor", actor=alice, now=now)
    later = now + timedelta(days=10)
    again, after = members.create_invitation(acme, "dora@acme.example", "viewer", actor=alice, now=later)
    assert again.pk == first.pk
    assert list(Invitation.objects.values_list("token_hash", "role", "expires_at")) == [
        (crypto.hash_token(after), "viewer", later + timedelta(days=14))
    ]
    assert before != after


def test_revoked_invitation_cannot_be_accepted(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    invitation, _ = members.create_invitation(acme, dora.email, "editor", actor=alice, now=now)
    members.revoke_invitation(invitation, actor=alice, now=now)
    members.revoke_invitation(invitation, actor=alice, now=now)
    message = get_refusal(members.accept_invitation, invitation, addresses=[dora.email], actor=dora, now=now)
    assert message == "This invitation is no longer open. Ask the person who invited you."
    assert list_partner_events(acme) == [
        ("member.invited", "Alice Archer"),
        ("member.invitation_revoked", "Alice Archer"),
    ]


def test_declined_invitation_is_closed(acme: Partner, alice: Any, dora: Any, charlie: Any, now: datetime) -> None:
    invitation, _ = members.create_invitation(acme, dora.email, "editor", actor=alice, now=now)
    decline = invitation_responses.decline_invitation
    assert get_refusal(decline, invitation, addresses=[charlie.email], actor=charlie, now=now) == (
        "This invitation is for dora@acme.example. Sign in with that address, or add it to your account."
    )
    decline(invitation, addresses=[dora.email], actor=dora, now=now)
    assert list(members.list_open_invitations(now)) == []
    assert permissions.get_role(acme, dora) == ""
    assert list_partner_events(acme) == [
        ("member.invited", "Alice Archer"),
        ("member.invitation_declined", "Dora Dean"),
    ]


def test_invitation_of_a_deactivated_person_cannot_be_accepted(
    acme: Partner, alice: Any, dora: Any, now: datetime
) -> None:
    invitation, _ = members.create_invitation(acme, dora.email, "owner", actor=alice, now=now)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    sentence = get_refusal(members.accept_invitation, invitation, addresses=[dora.email], actor=dora, now=now)
    assert sentence == "The account of the person who invited you is deactivated. Ask for a new invitation."
    assert permissions.get_role(acme, dora) == ""


def test_accepted_invitation_cannot_be_accepted_again_or_revoked(
    acme: Partner, alice: Any, dora: Any, now: datetime
) -> None:
    invitation, _ = members.create_invitation(acme, dora.email, "editor", actor=alice, now=now)
    members.accept_invitation(invitation, addresses=[dora.email], actor=dora, now=now)
    assert get_refusal(members.accept_invitation, invitation, addresses=[dora.email], actor=dora, now=now) == (
        "This invitation was already accepted."
    )
    assert get_refusal(members.revoke_invitation, invitation, actor=alice, now=now) == (
        "dora@acme.example already accepted the invitation. Remove the member instead."
    )


def test_only_owners_invite_and_only_people_who_are_not_members(
    acme: Partner, alice: Any, bob: Any, now: datetime
) -> None:
    assert get_refusal(members.create_invitation, acme, "BOB@acme.example", "owner", actor=alice, now=now) == (
        "bob@acme.example is already a member of Acme."
    )
    assert get_refusal(members.create_invitation, acme, "dora@acme.example", "viewer", actor=bob, now=now) == (
        "Only owners of the company can do this."
    )
    assert Invitation.objects.count() == 0


@pytest.mark.any_database
def test_company_can_send_50_invitations_per_day(acme: Partner, alice: Any, now: datetime) -> None:
    for n in range(50):
        members.create_invitation(acme, f"p{n}@acme.example", "viewer", actor=alice, now=now)
    later = now + timedelta(hours=1)
    with pytest.raises(ActionRefused) as refusal:
        members.create_invitation(acme, "p0@acme.example", "viewer", actor=alice, now=later)
    assert str(refusal.value) == "You reached the limit of 50 invitations per day. Try again tomorrow."
    assert (refusal.value.kind, refusal.value.retry_after) == ("rate-limited", timedelta(hours=23))
    members.create_invitation(acme, "p0@acme.example", "viewer", actor=alice, now=now + timedelta(days=1))


def test_limit_of_invitations_counts_those_for_other_companies_of_the_sender(
    acme: Partner, alice: Any, now: datetime
) -> None:
    """Anyone can create companies, so that a limit for each company alone would not limit the emails."""
    for n in range(50):
        members.create_invitation(acme, f"p{n}@acme.example", "viewer", actor=alice, now=now)
    second = profiles.create_partner("Second Rockets", actor=alice, now=now)
    message = get_refusal(members.create_invitation, second, "p@acme.example", "viewer", actor=alice, now=now)
    assert message == "You reached the limit of 50 invitations per day. Try again tomorrow."


def test_accepted_invitation_accepts_the_open_join_request(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    members.request_to_join(acme, actor=dora, now=now)
    invitation, _ = members.create_invitation(acme, dora.email, "editor", actor=alice, now=now)
    members.accept_invitation(invitation, addresses=[dora.email], actor=dora, now=now)
    assert JoinRequest.objects.get().state == "accepted"


def test_member_cannot_accept_an_invitation_to_another_role(
    acme: Partner, alice: Any, dora: Any, now: datetime
) -> None:
    invitation, _ = members.create_invitation(acme, dora.email, "editor", actor=alice, now=now)
    join(acme, dora, "viewer", now)
    message = get_refusal(members.accept_invitation, invitation, addresses=[dora.email], actor=dora, now=now)
    assert message == "You are already a member of Acme. Ask an owner to change your role."
    invitation.refresh_from_db()
    assert (get_membership(acme, dora).role, invitation.accepted_at) == ("viewer", None)
