"""How do people come to a company, change places in it, and leave?"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from integrations.partners import name_validation, permissions
from integrations.partners.models import Invitation, JoinRequest, Membership, Partner
from integrations.partners.services import members
from portal.audit.models import Event
from portal.audit.verification import find_chain_faults
from portal.core import crypto
from portal.core.errors import NotAllowed
from tests.conftest import person


def told(partner: Partner) -> list[tuple[str, str]]:
    """What the company's history says: verb and actor."""
    assert list(find_chain_faults(Event.objects.order_by("stream", "seq"))) == []
    return list(partner.events.order_by("seq").values_list("verb", "actor"))


def place(partner: Partner, user: Any) -> Membership:
    return Membership.objects.get(partner=partner, user=user, ended_at=None)


def refusal(call: Callable[..., Any], *args: Any, **named: Any) -> str:
    with pytest.raises(NotAllowed) as refused:
        call(*args, **named)
    return str(refused.value)


@pytest.fixture
def dora(db: None) -> Any:
    """Somebody without a company."""
    return person("dora@acme.example", "Dora Dean")


# -- names ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Initech", ""),
        ("O’Neil & Söhne GmbH", ""),
        ("日本Tech", ""),
        ("Toyota トヨタ", ""),
        ("Яндекс", ""),
        ("a < b", ""),
        ("x" * 121, "At most 120 characters; these are 121."),
        ("!!!", "A name needs at least one letter or digit."),
        ("<b>Initech</b>", "Write plain text, without HTML."),
        ("Initech&lt;", "Write plain text, without HTML."),
        (
            "Ini\u202etech",
            "This holds a character that cannot be seen. Type it again rather than pasting it.",
        ),
        ("Ini\x07tech", "This holds a character that cannot be seen. Type it again rather than pasting it."),
        (
            "Initeсh",  # with a Cyrillic с
            "This name mixes letters of several alphabets that look alike. Write it in one alphabet.",
        ),
    ],
)
def test_a_company_name_is_taken_or_refused_with_a_sentence(name: str, sentence: str) -> None:
    assert name_validation.name_refusal(name) == sentence


@pytest.mark.parametrize("name", ["Acme", "ACME", "A.c.m.e", "Äcme", "Асmе", "Ａｃｍｅ"])
def test_a_name_that_looks_like_one_here_is_found(acme: Partner, name: str, now: datetime) -> None:
    assert name_validation.twin(name, now) == acme


@pytest.mark.parametrize("name", ["G1obex", "GIobex", "Gl0bex"])
def test_digits_and_capitals_drawn_like_other_letters_look_alike(globex: Partner, name: str, now: datetime) -> None:
    assert name_validation.twin(name, now) == globex


def test_public_mail_says_nothing_about_a_company() -> None:
    assert [name_validation.domain_of(a) for a in ("x@Gmail.com", "x@outlook.com", "x@acme.example")] == [
        "",
        "",
        "acme.example",
    ]


def test_companies_are_found_by_domain_by_like_name_and_never_by_public_mail(acme: Partner, globex: Partner) -> None:
    Partner.objects.filter(pk=globex.pk).update(domain="gmail.com")
    assert name_validation.already_here("", ["dora@acme.example"]) == [acme]
    assert name_validation.already_here("Acme Inc.", ["dora@initech.example"]) == [acme]
    assert name_validation.already_here("", ["dora@gmail.com"]) == []
    assert name_validation.already_here("Initech", []) == []


# -- create ---------------------------------------------------------------------------------------------------


def test_a_company_is_created_with_its_owner(dora: Any, now: datetime) -> None:
    made = members.create_partner(
        " Ini  tech ", website="https://initech.example", domain="d.example", by=dora, now=now
    )
    assert (made.name, made.slug, made.domain) == ("Ini tech", "ini-tech", "d.example")
    assert permissions.role_of(made, dora) == "owner"
    assert told(made) == [("partner_created", "Dora Dean")]


def test_a_second_company_that_looks_the_same_is_refused(acme: Partner, dora: Any, now: datetime) -> None:
    sentence = refusal(members.create_partner, "АСМЕ", by=dora, now=now)
    assert sentence == "A company with this name, or one that looks just like it, is already here."
    assert Partner.objects.count() == 1


