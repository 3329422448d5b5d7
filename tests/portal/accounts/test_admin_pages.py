"""Tests of the admin pages of people and partners."""

from typing import Any

import pytest
from bs4 import BeautifulSoup

from integrations.partners.admin import PartnerForm
from integrations.partners.models import Partner
from portal.notifications.models import EmailMessage
from tests.conftest import note_sign_in
from tests.portal.accounts.sign_in import SignIn, age_sign_in

pytestmark = pytest.mark.any_database


def read_fields(client: Any, path: str) -> dict[str, str]:
    """Return the fields of the form of a partner with their values."""
    page = BeautifulSoup(client.get(path).content, "html.parser")
    inputs = page.select("#partner_form input[name]")
    return {str(each["name"]): str(each.get("value", "")) for each in inputs if each.get("type") != "submit"}


def test_admin_pages_have_the_name_of_the_product(sign_in: SignIn, sam: Any) -> None:
    page = BeautifulSoup(sign_in(sam).get("/admin/").content, "html.parser")
    assert page.title is not None
    assert page.title.get_text(strip=True) == "Site administration | Partner portal"
    assert [name.get_text(strip=True) for name in page.select("#site-name")] == ["Partner portal administration"]


def test_staff_make_a_user_owner_in_the_admin_pages(sign_in: SignIn, acme: Any, alice: Any, bob: Any, sam: Any) -> None:
    alice.is_active = False
    alice.save()
    client = sign_in(sam)
    fields = read_fields(client, f"/admin/partners/partner/{acme.pk}/change/")
    client.post(f"/admin/partners/partner/{acme.pk}/change/", fields | {"appoint": bob.pk, "alliances_manager": ""})
    assert acme.memberships.get(user=bob).role == "owner"
    assert acme.events.get().event_type == "member.owner_appointed"
    assert EmailMessage.objects.get().to == bob.email


def test_appointment_in_the_admin_pages_needs_a_recent_sign_in(
    sign_in: SignIn, acme: Any, alice: Any, bob: Any, sam: Any
) -> None:
    client = sign_in(sam)
    path = f"/admin/partners/partner/{acme.pk}/change/"
    fields = read_fields(client, path) | {"alliances_manager": ""}
    age_sign_in(client)
    answer = client.post(path, fields | {"appoint": bob.pk})
    assert (answer["Location"].split("?")[0], acme.list_members("owner")) == ("/accounts/reauthenticate/", [alice])
    note_sign_in(client, sam)
    client.post(path, fields | {"appoint": alice.pk})
    assert (acme.list_members("owner"), acme.events.filter(event_type="member.owner_appointed").count()) == ([alice], 0)


def test_admin_page_of_a_partner_retains_fields_that_someone_else_changed(
    sign_in: SignIn, acme: Any, sam: Any, rita: Any
) -> None:
    client = sign_in(sam)
    path = f"/admin/partners/partner/{acme.pk}/change/"
    fields = read_fields(client, path)
    Partner.objects.filter(pk=acme.pk).update(website="https://acme.example", verification_state="rejected")
    client.post(path, fields | {"domain": "acme.test", "alliances_manager": rita.pk})
    acme.refresh_from_db()
    assert (acme.website, acme.domain, acme.alliances_manager, acme.verification_state) == (
        "https://acme.example",
        "acme.test",
        rita,
        "rejected",
    )
    assert acme.events.get().data == {
        "changes": {"domain": "acme.test", "alliances_manager": "Rita Reyes"},
        "before": {"domain": "acme.example", "alliances_manager": ""},
    }


def test_staff_change_a_partner_whose_name_is_no_longer_allowed(acme: Any) -> None:
    Partner.objects.filter(pk=acme.pk).update(name="Acme ✔")
    acme.refresh_from_db()
    fields = {"name": "Acme ✔", "slug": "acme", "domain": "acme.test"}
    assert PartnerForm(fields, instance=acme).errors == {}
    assert list(PartnerForm(fields | {"name": "Acme ☑"}, instance=acme).errors) == ["name"]


def test_staff_cannot_create_a_partner_with_a_similar_name(sign_in: SignIn, acme: Any, sam: Any) -> None:
    fields = {"name": "АСМЕ", "slug": "other", "memberships-TOTAL_FORMS": 0, "memberships-INITIAL_FORMS": 0}
    page = sign_in(sam).post("/admin/partners/partner/add/", fields)
    assert "The name is too similar to the partner Acme." in page.content.decode()


@pytest.mark.parametrize("path", ["accounts/user/", "partners/partner/", "partners/partner/add/"])
def test_admin_pages_open_for_staff_only(sign_in: SignIn, sam: Any, rita: Any, path: str) -> None:
    assert sign_in(sam).get(f"/admin/{path}").status_code == 200
    assert sign_in(rita).get(f"/admin/{path}").status_code == 302


def test_admin_page_of_a_person_shows_named_fields_only(sign_in: SignIn, sam: Any, alice: Any) -> None:
    answer = sign_in(sam).get(f"/admin/accounts/user/{alice.pk}/change/")
    page = BeautifulSoup(answer.content, "html.parser")
    fields = [row["class"][-1].removeprefix("field-") for row in page.select("fieldset.aligned > .form-row")]
    assert fields == [
        "email",
        "name",
        "zone",
        "is_active",
        "is_reviewer",
        "is_staff",
        "is_superuser",
        "is_auditor",
        "program_roles",
        "last_login",
        "date_joined",
    ]
