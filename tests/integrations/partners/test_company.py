"""Tests of the company page, its members, and its invitations."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from integrations.partners import permissions
from integrations.partners.models import Invitation, JoinRequest, Membership, Partner, Role
from integrations.partners.services import members
from integrations.submissions.services.partner_merges import merge_partners
from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from tests.conftest import create_integration, create_user
from tests.integrations.page_text import find_text, get_field_error
from tests.integrations.submissions.signatures import sign

pytestmark = pytest.mark.any_database

SignIn = Callable[[Any], Any]


def get_member_url(user: Any) -> str:
    row = Membership.objects.select_related("partner").get(user=user, ended_at=None)
    return reverse("partners:change_member", args=[row.partner.slug, row.pk])


def list_emails() -> list[tuple[str, str]]:
    return list(EmailMessage.objects.order_by("pk").values_list("name", "to"))


def test_page_shows_an_owner_everything(sign_in: SignIn, acme: Partner, alice: Any, bob: Any, now: datetime) -> None:
    members.create_invitation(acme, "dora@acme.example", "viewer", actor=alice, now=now)
    page = find_text(sign_in(alice).get("/company/acme/"))
    for words in ("Alice Archer", "Bob Baker", "Invite a member", "Change role", "Remove", "Leave"):
        assert words in page


def test_page_names_the_company_above_its_signatures(sign_in: SignIn, acme: Partner, alice: Any, now: datetime) -> None:
    sign(create_integration(acme, alice), alice, now)
    page = " ".join(find_text(sign_in(alice).get("/company/acme/")).split())
    assert "Agreement Acme Program Actions Technology Partner Agreement" in page


def test_page_shows_other_members_only_the_people(
    sign_in: SignIn, acme: Partner, alice: Any, bob: Any, now: datetime
) -> None:
    members.create_invitation(acme, "dora@acme.example", "viewer", actor=alice, now=now)
    members.request_to_join(acme, actor=create_user("erin@acme.example", "Erin"), now=now)
    page = find_text(sign_in(bob).get("/company/acme/"))
    assert "Alice Archer" in page
    for words in ("dora@acme.example", "erin@acme.example", "Invite", "Change role", "Remove"):
        assert words not in page


@pytest.fixture
def crowd(acme: Partner, alice: Any, bob: Any, now: datetime) -> list[Membership]:
    """Return 40 further members. As many people ask to join, and as many are invited."""
    people = User.objects.bulk_create(User(email=f"p{n}@acme.example", name=f"Person {n}") for n in range(80))
    rows = [Membership(partner=acme, user=each, role=Role.VIEWER, joined_at=now) for each in people[:40]]
    JoinRequest.objects.bulk_create(JoinRequest(partner=acme, user=each, created_at=now) for each in people[40:])
    for number in range(40):
        members.create_invitation(acme, f"i{number}@acme.example", "viewer", actor=alice, now=timezone.now())
    return Membership.objects.bulk_create(rows)


def test_long_lists_have_pages(sign_in: SignIn, crowd: list[Membership], alice: Any) -> None:
    client = sign_in(alice)
    names = ("members", "requests", "invitations")
    lengths = []
    for query in ("", "?members=3", "?requests=2", "?invitations=2"):
        context = client.get(f"/company/acme/{query}").context
        lengths.append(tuple(len(context[name]) for name in names))
    assert lengths == [(20, 20, 20), (2, 20, 20), (20, 20, 20), (20, 20, 20)]


def test_page_links_beside_a_refused_form_lead_to_the_company(
    sign_in: SignIn, crowd: list[Membership], alice: Any
) -> None:
    client = sign_in(alice)
    urls = [client.get(f"{url}?members=2").url for url in ("/company/acme/invite/", get_member_url(crowd[-1].user))]
    assert urls == ["/company/acme/?members=2"] * 2


def test_lists_stay_on_their_pages_after_an_action(sign_in: SignIn, crowd: list[Membership], alice: Any) -> None:
    client = sign_in(alice)
    query = "?members=2&invitations=2"
    join_request = JoinRequest.objects.latest("pk")
    actions = [
        (get_member_url(crowd[-1].user), {"action": "role", "role": "editor"}),
        (f"/company/acme/invitations/{Invitation.objects.latest('pk').pk}/", {"action": "revoke"}),
        (f"/company/acme/requests/{join_request.pk}/", {"action": "decline"}),
        ("/company/acme/invite/", {"email": "dora@acme.example", "role": "viewer"}),
        ("/company/acme/contacts/", {}),
    ]
    headers = {"Referer": f"http://testserver/company/acme/{query}"}
    urls = [client.post(url, data, headers=headers).url for url, data in actions]
    assert urls == [f"/company/acme/{query}"] * len(actions)


def test_refused_removal_of_a_later_page_comes_first(sign_in: SignIn, crowd: list[Membership], alice: Any) -> None:
    response = sign_in(alice).post(get_member_url(crowd[-1].user), {"action": "end", "name": "Someone"})
    member, _role_form, removal_form = response.context["members"][0]
    assert (response.status_code, member, removal_form.is_bound) == (422, crowd[-1], True)


def test_owner_of_a_later_page_is_an_owner(sign_in: SignIn, crowd: list[Membership], alice: Any, now: datetime) -> None:
    members.change_role(crowd[-1], Role.OWNER, actor=alice, now=now)
    members.change_role(Membership.objects.get(user=alice), Role.EDITOR, actor=alice, now=now)
    assert "No active owner" not in find_text(sign_in(alice).get("/company/acme/"))


@pytest.mark.parametrize("who", ["charlie", "rita", "sam"])
def test_page_is_not_found_for_others(sign_in: SignIn, alice: Any, who: str, request: Any) -> None:
    client = sign_in(request.getfixturevalue(who))
    assert client.get("/company/acme/").status_code == 404
    assert client.post("/company/acme/invite/", {"email": "x@acme.example", "role": "owner"}).status_code == 404
    assert client.post(get_member_url(alice), {"action": "end"}).status_code == 404
    assert Invitation.objects.count() == 0


def test_company_link_leads_to_the_only_company_the_list_or_a_new_one(
    sign_in: SignIn, acme: Partner, globex: Partner, alice: Any, charlie: Any, now: datetime
) -> None:
    assert sign_in(alice).get("/company/")["Location"] == "/company/acme/"
    Membership.objects.create(partner=acme, user=charlie, role="viewer", joined_at=now)
    page = find_text(sign_in(charlie).get("/company/"))
    assert "Acme" in page
    assert "Globex" in page
    assert sign_in(create_user("erin@gmail.com", "Erin")).get("/company/")["Location"] == "/company/new/"


def test_owner_invites_a_person_by_email(sign_in: SignIn, acme: Partner, alice: Any) -> None:
    response = sign_in(alice).post(
        "/company/acme/invite/", {"email": "Dora@Acme.example", "role": "owner"}, follow=True
    )
    assert "Invitation sent to dora@acme.example." in find_text(response)
    assert "dora@acme.example" in find_text(response, "#invitations")
    assert list_emails() == [("invitation", "dora@acme.example")]
    assert EmailMessage.objects.get().subject == "Alice Archer invited you to join Acme"


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("form_data", "field"),
    [
        ({"email": "nonsense", "role": "editor"}, "email"),
        ({"email": "", "role": "editor"}, "email"),
        ({"email": "dora@acme.example", "role": "king"}, "role"),
        ({"email": "bob@acme.example", "role": "owner"}, "email"),
    ],
)
def test_invalid_invitation_is_refused_with_field_error(
    sign_in: SignIn, alice: Any, bob: Any, form_data: dict[str, str], field: str
) -> None:
    response = sign_in(alice).post("/company/acme/invite/", form_data)
    assert response.status_code == 422
    assert get_field_error(response, field) != ""
    assert list_emails() == []


def test_editor_cannot_invite(sign_in: SignIn, bob: Any) -> None:
    response = sign_in(bob).post("/company/acme/invite/", {"email": "dora@acme.example", "role": "owner"})
    assert response.status_code == 403
    assert Invitation.objects.count() == 0


@pytest.mark.every_database
def test_invitation_is_sent_again_and_revoked(sign_in: SignIn, alice: Any) -> None:
    client = sign_in(alice)
    client.post("/company/acme/invite/", {"email": "dora@acme.example", "role": "owner"})
    before = Invitation.objects.get().token_hash
    address = reverse("partners:change_invitation", args=["acme", Invitation.objects.get().pk])
    client.post(address, {"action": "resend"})
    assert Invitation.objects.get().token_hash != before
    assert list_emails() == [("invitation", "dora@acme.example")] * 2
    page = client.post(address, {"action": "revoke"}, follow=True)
    assert "Invitation to dora@acme.example revoked." in find_text(page)
    assert find_text(page, "#invitations") == ""
    stale_page = client.post(address, {"action": "resend"}, follow=True)  # from a page that was opened before
    assert "This invitation is no longer open." in find_text(stale_page)
    assert Invitation.objects.filter(revoked_at=None).count() == 0


def test_same_role_is_reported_as_no_change(sign_in: SignIn, acme: Partner, alice: Any, bob: Any) -> None:
    page = find_text(sign_in(alice).post(get_member_url(bob), {"action": "role", "role": "editor"}, follow=True))
    texts = ("Bob Baker already has this role.", "Role of Bob Baker changed.")
    assert [text in page for text in texts] == [True, False]


def test_owner_changes_a_role_and_the_member_is_notified(sign_in: SignIn, acme: Partner, alice: Any, bob: Any) -> None:
    sign_in(alice).post(get_member_url(bob), {"action": "role", "role": "viewer"})
    assert permissions.get_role(acme, bob) == "viewer"
    assert list_emails() == [("role_changed", bob.email)]
    assert EmailMessage.objects.get().subject == "New role in Acme: viewer"


@pytest.mark.every_database
def test_access_of_a_removed_member_ends_on_the_next_request(sign_in: SignIn, alice: Any, bob: Any) -> None:
    member_client = Client()
    member_client.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    assert member_client.get("/company/acme/").status_code == 200
    client = sign_in(alice)
    refused = client.post(get_member_url(bob), {"action": "end", "confirm_name": "Bob"})
    assert (
        refused.status_code,
        find_text(refused, f"#end-{Membership.objects.get(user=bob).pk}-confirm_name_error"),
    ) == (
        422,
        "Enter the name “Bob Baker” to confirm.",
    )
    assert member_client.get("/company/acme/").status_code == 200
    client.post(get_member_url(bob), {"action": "end", "confirm_name": "Bob Baker"})
    assert member_client.get("/company/acme/").status_code == 404
    assert list_emails() == [("membership_ended", bob.email)]
    assert EmailMessage.objects.get().subject == "Membership ended: Acme"


def test_member_who_leaves_is_sent_home_and_owners_are_notified(
    sign_in: SignIn, acme: Partner, alice: Any, bob: Any
) -> None:
    assert sign_in(bob).post(get_member_url(bob), {"action": "end"})["Location"] == "/"
    assert permissions.get_role(acme, bob) == ""
    assert list_emails() == [("membership_ended", alice.email)]
    assert EmailMessage.objects.get().subject == "Bob Baker left Acme"


def test_last_owner_cannot_leave_and_sees_why(sign_in: SignIn, acme: Partner, alice: Any, bob: Any) -> None:
    client = sign_in(alice)
    for fields in ({"action": "end"}, {"action": "role", "role": "viewer"}):
        page = client.post(get_member_url(alice), fields, follow=True)
        assert members.LAST_OWNER_MESSAGE in find_text(page)
    assert permissions.get_role(acme, alice) == "owner"


def test_editor_cannot_change_members(sign_in: SignIn, acme: Partner, alice: Any, bob: Any) -> None:
    client = sign_in(bob)
    client.post(get_member_url(alice), {"action": "end"})
    client.post(get_member_url(bob), {"action": "role", "role": "owner"})
    assert (permissions.get_role(acme, alice), permissions.get_role(acme, bob)) == ("owner", "editor")


@pytest.mark.every_database
@pytest.mark.parametrize("fields", [{}, {"action": "nonsense"}, {"action": "role"}, {"action": "role", "role": "king"}])
def test_invalid_request_changes_nothing(
    sign_in: SignIn, acme: Partner, alice: Any, bob: Any, fields: dict[str, str]
) -> None:
    assert sign_in(alice).post(get_member_url(bob), fields)["Location"] == "/company/acme/"
    assert permissions.get_role(acme, bob) == "editor"
    assert sign_in(alice).get(get_member_url(bob))["Location"] == "/company/acme/"


def test_only_members_are_redirected_to_a_merged_company(
    sign_in: SignIn, acme: Partner, globex: Partner, alice: Any, rita: Any, sam: Any, now: datetime
) -> None:
    merge_partners(acme, globex, "One company since May.", actor=sam, now=now)
    assert sign_in(alice).get("/company/acme/")["Location"] == "/company/globex/"
    for stranger in (create_user("dora@initech.example", "Dora Dean"), rita):
        assert sign_in(stranger).get("/company/acme/").status_code == 404