def test_slugs_never_meet_each_other_nor_a_page(dora: Any, now: datetime) -> None:
    made = [members.create_partner(name, by=dora, now=now).slug for name in ("New", "Join Us", "Join-Us 2", "株式会社")]
    assert made == ["new-2", "join-us", "join-us-2", "company"]


# -- join -----------------------------------------------------------------------------------------------------


def test_an_owner_accepts_who_asked(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    asked = members.ask_to_join(acme, message="It is me.", by=dora, now=now)
    assert permissions.role_of(acme, dora) == ""
    members.decide_join(asked, accept=True, role="editor", by=alice, now=now)
    assert place(acme, dora).role == "editor"
    assert JoinRequest.objects.get().state == "accepted"
    assert told(acme) == [("join_requested", "Dora Dean"), ("join_accepted", "Alice Archer")]


def test_who_was_declined_waits_a_day_before_asking_again(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    members.decide_join(members.ask_to_join(acme, by=dora, now=now), accept=False, by=alice, now=now)
    sentence = refusal(members.ask_to_join, acme, by=dora, now=now + timedelta(hours=23))
    assert sentence == "Your request was declined. You can ask again a day after that."
    members.ask_to_join(acme, by=dora, now=now + timedelta(hours=25))
    assert JoinRequest.objects.filter(state="waiting").count() == 1


def test_nobody_asks_twice_nor_asks_their_own_company(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    members.ask_to_join(acme, by=dora, now=now)
    assert refusal(members.ask_to_join, acme, by=dora, now=now) == "You have asked Acme already. Its owners were told."
    assert refusal(members.ask_to_join, acme, by=alice, now=now) == "You belong to Acme already."


def test_nobody_asks_everybody(dora: Any, now: datetime) -> None:
    firms = [Partner.objects.create(name=f"Firm {n}x", slug=f"firm-{n}", created_at=now) for n in range(4)]
    for firm in firms[:3]:
        members.ask_to_join(firm, by=dora, now=now)
    sentence = refusal(members.ask_to_join, firms[3], by=dora, now=now)
    assert sentence == "You have 3 requests waiting. Wait for an answer to one of them."


def test_the_second_decision_on_a_request_says_who_was_faster(
    acme: Partner, alice: Any, bob: Any, dora: Any, now: datetime
) -> None:
    members.change_role(place(acme, bob), "owner", by=alice, now=now)
    asked = members.ask_to_join(acme, by=dora, now=now)
    members.decide_join(asked, accept=False, by=alice, now=now)
    sentence = refusal(members.decide_join, asked, accept=True, role="owner", by=bob, now=now)
    assert sentence == "Alice Archer has decided on this request already: declined."
    assert not Membership.objects.filter(user=dora).exists()


@pytest.mark.parametrize("who", ["bob", "charlie", "rita", "sam", "dora"])
def test_only_owners_decide_on_requests(acme: Partner, alice: Any, now: datetime, who: str, request: Any) -> None:
    asked = members.ask_to_join(acme, by=person("eve@acme.example", "Eve"), now=now)
    by = request.getfixturevalue(who)
    sentence = refusal(members.decide_join, asked, accept=True, role="owner", by=by, now=now)
    assert sentence == "Only owners of the company may do this."
    assert JoinRequest.objects.get().state == "waiting"


def test_a_role_that_is_none_is_refused(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    asked = members.ask_to_join(acme, by=dora, now=now)
    with transaction.atomic():
        assert refusal(members.decide_join, asked, accept=True, role="king", by=alice, now=now) == (
            "Choose owner, editor or viewer."
        )
    assert JoinRequest.objects.get().state == "waiting"


# -- invite ---------------------------------------------------------------------------------------------------


def test_an_invited_person_joins_in_the_offered_role(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    invitation, token = members.invite(acme, "Dora@Acme.example", "viewer", by=alice, now=now)
    assert invitation.token_hash == crypto.token_hash(token)
    assert token not in str(Event.objects.values_list("data", flat=True))
    members.accept_invitation(invitation, addresses=[dora.email], by=dora, now=now)
    assert place(acme, dora).role == "viewer"
    assert told(acme) == [("invited", "Alice Archer"), ("invitation_accepted", "Dora Dean")]


def test_an_invitation_is_for_its_address_alone(acme: Partner, alice: Any, charlie: Any, now: datetime) -> None:
    invitation, _ = members.invite(acme, "dora@acme.example", "owner", by=alice, now=now)
    sentence = refusal(members.accept_invitation, invitation, addresses=[charlie.email], by=charlie, now=now)
    assert sentence == (
        "This invitation is for dora@acme.example. Sign in with that address, or confirm it as one of yours."
    )
    assert permissions.role_of(acme, charlie) == ""


def test_an_invitation_ends_after_fourteen_days(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    invitation, _ = members.invite(acme, dora.email, "editor", by=alice, now=now)
    late = now + timedelta(days=14)
    sentence = refusal(members.accept_invitation, invitation, addresses=[dora.email], by=dora, now=late)
    assert sentence == "This invitation was open for 14 days and has ended. Ask for a new one."
    members.accept_invitation(invitation, addresses=[dora.email], by=dora, now=late - timedelta(seconds=1))
    assert place(acme, dora).role == "editor"


def test_inviting_again_makes_a_new_link_and_ends_the_one_before(acme: Partner, alice: Any, now: datetime) -> None:
    first, before = members.invite(acme, "dora@acme.example", "editor", by=alice, now=now)
    later = now + timedelta(days=10)
    again, after = members.invite(acme, "dora@acme.example", "viewer", by=alice, now=later)
    assert again.pk == first.pk
    assert list(Invitation.objects.values_list("token_hash", "role", "expires_at")) == [
        (crypto.token_hash(after), "viewer", later + timedelta(days=14))
    ]
    assert before != after


def test_a_revoked_invitation_opens_nothing(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    invitation, _ = members.invite(acme, dora.email, "editor", by=alice, now=now)
    members.revoke_invitation(invitation, by=alice, now=now)
    members.revoke_invitation(invitation, by=alice, now=now)
    sentence = refusal(members.accept_invitation, invitation, addresses=[dora.email], by=dora, now=now)
    assert sentence == "This invitation was taken back. Ask the person who invited you."
    assert told(acme) == [("invited", "Alice Archer"), ("invitation_revoked", "Alice Archer")]


def test_an_accepted_invitation_is_neither_taken_twice_nor_back(
    acme: Partner, alice: Any, dora: Any, now: datetime
) -> None:
    invitation, _ = members.invite(acme, dora.email, "editor", by=alice, now=now)
    members.accept_invitation(invitation, addresses=[dora.email], by=dora, now=now)
    assert refusal(members.accept_invitation, invitation, addresses=[dora.email], by=dora, now=now) == (
        "This invitation was accepted already."
    )
    assert refusal(members.revoke_invitation, invitation, by=alice, now=now) == (
        "dora@acme.example has accepted already. Remove the person instead."
    )


def test_members_are_not_invited_and_nobody_but_owners_invites(
    acme: Partner, alice: Any, bob: Any, now: datetime
) -> None:
    assert refusal(members.invite, acme, "BOB@acme.example", "owner", by=alice, now=now) == (
        "bob@acme.example belongs to Acme already."
    )
    assert refusal(members.invite, acme, "dora@acme.example", "viewer", by=bob, now=now) == (
        "Only owners of the company may do this."
    )
    assert Invitation.objects.count() == 0


def test_a_company_sends_fifty_invitations_a_day(acme: Partner, alice: Any, now: datetime) -> None:
    for n in range(50):
        members.invite(acme, f"p{n}@acme.example", "viewer", by=alice, now=now)
    sentence = refusal(members.invite, acme, "p0@acme.example", "viewer", by=alice, now=now)
    assert sentence == "At most 50 invitations go out in a day. Send the next ones tomorrow."
    members.invite(acme, "p0@acme.example", "viewer", by=alice, now=now + timedelta(days=1))


def test_an_invitation_answers_a_request_that_waits(acme: Partner, alice: Any, dora: Any, now: datetime) -> None:
    members.ask_to_join(acme, by=dora, now=now)
    invitation, _ = members.invite(acme, dora.email, "editor", by=alice, now=now)
    members.accept_invitation(invitation, addresses=[dora.email], by=dora, now=now)
    assert JoinRequest.objects.get().state == "accepted"


# -- roles and leaving ----------------------------------------------------------------------------------------


def test_the_last_owner_neither_leaves_nor_becomes_less(acme: Partner, alice: Any, bob: Any, now: datetime) -> None:
    assert refusal(members.change_role, place(acme, alice), "editor", by=alice, now=now) == members.LAST_OWNER
    assert refusal(members.end_membership, place(acme, alice), by=alice, now=now) == members.LAST_OWNER
    members.change_role(place(acme, bob), "owner", by=alice, now=now)
    members.end_membership(place(acme, alice), by=alice, now=now)
    assert (permissions.role_of(acme, alice), permissions.role_of(acme, bob)) == ("", "owner")
    assert told(acme) == [("role_changed", "Alice Archer"), ("membership_ended", "Alice Archer")]


def test_an_owner_whose_account_is_off_is_no_owner(acme: Partner, alice: Any, bob: Any, now: datetime) -> None:
    members.change_role(place(acme, bob), "owner", by=alice, now=now)
    bob.is_active = False
    bob.save()
    assert refusal(members.end_membership, place(acme, alice), by=alice, now=now) == members.LAST_OWNER


def test_who_is_removed_loses_access_and_can_come_back(acme: Partner, alice: Any, bob: Any, now: datetime) -> None:
    assert permissions.role_of(acme, bob) == "editor"
    members.end_membership(place(acme, bob), by=alice, now=now)
    permissions.forget_roles(bob)
    assert permissions.role_of(acme, bob) == ""
    invitation, _ = members.invite(acme, bob.email, "viewer", by=alice, now=now)
    members.accept_invitation(invitation, addresses=[bob.email], by=bob, now=now)
    assert permissions.role_of(acme, bob) == "viewer"
    assert Membership.objects.filter(partner=acme, user=bob).count() == 2


def test_a_removed_owner_leaves_no_open_invitation_behind(acme: Partner, alice: Any, bob: Any, now: datetime) -> None:
    members.change_role(place(acme, bob), "owner", by=alice, now=now)
    members.invite(acme, "bob@home.example", "owner", by=bob, now=now)
    members.invite(acme, "dora@acme.example", "editor", by=alice, now=now)
    members.end_membership(place(acme, bob), by=alice, now=now)
    assert list(members.open_invitations(acme, now).values_list("email", flat=True)) == ["dora@acme.example"]


def test_colleagues_do_not_end_each_other(acme: Partner, alice: Any, bob: Any, charlie: Any, now: datetime) -> None:
    for by in (bob, charlie):
        assert refusal(members.end_membership, place(acme, alice), by=by, now=now) == (
            "Only owners of the company may do this."
        )
        assert refusal(members.change_role, place(acme, bob), "owner", by=by, now=now) == (
            "Only owners of the company may do this."
        )
    assert permissions.role_of(acme, bob) == "editor"


def test_a_place_that_has_ended_is_said_to_have_ended(acme: Partner, alice: Any, bob: Any, now: datetime) -> None:
    was = place(acme, bob)
    members.end_membership(was, by=alice, now=now)
    assert (
        refusal(members.change_role, was, "owner", by=alice, now=now) == "Bob Baker no longer belongs to the company."
    )
    assert refusal(members.end_membership, was, by=alice, now=now) == "Bob Baker no longer belongs to the company."


def test_staff_appoint_an_owner_where_none_is_left(
    acme: Partner, alice: Any, bob: Any, sam: Any, rita: Any, now: datetime
) -> None:
    alice.is_active = False
    alice.save()
    assert refusal(members.appoint_owner, acme, bob, by=rita, now=now) == "Only staff may appoint an owner."
    members.appoint_owner(acme, bob, by=sam, now=now)
    assert place(acme, bob).role == "owner"
    assert told(acme) == [("owner_appointed", "Sam Stone")]


def test_one_person_can_belong_to_several_companies(acme: Partner, charlie: Any, alice: Any, now: datetime) -> None:
    invitation, _ = members.invite(acme, charlie.email, "viewer", by=alice, now=now)
    members.accept_invitation(invitation, addresses=[charlie.email], by=charlie, now=now)
    mine = Membership.objects.filter(user=charlie, ended_at=None).order_by("partner__name")
    assert list(mine.values_list("partner__name", "role")) == [("Acme", "viewer"), ("Globex", "owner")]
