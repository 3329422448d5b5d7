"""How does a person come to a company? The pages, through Django's client."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from integrations.partners import permissions
from integrations.partners.models import Invitation, JoinRequest, Membership, Partner
from integrations.partners.services import invitations, members
from portal.core import crypto
from portal.notifications.models import Email
from tests.conftest import person

SignIn = Callable[[Any], Any]


def text_of(response: Any, selector: str = "main") -> str:
    found = BeautifulSoup(response.content, "html5lib").select_one(selector)
    return " ".join(found.get_text(" ").split()) if found else ""


def error_at(response: Any, field: str) -> str:
    return text_of(response, f"#id_{field}_error")


@pytest.fixture
def dora(db: None) -> Any:
    return person("dora@acme.example", "Dora Dean")


@pytest.fixture
def erin(db: None) -> Any:
    return person("erin@gmail.com", "Erin Eads")


# -- a new company --------------------------------------------------------------------------------------------


def test_a_person_without_a_company_is_led_to_create_one(sign_in: SignIn, erin: Any) -> None:
    response = sign_in(erin).get("/")
    assert (response.status_code, response["Location"]) == (302, "/company/new/")


def test_a_company_is_created_with_the_domain_of_its_first_person(sign_in: SignIn, db: None) -> None:
    fred = person("fred@initech.example", "Fred Fox")
    response = sign_in(fred).post("/company/new/", {"name": "Initech", "website": "initech.example"})
    assert response["Location"] == "/company/initech/"
    made = Partner.objects.get()
    assert (made.name, made.domain, made.website) == ("Initech", "initech.example", "https://initech.example")
    assert permissions.role_of(made, fred) == "owner"


def test_a_public_mail_address_gives_the_company_no_domain(sign_in: SignIn, erin: Any) -> None:
    sign_in(erin).post("/company/new/", {"name": "Initech"})
    assert Partner.objects.get().domain == ""


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "This field is required."),
        ("<script>alert(1)</script>", "Write plain text, without HTML."),
        ("Ini\u200btech", "This holds a character that cannot be seen. Type it again rather than pasting it."),
        ("Initeсh", "This name mixes letters of several alphabets that look alike. Write it in one alphabet."),
        ("x" * 121, "At most 120 characters; these are 121."),
    ],
)
def test_a_name_that_cannot_be_is_refused_beside_the_field_and_nothing_is_lost(
    sign_in: SignIn, erin: Any, name: str, sentence: str
) -> None:
    response = sign_in(erin).post("/company/new/", {"name": name, "website": "https://initech.example"})
    assert response.status_code == 422
    assert error_at(response, "name") == sentence
    website = BeautifulSoup(response.content, "html5lib").select_one("#id_website")
    assert website is not None
    assert website["value"] == "https://initech.example"
    assert Partner.objects.count() == 0


@pytest.mark.parametrize("website", ["javascript:alert(1)", "ftp://initech.example", "not a site"])
def test_a_website_that_is_none_is_refused(sign_in: SignIn, erin: Any, website: str) -> None:
    response = sign_in(erin).post("/company/new/", {"name": "Initech", "website": website})
    assert response.status_code == 422
    assert error_at(response, "website") != ""
    assert Partner.objects.count() == 0


def test_colleagues_of_the_same_domain_are_offered_by_name_alone(sign_in: SignIn, alice: Any, dora: Any) -> None:
    page = sign_in(dora).get("/company/new/")
    assert "Ask to join Acme" in text_of(page, "#offers")
    assert alice.email not in page.content.decode()
    assert alice.name not in page.content.decode()


def test_a_company_of_the_domain_is_offered_before_another_is_created(
    sign_in: SignIn, acme: Partner, dora: Any
) -> None:
    client = sign_in(dora)
    first = client.post("/company/new/", {"name": "Acme Labs"})
    assert "Ask to join Acme" in text_of(first, "#offers")
    assert Partner.objects.count() == 1
    client.post("/company/new/", {"name": "Acme Labs", "anyway": "1"})
    assert sorted(Partner.objects.values_list("name", flat=True)) == ["Acme", "Acme Labs"]


def test_a_like_name_is_offered_whatever_the_domain(sign_in: SignIn, acme: Partner, erin: Any) -> None:
    page = sign_in(erin).post("/company/new/", {"name": "Acme, Inc."})
    assert "Ask to join Acme" in text_of(page, "#offers")
    assert "Create it anyway" in text_of(page)


@pytest.mark.parametrize("anyway", [{}, {"anyway": "1"}])
def test_a_name_that_looks_the_same_is_refused_and_joining_offered(
    sign_in: SignIn, acme: Partner, erin: Any, anyway: dict[str, str]
) -> None:
    page = sign_in(erin).post("/company/new/", {"name": "АСМЕ"} | anyway)
    assert error_at(page, "name") == "A company with this name, or one that looks just like it, is already here."
    assert "Ask to join Acme" in text_of(page, "#offers")
    assert "Create it anyway" not in text_of(page)
    assert Partner.objects.count() == 1


def test_the_own_company_is_never_offered(sign_in: SignIn, alice: Any) -> None:
    assert "Ask to join" not in text_of(sign_in(alice).get("/company/new/"))


def test_what_was_typed_before_a_sign_in_is_there_after_it(client: Any, erin: Any) -> None:
    client.post("/company/new/", {"name": "Initech", "website": "https://initech.example"})
    client.force_login(erin, backend="django.contrib.auth.backends.ModelBackend")
    page = BeautifulSoup(client.get("/company/new/").content, "html5lib")
    assert [page.select_one(f"#id_{name}")["value"] for name in ("name", "website")] == [  # type: ignore[index]
        "Initech",
        "https://initech.example",
    ]


# -- asking to join -------------------------------------------------------------------------------------------


def test_who_asks_to_join_waits_and_the_owners_are_told(sign_in: SignIn, alice: Any, bob: Any, dora: Any) -> None:
    client = sign_in(dora)
    response = client.post("/company/join/?company=acme", {"message": "It is me."}, follow=True)
    assert "Acme: Waiting for its owners" in text_of(response, "#asked")
    mail = Email.objects.get()
    assert (mail.name, mail.to, mail.subject) == ("join_requested", alice.email, "Dora Dean asks to join Acme")
    assert "It is me." in mail.text
    assert "/company/acme/#requests" in mail.text


def test_companies_that_were_not_offered_cannot_be_asked(sign_in: SignIn, globex: Partner, dora: Any) -> None:
    client = sign_in(dora)
    for query in ("company=globex", "company=globex&name=Acme", "company=none"):
        assert client.get(f"/company/join/?{query}").status_code == 404
        assert client.post(f"/company/join/?{query}", {"message": ""}).status_code == 404
    assert client.get("/company/join/?company=globex&name=GLOBEX").status_code == 200
    assert JoinRequest.objects.count() == 0


@pytest.mark.parametrize(
    ("do", "state", "mail"), [("accept", "accepted", "join_accepted"), ("decline", "declined", "join_declined")]
)
def test_an_owner_decides_and_the_asker_hears(
    sign_in: SignIn, acme: Partner, alice: Any, dora: Any, now: datetime, do: str, state: str, mail: str
) -> None:
    asked = members.ask_to_join(acme, by=dora, now=now)
    client = sign_in(alice)
    assert "Dora Dean" in text_of(client.get("/company/acme/"), "#requests")
    client.post(reverse("company_request", args=["acme", asked.pk]), {"do": do, "role": "viewer"})
    assert JoinRequest.objects.get().state == state
    assert permissions.role_of(acme, dora) == ("viewer" if do == "accept" else "")
    assert list(Email.objects.filter(to=dora.email).values_list("name", flat=True)) == [mail]
    assert "Dora Dean" not in text_of(client.get("/company/acme/"), "#requests")


def test_requests_of_another_company_are_not_there(
    sign_in: SignIn, acme: Partner, charlie: Any, dora: Any, now: datetime
) -> None:
    asked = members.ask_to_join(acme, by=dora, now=now)
    client = sign_in(charlie)
    for slug in ("acme", "globex"):
        address = reverse("company_request", args=[slug, asked.pk])
        assert client.post(address, {"do": "accept", "role": "owner"}).status_code == 404
    assert JoinRequest.objects.get().state == "waiting"


# -- invitations ----------------------------------------------------------------------------------------------


def link(mail: Email) -> str:
    """The path of the invitation in its mail."""
    return next(word for word in mail.text.split() if "/invitations/" in word).removeprefix("http://127.0.0.1:8000")


@pytest.fixture
def invited(acme: Partner, alice: Any, now: datetime, settings: Any, time_machine: Any) -> str:
    """An invitation of Dora by Alice: the path in its mail."""
    settings.SITE_URL = "http://127.0.0.1:8000"
    time_machine.move_to(now)
    invitations.send(acme, "dora@acme.example", "editor", by=alice, now=now)
    return link(Email.objects.get(name="invitation"))


def test_the_mail_of_an_invitation_alone_holds_its_token(invited: str, acme: Partner) -> None:
    token = invited.strip("/").split("/")[-1]
    assert Invitation.objects.get().token_hash == crypto.token_hash(token)
    assert token not in str(list(acme.events.values()))
    assert Email.objects.get().to == "dora@acme.example"


def test_a_stranger_with_the_link_is_led_to_sign_up_and_back(client: Any, invited: str) -> None:
    page = client.get(invited)
    assert "Alice Archer invited you to join Acme" in text_of(page)
    links = [a["href"] for a in BeautifulSoup(page.content, "html5lib").select("main a.button")]
    assert links == [f"/accounts/signup/?next={invited}", f"/accounts/login/?next={invited}"]


def test_the_invited_person_joins(sign_in: SignIn, invited: str, acme: Partner, dora: Any) -> None:
    client = sign_in(dora)
    assert "Join company" in text_of(client.get(invited))
    response = client.post(invited, follow=True)
    assert response.redirect_chain == [("/company/acme/", 302)]
    assert permissions.role_of(acme, dora) == "editor"
    assert "You are a member of Acme" in text_of(client.get(invited))


def test_another_address_is_told_whom_the_invitation_is_for(
    sign_in: SignIn, invited: str, acme: Partner, erin: Any
) -> None:
    client = sign_in(erin)
    page = client.get(invited)
    assert "This invitation is for dora@acme.example." in text_of(page)
    assert "You are signed in as erin@gmail.com." in text_of(page)
    client.post(invited)
    assert permissions.role_of(acme, erin) == ""


def test_an_address_that_is_not_confirmed_opens_nothing(
    sign_in: SignIn, invited: str, acme: Partner, erin: Any
) -> None:
    erin.emailaddress_set.create(email="dora@acme.example", verified=False)
    sign_in(erin).post(invited)
    assert permissions.role_of(acme, erin) == ""


def test_a_confirmed_second_address_opens_it(sign_in: SignIn, invited: str, acme: Partner, erin: Any) -> None:
    erin.emailaddress_set.create(email="dora@acme.example", verified=True)
    sign_in(erin).post(invited)
    assert permissions.role_of(acme, erin) == "editor"


def test_an_invitation_without_its_mail_is_found_by_the_address(
    sign_in: SignIn, invited: str, acme: Partner, dora: Any, erin: Any
) -> None:
    address = reverse("company_invited", args=[Invitation.objects.get().pk])
    assert sign_in(erin).post(address).status_code == 404
    client = sign_in(dora)
    assert "Join Acme" in text_of(client.get("/company/new/"), "#invited")
    client.post(address)
    assert permissions.role_of(acme, dora) == "editor"


def test_a_link_that_never_was_is_not_there(client: Any, db: None) -> None:
    assert client.get("/invitations/nonsense/").status_code == 404


def test_a_revoked_invitation_says_so(client: Any, invited: str, alice: Any, now: datetime) -> None:
    members.revoke_invitation(Invitation.objects.get(), by=alice, now=now)
    assert "This invitation was taken back." in text_of(client.get(invited))


def test_a_posted_link_asks_a_stranger_to_sign_in(client: Any, invited: str) -> None:
    assert client.post(invited)["Location"] == f"/accounts/login/?next={invited}"
    assert Membership.objects.count() == 1
