"""Tests of the pages on which a person joins or creates a company."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from integrations.partners import permissions
from integrations.partners.models import Invitation, JoinRequest, Membership, Partner
from integrations.partners.services import members
from portal.core import crypto
from portal.notifications.models import EmailMessage
from tests.conftest import create_user
from tests.integrations.page_text import find_text, get_field_error, parse

pytestmark = pytest.mark.any_database

SignIn = Callable[[Any], Any]


@pytest.fixture
def erin(db: None) -> Any:
    return create_user("erin@gmail.com", "Erin Eads")


def test_person_without_a_company_is_redirected_to_create_one(sign_in: SignIn, erin: Any) -> None:
    response = sign_in(erin).get("/")
    assert (response.status_code, response["Location"]) == (302, "/company/new/")


def test_company_is_created_with_the_domain_of_its_first_person(sign_in: SignIn, db: None) -> None:
    fred = create_user("fred@initech.example", "Fred Fox")
    response = sign_in(fred).post("/company/new/", {"name": "Initech", "website": "initech.example"})
    assert response["Location"] == "/company/initech/"
    partner = Partner.objects.get()
    assert (partner.name, partner.domain, partner.website) == ("Initech", "initech.example", "https://initech.example")
    assert permissions.get_role(partner, fred) == "owner"


def test_page_to_return_to_may_be_any_relative_address(sign_in: SignIn, erin: Any) -> None:
    response = sign_in(erin).post("/company/new/?next=integrations", {"name": "Initech"})
    assert (response.status_code, response["Location"]) == (302, "integrations")


@pytest.mark.every_database
def test_public_email_address_sets_no_domain(sign_in: SignIn, erin: Any) -> None:
    sign_in(erin).post("/company/new/", {"name": "Initech"})
    assert Partner.objects.get().domain == ""


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "Enter the company name."),
        ("<script>alert(1)</script>", "Enter plain text without HTML."),
        ("Ini\u200btech", "The text contains an invisible character. Type the text instead of pasting it."),
        ("Initeсh", "The name mixes look-alike letters from several alphabets. Use one alphabet."),
        ("x" * 121, "Enter 120 characters or fewer. You entered 121."),
    ],
)
def test_invalid_name_is_refused_with_field_error_and_keeps_the_input(
    sign_in: SignIn, erin: Any, name: str, message: str
) -> None:
    response = sign_in(erin).post("/company/new/", {"name": name, "website": "https://initech.example"})
    assert response.status_code == 422
    assert get_field_error(response, "name") == message
    website = parse(response).select_one("#id_website")
    assert website is not None
    assert website["value"] == "https://initech.example"
    assert Partner.objects.count() == 0


@pytest.mark.every_database
@pytest.mark.parametrize("website", ["javascript:alert(1)", "ftp://initech.example", "not a site"])
def test_invalid_website_is_refused(sign_in: SignIn, erin: Any, website: str) -> None:
    response = sign_in(erin).post("/company/new/", {"name": "Initech", "website": website})
    assert response.status_code == 422
    assert get_field_error(response, "website") != ""
    assert Partner.objects.count() == 0


def test_company_of_the_same_domain_is_offered_without_its_people(sign_in: SignIn, alice: Any, dora: Any) -> None:
    page = sign_in(dora).get("/company/new/")
    assert "Ask to join Acme" in find_text(page, "#suggestions")
    assert alice.email not in page.content.decode()
    assert alice.name not in page.content.decode()


@pytest.mark.every_database
def test_company_of_the_domain_is_offered_before_another_is_created(sign_in: SignIn, acme: Partner, dora: Any) -> None:
    client = sign_in(dora)
    first = client.post("/company/new/", {"name": "Acme Labs"})
    assert "Ask to join Acme" in find_text(first, "#suggestions")
    assert Partner.objects.count() == 1
    client.post("/company/new/", {"name": "Acme Labs", "anyway": "1"})
    assert sorted(Partner.objects.values_list("name", flat=True)) == ["Acme", "Acme Labs"]


def test_company_with_a_similar_name_is_offered_for_any_domain(sign_in: SignIn, acme: Partner, erin: Any) -> None:
    page = sign_in(erin).post("/company/new/", {"name": "Acme, Inc."})
    assert "Ask to join Acme" in find_text(page, "#suggestions")
    assert "Create company anyway" in find_text(page)


@pytest.mark.parametrize("anyway", [{}, {"anyway": "1"}])
def test_lookalike_name_is_refused_and_joining_is_offered(
    sign_in: SignIn, acme: Partner, erin: Any, anyway: dict[str, str]
) -> None:
    page = sign_in(erin).post("/company/new/", {"name": "АСМЕ"} | anyway)
    assert (
        get_field_error(page, "name")
        == "A company with this or a similar name already exists. Ask to join it, or enter another name."
    )
    assert "Ask to join Acme" in find_text(page, "#suggestions")
    assert "Create company anyway" not in find_text(page)
    assert Partner.objects.count() == 1


def test_own_company_is_never_offered(sign_in: SignIn, alice: Any) -> None:
    assert "Ask to join" not in find_text(sign_in(alice).get("/company/new/"))


def test_input_from_before_the_sign_in_is_kept(client: Any, erin: Any) -> None:
    client.post("/company/new/", {"name": "Initech", "website": "https://initech.example"})
    client.force_login(erin, backend="django.contrib.auth.backends.ModelBackend")
    page = BeautifulSoup(client.get("/company/new/").content, "html.parser")
    assert [page.select_one(f"#id_{name}")["value"] for name in ("name", "website")] == [  # type: ignore[index]
        "Initech",
        "https://initech.example",
    ]


@pytest.mark.every_database
def test_join_request_waits_and_owners_are_notified(sign_in: SignIn, alice: Any, bob: Any, dora: Any) -> None:
    client = sign_in(dora)
    response = client.post("/company/join/?partner=acme", {"message": "It is me."}, follow=True)
    assert "Acme: Waiting for an owner" in find_text(response, "#join-requests")
    mail = EmailMessage.objects.get()
    assert (mail.name, mail.to, mail.subject) == ("join_requested", alice.email, "Dora Dean requested to join Acme")
    assert "It is me." in mail.text
    assert "/company/acme/#requests" in mail.text


@pytest.mark.every_database
def test_companies_that_were_not_offered_cannot_be_joined(sign_in: SignIn, globex: Partner, dora: Any) -> None:
    client = sign_in(dora)
    for query in ("partner=globex", "partner=globex&name=Acme", "partner=none"):
        assert client.get(f"/company/join/?{query}").status_code == 404
        assert client.post(f"/company/join/?{query}", {"message": ""}).status_code == 404
    assert client.get("/company/join/?partner=globex&name=GLOBEX").status_code == 200
    assert JoinRequest.objects.count() == 0


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("action", "state", "mail"), [("accept", "accepted", "join_accepted"), ("decline", "declined", "join_declined")]
)
def test_owner_decides_and_the_requester_is_notified(
    sign_in: SignIn, acme: Partner, alice: Any, dora: Any, now: datetime, action: str, state: str, mail: str
) -> None:
    join_request = members.request_to_join(acme, actor=dora, now=now)
    client = sign_in(alice)
    assert "Dora Dean" in find_text(client.get("/company/acme/"), "#requests")
    address = reverse("partners:decide_join_request", args=["acme", join_request.pk])
    client.post(address, {"action": action, "role": "viewer"})
    assert JoinRequest.objects.get().state == state
    assert permissions.get_role(acme, dora) == ("viewer" if action == "accept" else "")
    assert list(EmailMessage.objects.filter(to=dora.email).values_list("name", flat=True)) == [mail]
    assert "Dora Dean" not in find_text(client.get("/company/acme/"), "#requests")


def test_join_requests_of_another_company_are_not_found(
    sign_in: SignIn, acme: Partner, charlie: Any, dora: Any, now: datetime
) -> None:
    join_request = members.request_to_join(acme, actor=dora, now=now)
    client = sign_in(charlie)
    for slug in ("acme", "globex"):
        address = reverse("partners:decide_join_request", args=[slug, join_request.pk])
        assert client.post(address, {"action": "accept", "role": "owner"}).status_code == 404
    assert JoinRequest.objects.get().state == "waiting"


def get_invitation_path(mail: EmailMessage) -> str:
    """Return the path of the invitation in its email."""
    (path,) = re.findall(r"http://127.0.0.1:8000(/invitations/\S+)", mail.text)
    return str(path)


@pytest.fixture
def invitation_path(acme: Partner, alice: Any, now: datetime, settings: Any, time_machine: Any) -> str:
    """The path in the email of an invitation of Dora by Alice."""
    settings.SITE_URL = "http://127.0.0.1:8000"
    time_machine.move_to(now)
    members.send_invitation(acme, "dora@acme.example", "editor", actor=alice, now=now)
    return get_invitation_path(EmailMessage.objects.get(name="invitation"))


@pytest.mark.every_database
def test_token_is_only_in_the_email_of_the_invitation(invitation_path: str, acme: Partner) -> None:
    token = invitation_path.strip("/").split("/")[-1]
    assert Invitation.objects.get().token_hash == crypto.hash_token(token)
    assert token not in str(list(acme.events.values()))
    assert EmailMessage.objects.get().to == "dora@acme.example"


def test_invitation_link_leads_to_sign_up_and_sign_in(client: Any, invitation_path: str) -> None:
    page = client.get(invitation_path)
    assert "Alice Archer invited you to join Acme" in find_text(page)
    links = [a["href"] for a in BeautifulSoup(page.content, "html.parser").select("main a.button")]
    sign_up = f"/accounts/signup/?next={invitation_path}&email=dora%40acme.example"
    assert links == [sign_up, f"/accounts/login/?next={invitation_path}"]
    assert 'value="dora@acme.example"' in client.get(sign_up).content.decode()


def test_invited_person_joins(sign_in: SignIn, invitation_path: str, acme: Partner, dora: Any) -> None:
    client = sign_in(dora)
    assert "Join company" in find_text(client.get(invitation_path))
    response = client.post(invitation_path, follow=True)
    assert response.redirect_chain == [("/company/acme/", 302)]
    assert permissions.get_role(acme, dora) == "editor"
    assert "You are a member of Acme" in find_text(client.get(invitation_path))


def test_person_with_another_address_sees_whom_the_invitation_is_for(
    sign_in: SignIn, invitation_path: str, acme: Partner, erin: Any
) -> None:
    client = sign_in(erin)
    page = client.get(invitation_path)
    assert "This invitation is for dora@acme.example." in find_text(page)
    assert "You are signed in as erin@gmail.com." in find_text(page)
    client.post(invitation_path)
    assert permissions.get_role(acme, erin) == ""


def test_unconfirmed_address_cannot_accept(sign_in: SignIn, invitation_path: str, acme: Partner, erin: Any) -> None:
    erin.emailaddress_set.create(email="dora@acme.example", verified=False)
    sign_in(erin).post(invitation_path)
    assert permissions.get_role(acme, erin) == ""


@pytest.mark.every_database
def test_confirmed_second_address_can_accept(sign_in: SignIn, invitation_path: str, acme: Partner, erin: Any) -> None:
    erin.emailaddress_set.create(email="dora@acme.example", verified=True)
    sign_in(erin).post(invitation_path)
    assert permissions.get_role(acme, erin) == "editor"


def test_invitation_is_found_by_the_address_without_its_link(
    sign_in: SignIn, invitation_path: str, acme: Partner, dora: Any, erin: Any
) -> None:
    address = reverse("partners:accept_invitation", args=[Invitation.objects.get().pk])
    assert sign_in(erin).post(address).status_code == 404
    client = sign_in(dora)
    assert "Join Acme" in find_text(client.get("/company/new/"), "#invitations")
    client.post(address)
    assert permissions.get_role(acme, dora) == "editor"


@pytest.mark.parametrize("has_link", [True, False])
def test_invited_person_declines(
    sign_in: SignIn, invitation_path: str, acme: Partner, dora: Any, has_link: bool
) -> None:
    own_path = reverse("partners:accept_invitation", args=[Invitation.objects.get().pk])
    client = sign_in(dora)
    page = client.get(invitation_path) if has_link else client.get("/company/new/")
    assert "Decline invitation" in find_text(page)
    response = client.post(invitation_path if has_link else own_path, {"action": "decline"}, follow=True)
    assert "You declined the invitation to Acme." in response.text
    assert "Join Acme" not in response.text
    assert permissions.get_role(acme, dora) == ""
    page_text = find_text(client.get(invitation_path))
    assert ("no longer open" in page_text, "revoked" in page_text) == (True, False)


def test_replaced_link_says_that_there_is_a_newer_one(client: Any, db: None) -> None:
    page = client.get("/invitations/nonsense/")
    assert page.status_code == 404
    assert "Use the link in the newest invitation email" in find_text(page)


def test_page_of_a_revoked_invitation_says_that_it_is_closed(
    client: Any, invitation_path: str, alice: Any, now: datetime
) -> None:
    members.revoke_invitation(Invitation.objects.get(), actor=alice, now=now)
    assert "This invitation is no longer open." in find_text(client.get(invitation_path))


@pytest.mark.every_database
def test_posting_the_link_requires_a_sign_in(client: Any, invitation_path: str) -> None:
    assert client.post(invitation_path)["Location"] == f"/accounts/login/?next={invitation_path}"
    assert Membership.objects.count() == 1
