"""Tests of the people page: who sees whom, filters, and changes of roles and accounts."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from bs4 import BeautifulSoup

from portal.accounts import roles
from portal.accounts.models import RoleRequest, User
from portal.accounts.role_names import list_roles
from tests.conftest import NOW, create_user
from tests.portal.accounts.sign_in import SignIn
from tests.portal.accounts.test_account_security import create_token, is_open, sign_in_as

pytestmark = pytest.mark.any_database


@pytest.fixture
def tess(db: None) -> User:
    """A second administrator."""
    return create_user("tess@program.example", "Tess Tan", is_staff=True, is_superuser=True)


@pytest.fixture
def mona(db: None) -> User:
    """Manager of the Nomad program."""
    return create_user("mona@program.example", "Mona Marsh", program_roles=["manager:nomad"])


@pytest.fixture
def vic(db: None) -> User:
    """Reviewer of the Vault program only."""
    return create_user("vic@program.example", "Vic Vance", is_reviewer=True, program_roles=["reviewer:vault"])


@pytest.fixture
def audrey(db: None) -> User:
    return create_user("audrey@program.example", "Audrey Ash", is_auditor=True)


def list_names(client: Any, query: str = "") -> list[str]:
    """Return the names in the list, or the status of a refused request."""
    answer = client.get(f"/people/{query}")
    if answer.status_code != 200:
        return [str(answer.status_code)]
    page = BeautifulSoup(answer.content, "html.parser")
    return [link.get_text(strip=True) for link in page.select("td.main > a[href^='/people/']")]


def submit(client: Any, path: str, **fields: Any) -> tuple[int, list[str]]:
    """Submit a form. Return the status and, after a redirect, the messages of the next page."""
    answer = client.post(path, {"reason": "Changes teams"} | fields)
    if answer.status_code != 302:
        return answer.status_code, []
    return 302, [str(message) for message in client.get(answer["Location"]).context["messages"]]


def get_roles(user: User) -> list[str]:
    return list_roles(User.objects.get(pk=user.pk))


@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        ("sam", ["Audrey Ash", "Mona Marsh", "Rita Reyes", "Sam Stone", "Vic Vance"]),
        ("audrey", ["Audrey Ash", "Mona Marsh", "Rita Reyes", "Sam Stone", "Vic Vance"]),
        ("mona", ["Mona Marsh", "Rita Reyes"]),
        ("rita", ["404"]),
        ("alice", ["404"]),
    ],
)
def test_list_shows_people_visible_to_the_reader(
    request: pytest.FixtureRequest,
    sign_in: SignIn,
    alice: User,
    rita: User,
    sam: User,
    mona: User,
    vic: User,
    audrey: User,
    reader: str,
    expected: list[str],
) -> None:
    assert list_names(sign_in(request.getfixturevalue(reader))) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?q=reyes", ["Rita Reyes"]),
        ("?role=all&q=acme.example", ["Alice Archer"]),
        ("?role=none", ["Alice Archer"]),
        ("?role=reviewer", ["Rita Reyes", "Vic Vance"]),
        ("?role=reviewer&program=nomad", ["Rita Reyes"]),
        ("?role=manager", ["Mona Marsh"]),
        ("?role=manager&program=vault", []),
        ("?program=vault", ["Rita Reyes", "Vic Vance"]),
        ("?role=superuser", ["Sam Stone"]),
        ("?active=no", ["Vic Vance"]),
        ("?second_factor=on", ["Rita Reyes"]),
        ("?second_factor=missing&role=reviewer", ["Vic Vance"]),
        ("?role=wizard", ["Audrey Ash", "Mona Marsh", "Rita Reyes", "Sam Stone", "Vic Vance"]),
    ],
)
def test_filters_select_people(
    sign_in: SignIn,
    alice: User,
    rita: User,
    sam: User,
    mona: User,
    vic: User,
    audrey: User,
    query: str,
    expected: list[str],
) -> None:
    roles.deactivate(vic, actor=sam, now=NOW, reason="Left")
    for user, kind in ((rita, "totp"), (sam, "recovery_codes")):
        Authenticator.objects.create(user=user, type=kind, data={})
    assert list_names(sign_in(sam), query) == expected


def test_administrator_changes_roles(sign_in: SignIn, alice: User, sam: User) -> None:
    client = sign_in(sam)
    path = f"/people/{alice.pk}/"
    selected = ["staff", "manager:nomad"]
    assert submit(client, path, roles=selected) == (302, ["Roles of Alice Archer saved."])
    assert get_roles(alice) == selected
    page = BeautifulSoup(client.get(path).content, "html.parser")
    assert [box["value"] for box in page.select("input[name=roles][checked]")] == selected
    fields = {"roles": ["reviewer:vault"], "shown_roles": page.select_one("input[name=shown_roles]")["value"]}
    assert submit(client, path, **fields) == (302, ["Roles of Alice Archer saved."])
    assert get_roles(alice) == ["reviewer:vault"]


def test_unchanged_boxes_retain_roles_that_someone_else_changed(sign_in: SignIn, alice: User, sam: User) -> None:
    client = sign_in(sam)
    path = f"/people/{alice.pk}/"
    roles.change_roles(alice, grant=["manager:nomad"], actor=None, now=NOW, reason="Joins")
    submit(client, path, roles=["reviewer", "auditor"], shown_roles="auditor")
    assert get_roles(alice) == ["reviewer", "manager:nomad"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"roles": ["staff"], "reason": ""}, "Enter a reason. It appears in the audit log and the email."),
        (
            {"roles": ["reviewer", "reviewer:nomad"], "reason": "Joins"},
            "Select either reviewer of all programs or reviewer of some programs.",
        ),
        (
            {"roles": ["auditor", "staff"], "reason": "Joins"},
            "Auditors have read-only access and no other roles. Revoke the other roles first.",
        ),
    ],
)
def test_invalid_roles_are_refused_with_an_explanation(
    sign_in: SignIn, alice: User, sam: User, fields: Any, message: str
) -> None:
    answer = sign_in(sam).post(f"/people/{alice.pk}/", fields)
    assert (answer.status_code, message in answer.content.decode(), get_roles(alice)) == (422, True, [])


def test_manager_changes_only_roles_of_the_program(
    sign_in: SignIn, rita: User, sam: User, mona: User, vic: User
) -> None:
    nell = create_user("nell@program.example", "Nell North", program_roles=["manager:nomad"])
    roles.change_roles(nell, grant=["reviewer:vault"], actor=None, now=NOW, reason="Joins")
    client = sign_in(mona)
    fields = {"roles": ["reviewer:nomad"], "shown_roles": "manager:nomad reviewer:vault"}
    assert submit(client, f"/people/{nell.pk}/", **fields) == (302, ["Roles of Nell North saved."])
    assert get_roles(nell) == ["reviewer:nomad", "reviewer:vault"]
    assert submit(client, f"/people/{nell.pk}/", roles=["superuser"])[0] == 422
    assert submit(client, f"/people/{rita.pk}/", roles=["reviewer:nomad"])[0] == 403
    assert client.get(f"/people/{vic.pk}/").status_code == 404
    assert submit(client, f"/people/{nell.pk}/account/", action="deactivate")[0] == 403
    assert (get_roles(nell), get_roles(rita)) == (["reviewer:nomad", "reviewer:vault"], ["reviewer"])


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("", "Enter a reason. It appears in the audit log and the email."),
        ("Lost\x00", "Character 5 is invisible (U+0000). Delete it, or type the text again."),
        ("x" * 201, "Ensure this value has at most 200 characters (it has 201)."),
    ],
)
def test_account_stays_as_it_is_without_a_valid_reason(
    sign_in: SignIn, alice: User, sam: User, reason: str, message: str
) -> None:
    fields = {"action": "deactivate", "reason": reason}
    answer = sign_in(sam).post(f"/people/{alice.pk}/account/", fields)
    page = BeautifulSoup(answer.content, "html.parser")
    assert page.select("#id_reason_error")[0].get_text(strip=True) == message
    assert page.select("input[name=action]")[0]["value"] == "deactivate"
    assert page.select("main form button")[0].get_text(strip=True) == "Deactivate account"
    assert (answer.status_code, User.objects.get(pk=alice.pk).is_active) == (422, True)


def test_auditor_sees_people_and_changes_nothing(sign_in: SignIn, audrey: User, rita: User) -> None:
    client = sign_in(audrey)
    page = BeautifulSoup(client.get(f"/people/{rita.pk}/").content, "html.parser")
    assert page.select("main form") == []
    assert client.get("/people/invite/").status_code == 404
    codes = [submit(client, f"/people/{rita.pk}/{path}", action="deactivate", roles=[])[0] for path in ("", "account/")]
    assert (codes, get_roles(rita)) == ([403, 403], ["reviewer"])


def test_no_one_changes_their_own_roles(sign_in: SignIn, sam: User) -> None:
    client = sign_in(sam)
    assert BeautifulSoup(client.get(f"/people/{sam.pk}/").content, "html.parser").select("main form") == []
    assert submit(client, f"/people/{sam.pk}/", roles=["reviewer"])[0] == 403


def test_change_needs_a_recent_sign_in(client: Any, alice: User, sam: User) -> None:
    client.force_login(sam, backend="django.contrib.auth.backends.ModelBackend")
    answers = [
        client.post(path, {"roles": ["staff"], "reason": "Joins", "action": "deactivate", "email": "new@acme.example"})
        for path in (f"/people/{alice.pk}/", f"/people/{alice.pk}/account/", "/people/invite/")
    ]
    assert [answer["Location"].partition("?")[0] for answer in answers] == ["/accounts/reauthenticate/"] * 3
    assert get_roles(alice) == []


def test_account_is_signed_out_deactivated_and_reactivated(sign_in: SignIn, rita: User, sam: User) -> None:
    rita_client = sign_in_as(rita)
    token = create_token(rita)
    client = sign_in(sam)
    path = f"/people/{rita.pk}/account/"
    assert submit(client, path, action="sign_out") == (302, ["Rita Reyes is signed out everywhere."])
    token.refresh_from_db()
    assert (is_open(rita_client), token.revoked_at is None) == (False, False)
    assert submit(client, path, action="deactivate") == (302, ["Account of Rita Reyes deactivated."])
    assert not User.objects.get(pk=rita.pk).is_active
    assert submit(client, path, action="reactivate") == (302, ["Account of Rita Reyes reactivated."])
    assert User.objects.get(pk=rita.pk).is_active
    assert submit(client, path, action="sign_out", reason=" ") == (422, [])


def test_person_page_links_to_the_audit_log(sign_in: SignIn, rita: User, sam: User) -> None:
    roles.change_roles(rita, grant=["staff"], actor=sam, now=NOW, reason="Leads the team")
    page = BeautifulSoup(sign_in(sam).get(f"/people/{rita.pk}/").content, "html.parser")
    links = [link["href"] for link in page.select("main a[href^='/audit-log/']")]
    assert links == [f"/audit-log/?stream=account:{rita.pk}", "/audit-log/?person=Rita%20Reyes"]


def test_own_page_says_who_can_change_the_roles(sign_in: SignIn, rita: User, sam: User) -> None:
    hint = "You can't change your own roles. Ask an administrator."
    client = sign_in(sam)
    texts = [BeautifulSoup(client.get(f"/people/{person.pk}/").content, "html.parser").text for person in (sam, rita)]
    assert [hint in text for text in texts] == [True, False]


@pytest.mark.parametrize(("decision", "expected"), [("approve", ["superuser"]), ("reject", [])])
def test_second_administrator_decides_on_a_grant(
    sign_in: SignIn, alice: User, sam: User, tess: User, settings: Any, decision: str, expected: list[str]
) -> None:
    settings.ADMINISTRATOR_APPROVAL = True
    path = f"/people/{alice.pk}/"
    assert submit(sign_in(sam), path, roles=["superuser"]) == (
        302,
        ["Roles of Alice Archer saved.", "A second administrator must approve the administrator role."],
    )
    assert b"needs the approval of a second administrator" in sign_in(tess).get("/people/").content
    if decision == "approve":
        assert submit(sign_in(sam), f"{path}account/", action="approve")[0] == 403
    submit(sign_in(tess), f"{path}account/", action=decision)
    assert (get_roles(alice), RoleRequest.objects.count()) == (expected, 0)


def test_last_activity_is_the_newest_event_or_sign_in(
    sign_in: SignIn, alice: User, rita: User, sam: User, tess: User
) -> None:
    roles.change_roles(alice, grant=["staff"], actor=sam, now=NOW, reason="Joins")
    roles.change_roles(rita, grant=["staff"], actor=tess, now=NOW + timedelta(hours=2), reason="Joins")
    roles.change_roles(rita, revoke=["staff"], actor=tess, now=NOW + timedelta(hours=1), reason="Leaves")
    rows = sign_in(sam).get("/people/").context["rows"]
    activity = {str(user): at for user, _roles, at in rows}
    assert (activity["Alice Archer"], activity["Tess Tan"]) == (None, NOW + timedelta(hours=2))
    assert activity["Sam Stone"] > NOW + timedelta(hours=2)
