"""Tests of companies that lose their only active owner, and of the appointment of another one."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from integrations.partners.models import Partner
from integrations.partners.selectors import list_solely_owned_partners
from integrations.partners.services import members
from portal.accounts import roles
from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, PASSWORD
from tests.integrations.page_text import find_text
from tests.portal.accounts.sign_in import SignIn, age_sign_in

pytestmark = pytest.mark.any_database

WARNING = "Alice Archer is the only owner of a company"


def deactivate(user: User, actor: User) -> None:
    roles.deactivate(user, actor=actor, now=NOW, reason="Left")


def test_company_with_one_active_owner_is_solely_owned(acme: Partner, alice: Any, bob: Any, sam: Any) -> None:
    assert (list_solely_owned_partners(alice), list_solely_owned_partners(bob)) == ([acme], [])
    members.appoint_owner(acme, bob, actor=sam, now=NOW)
    assert list_solely_owned_partners(alice) == []
    deactivate(bob, sam)
    assert (list_solely_owned_partners(alice), list_solely_owned_partners(bob)) == ([acme], [])
    deactivate(alice, sam)
    assert (list_solely_owned_partners(alice), list_solely_owned_partners(bob)) == ([acme], [acme])


def test_staff_see_which_companies_lose_their_owner_before_they_deactivate(
    sign_in: SignIn, acme: Partner, alice: Any, bob: Any, sam: Any
) -> None:
    client = sign_in(sam)
    path = f"/people/{alice.pk}/"
    assert "Deactivate account: Alice Archer" in client.get(path).text
    for page in (client.get(path), client.post(f"{path}account/", {"action": "deactivate", "reason": ""})):
        assert WARNING in page.text
        assert '<a href="/companies/acme/#members">Acme</a>' in page.text
    assert "the only owner" not in client.get(f"/people/{bob.pk}/").text
    client.post(f"{path}account/", {"action": "deactivate", "reason": "Left"})
    assert "Companies without an active owner" in client.get(path).text


def test_command_names_companies_that_lost_their_owner(acme: Partner, alice: Any, bob: Any, sam: Any) -> None:
    outputs = []
    for user in (bob, alice):
        output = StringIO()
        call_command("change_role", user.email, "--deactivate", "--reason", "Left", stdout=StringIO(), stderr=output)
        outputs.append(output.getvalue().strip())
    assert outputs == ["", "Acme has no active owner. Appoint one: http://127.0.0.1:8000/companies/acme/"]


def test_data_of_an_only_owner_is_deleted_after_another_one_was_appointed(
    acme: Partner, alice: Any, bob: Any, sam: Any
) -> None:
    deactivate(alice, sam)
    with pytest.raises(CommandError, match=r"These companies need another active owner first: Acme\."):
        call_command("pseudonymize_account", alice.email, "--reason", "Asked")
    members.appoint_owner(acme, bob, actor=sam, now=NOW)
    call_command("pseudonymize_account", alice.email, "--reason", "Asked", stdout=StringIO())
    assert acme.list_members("owner") == [bob]


def test_staff_find_the_company_and_appoint_an_owner(
    sign_in: SignIn, acme: Partner, alice: Any, bob: Any, sam: Any
) -> None:
    client = sign_in(sam)
    assert "No active owner" not in find_text(client.get("/companies/acme/"))
    deactivate(alice, sam)
    assert "acme" in client.get("/companies/?owner=missing").text
    assert "No active owner" in find_text(client.get("/companies/acme/"))
    assert "No active owner" in find_text(sign_in(bob).get("/company/acme/"))
    answer = sign_in(sam).post("/companies/acme/owner/", {"email": bob.email.title()}, follow=True)
    assert "Bob Baker is now an owner." in find_text(answer)
    assert acme.list_members("owner") == [bob]
    assert "No matching partners" in sign_in(sam).get("/companies/?owner=missing").text


def test_all_owners_are_notified_of_an_appointed_owner(acme: Partner, alice: Any, bob: Any, sam: Any) -> None:
    members.appoint_owner(acme, bob, actor=sam, now=NOW)
    emails = EmailMessage.objects.order_by("to")
    assert [(email.to, email.subject) for email in emails] == [
        (alice.email, "New owner of Acme: Bob Baker"),
        (bob.email, "New owner of Acme: Bob Baker"),
    ]


@pytest.mark.parametrize("address", ["alice@acme.example", "nobody@acme.example", ""])
def test_owner_must_have_an_active_account(sign_in: SignIn, acme: Partner, alice: Any, sam: Any, address: str) -> None:
    deactivate(alice, sam)
    answer = sign_in(sam).post("/companies/acme/owner/", {"email": address})
    assert (answer.status_code, acme.list_members("owner")) == (422, [])
    assert "Appoint owner" in answer.text


def test_appointment_needs_a_recent_sign_in(sign_in: SignIn, acme: Partner, alice: Any, bob: Any, sam: Any) -> None:
    client = sign_in(sam)
    age_sign_in(client)
    answer = client.post("/companies/acme/owner/", {"email": bob.email})
    assert (answer["Location"].split("?")[0], acme.list_members("owner")) == ("/accounts/reauthenticate/", [alice])
    client.post(answer["Location"], {"password": PASSWORD, "next": "/companies/acme/owner/"})
    assert acme.list_members("owner") == [alice, bob]


def test_only_staff_appoint_an_owner(sign_in: SignIn, acme: Partner, bob: Any, rita: Any) -> None:
    client = sign_in(rita)
    assert "Appoint owner" not in client.get("/companies/acme/").text
    for address in (bob.email, "nobody@acme.example"):  # the response must not say whether an account exists
        assert client.post("/companies/acme/owner/", {"email": address}).status_code == 403
    assert client.get("/companies/acme/owner/")["Location"] == "/companies/acme/"
