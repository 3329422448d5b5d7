"""Tests of the admin pages of people and partners."""

from typing import Any

import pytest
from bs4 import BeautifulSoup

from portal.accounts.models import RoleRequest, User
from portal.accounts.role_names import list_roles
from portal.notifications.models import EmailMessage
from tests.conftest import person
from tests.portal.accounts.sign_in import SignIn
from tests.portal.accounts.test_account_security import is_open, signed_in

pytestmark = pytest.mark.any_database


def test_staff_appoint_an_owner_in_the_admin_pages(sign_in: SignIn, acme: Any, alice: Any, bob: Any, sam: Any) -> None:
    alice.is_active = False
    alice.save()
    client = sign_in(sam)
    page = BeautifulSoup(client.get(f"/admin/partners/partner/{acme.pk}/change/").content, "html5lib")
    fields = {
        i["name"]: i.get("value", "") for i in page.select("#partner_form input[name]") if i.get("type") != "submit"
    }
    client.post(f"/admin/partners/partner/{acme.pk}/change/", fields | {"appoint": bob.pk, "alliances_manager": ""})
    assert acme.memberships.get(user=bob).role == "owner"
    assert acme.events.get().event_type == "member.owner_appointed"
    assert EmailMessage.objects.get().to == bob.email


def test_staff_cannot_make_a_second_partner_that_looks_the_same(sign_in: SignIn, acme: Any, sam: Any) -> None:
    fields = {"name": "АСМЕ", "slug": "other", "memberships-TOTAL_FORMS": 0, "memberships-INITIAL_FORMS": 0}
    page = sign_in(sam).post("/admin/partners/partner/add/", fields)
    assert "The name is too similar to the partner Acme." in page.content.decode()


@pytest.mark.parametrize(
    "path", ["accounts/user/", "accounts/rolerequest/", "partners/partner/", "partners/partner/add/"]
)
def test_admin_pages_open_for_staff_alone(sign_in: SignIn, sam: Any, rita: Any, path: str) -> None:
    assert sign_in(sam).get(f"/admin/{path}").status_code == 200
    assert sign_in(rita).get(f"/admin/{path}").status_code == 302


def test_admin_page_of_a_person_opens(sign_in: SignIn, sam: Any, alice: Any) -> None:
    assert sign_in(sam).get(f"/admin/accounts/user/{alice.pk}/change/").status_code == 200


def act(client: Any, rows: str, action: str, pk: int, **fields: str) -> list[str]:
    """Perform an action on a row of an admin list, and return the messages of the next page."""
    data = {"action": action, "_selected_action": pk, "index": 0, "reason": "Changes teams"} | fields
    page = client.post(f"/admin/accounts/{rows}/", data, follow=True)
    return [str(message) for message in page.context["messages"]]


@pytest.mark.parametrize(
    ("action", "fields", "expected"),
    [
        ("grant_role", {"role": "manager:nomad"}, (["Alice Archer: done."], ["manager:nomad"], True)),
        ("grant_role", {"role": ""}, (["Select a role."], [], True)),
        (
            "grant_role",
            {"role": "auditor", "reason": " "},
            (["Alice Archer: Enter a reason. It appears in the audit log and the email."], [], True),
        ),
        ("deactivate", {}, (["Alice Archer: done."], [], False)),
    ],
)
def test_administrators_change_accounts_in_the_admin_pages(
    sign_in: SignIn, alice: User, sam: User, action: str, fields: dict[str, str], expected: tuple[Any, ...]
) -> None:
    texts = act(sign_in(sam), "user", action, alice.pk, **fields)
    alice.refresh_from_db()
    assert (texts, list_roles(alice), alice.is_active) == expected


def test_role_is_revoked_and_sessions_end_in_the_admin_pages(sign_in: SignIn, rita: User, sam: User) -> None:
    rita_client, sam_client = signed_in(rita), sign_in(sam)
    assert act(sam_client, "user", "revoke_role", rita.pk, role="reviewer") == ["Rita Reyes: done."]
    assert is_open(rita_client)
    assert act(sam_client, "user", "sign_out", rita.pk) == ["Rita Reyes: done."]
    assert (list_roles(User.objects.get(pk=rita.pk)), is_open(rita_client)) == ([], False)


def test_second_administrator_approves_a_grant(sign_in: SignIn, alice: User, sam: User, settings: Any) -> None:
    settings.ADMINISTRATOR_APPROVAL = True
    tess = person("tess@program.example", "Tess Tan", is_staff=True, is_superuser=True)
    texts = act(sign_in(sam), "user", "grant_role", alice.pk, role="superuser")
    assert texts[-1] == "Alice Archer: a second administrator must approve the role request."
    request = RoleRequest.objects.get()
    (refusal,) = act(sign_in(sam), "rolerequest", "approve", request.pk)
    assert refusal.endswith("A second administrator must approve this request.")
    assert list_roles(User.objects.get(pk=alice.pk)) == []
    act(sign_in(tess), "rolerequest", "approve", request.pk)
    assert (list_roles(User.objects.get(pk=alice.pk)), RoleRequest.objects.count()) == (["superuser"], 0)


def test_second_administrator_rejects_a_grant(sign_in: SignIn, alice: User, sam: User, settings: Any) -> None:
    settings.ADMINISTRATOR_APPROVAL = True
    tess = person("tess@program.example", "Tess Tan", is_staff=True, is_superuser=True)
    act(sign_in(sam), "user", "grant_role", alice.pk, role="superuser")
    act(sign_in(tess), "rolerequest", "reject", RoleRequest.objects.get().pk)
    assert (list_roles(User.objects.get(pk=alice.pk)), RoleRequest.objects.count()) == ([], 0)


def test_staff_without_the_administrator_role_change_no_account(sign_in: SignIn, alice: User) -> None:
    staff = person("sven@program.example", "Sven Staff", is_staff=True)
    page = sign_in(staff).post(
        "/admin/accounts/user/",
        {"action": "deactivate", "_selected_action": alice.pk, "index": 0, "reason": "Because"},
    )
    alice.refresh_from_db()
    assert (page.status_code, alice.is_active) == (403, True)
