"""Tests of invitations to roles: sending, resending, revoking, and accepting them."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from portal.accounts import invitations, roles
from portal.accounts.models import SecurityEvent, StaffInvitation, User
from portal.accounts.role_names import list_roles
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, create_user
from tests.portal.accounts.sign_in import SignIn, get_link

NORA = "nora@program.example"
SIGN_UP_DATA = {"name": "Nora Nash", "email": NORA, "password1": "a long one to remember"}


@pytest.fixture
def tess(db: None) -> User:
    """A second administrator."""
    return create_user("tess@program.example", "Tess Tan", is_staff=True, is_superuser=True)


def invite(actor: User, *role_names: str, email: str = NORA) -> str:
    """Invite an address and return the path of the link in the email."""
    invitations.send_invitation(email, role_names, actor=actor, now=NOW)
    return get_link(EmailMessage.objects.filter(name="staff_invitation").latest("pk"))


def test_invitation_is_recorded_and_emailed(sign_in: SignIn, sam: User, tess: User) -> None:
    client = sign_in(sam)
    answer = client.post("/people/invite/", {"email": NORA.upper(), "roles": ["reviewer:nomad", "manager:nomad"]})
    assert (answer.status_code, answer["Location"]) == (302, "/people/")
    event = AuditEvent.objects.get(event_type="account.person_invited")
    assert event.summary == f"Sam Stone invited {NORA}: manager:nomad, reviewer:nomad"
    emails = [(email.to, email.subject) for email in EmailMessage.objects.order_by("pk")]
    assert emails == [
        ("tess@program.example", f"Person invited: {NORA}"),
        (NORA, "Sam Stone invited you to work on partner programs"),
    ]
    assert SecurityEvent.objects.get(user=sam).kind == "person_invited"


def test_accepting_creates_the_account_with_a_verified_address(sam: User) -> None:
    client = Client()
    path = ""
    with time_machine.travel(NOW):
        path = invite(sam, "reviewer:nomad")
        assert client.get(path).status_code == 200
        answer = client.post(f"/accounts/signup/?next={path}", SIGN_UP_DATA)
        assert (answer.status_code, answer["Location"]) == (302, path)
        answer = client.post(path)
    user = User.objects.get(email=NORA)
    assert (answer["Location"], list_roles(user), user.check_password(SIGN_UP_DATA["password1"])) == (
        "/",
        ["reviewer:nomad"],
        True,
    )
    assert list(user.emailaddress_set.values_list("email", "verified", "primary")) == [(NORA, True, True)]
    event = AuditEvent.objects.get(event_type="account.roles_changed")
    assert (event.actor, event.note) == ("Sam Stone", "Accepted an invitation.")


def test_account_of_the_link_has_its_address(sam: User) -> None:
    client = Client()
    with time_machine.travel(NOW):
        client.get(invite(sam, "reviewer"))
        client.post("/accounts/signup/", SIGN_UP_DATA | {"email": "other@acme.example"})
    addresses = User.objects.exclude(pk=sam.pk).values_list("email", "emailaddress__email", "emailaddress__verified")
    assert (NORA, NORA, True) in list(addresses)
    assert ("other@acme.example", True) not in [(address, verified) for _, address, verified in addresses]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("other address", f"This invitation is for {NORA}. Sign in with that address, or add it to your account."),
        ("accepted", "This invitation was already accepted."),
        ("revoked", "This invitation is no longer open. Ask the person who invited you."),
        ("expired", "This invitation expired after 14 days. Ask for a new one."),
        (
            "former administrator",
            "The person who invited you can no longer grant these roles. Ask for a new invitation.",
        ),
    ],
)
def test_invalid_invitation_is_refused_with_an_explanation(
    sign_in: SignIn, alice: User, sam: User, tess: User, case: str, message: str
) -> None:
    path = invite(sam, "reviewer")
    invitation = StaffInvitation.objects.get()
    user = alice if case == "other address" else create_user(NORA, "Nora Nash")
    if case == "accepted":
        StaffInvitation.objects.update(accepted_at=NOW)
    elif case == "revoked":
        invitations.revoke_invitation(invitation, actor=tess, now=NOW)
    elif case == "former administrator":
        roles.change_roles(sam, revoke=["superuser"], actor=tess, now=NOW, reason="Left")
    client = sign_in(user)
    with time_machine.travel(NOW + timedelta(days=15 if case == "expired" else 0)):
        texts = [client.get(path).content.decode(), client.post(path, follow=True).content.decode()]
    assert ([message in text for text in texts], list_roles(User.objects.get(pk=user.pk))) == ([True, True], [])


def test_resending_replaces_the_link(sign_in: SignIn, sam: User) -> None:
    with time_machine.travel(NOW):
        first = invite(sam, "reviewer")
        client = sign_in(sam)
        path = f"/people/invitations/{StaffInvitation.objects.get().pk}/"
        client.post(path, {"action": "resend"})
        second = get_link(EmailMessage.objects.filter(name="staff_invitation").latest("pk"))
        assert [Client().get(each).status_code for each in (first, second)] == [404, 200]
        client.post(path, {"action": "revoke"})
        assert client.post(path, {"action": "resend"}).status_code == 404
    kinds = list(AuditEvent.objects.order_by("pk").values_list("event_type", flat=True))
    assert kinds == ["account.person_invited", "account.person_invited", "account.invitation_revoked"]


def test_manager_invites_only_to_the_program(sam: User) -> None:
    mona = create_user("mona@program.example", "Mona Marsh", program_roles=["manager:nomad"])
    invite(mona, "reviewer:nomad")
    for role_names in (["reviewer:vault"], ["reviewer"], ["superuser"]):
        with pytest.raises(ActionRefused, match="only invite people to roles that you manage"):
            invitations.send_invitation("other@program.example", role_names, actor=mona, now=NOW)
    invite(sam, "staff", email="staff@program.example")
    with pytest.raises(ActionRefused, match="only invite people to roles that you manage"):
        invitations.send_invitation("staff@program.example", ["reviewer:nomad"], actor=mona, now=NOW)
    assert StaffInvitation.objects.get(email="staff@program.example").roles == ["staff"]


def test_administrator_role_of_an_invitation_waits_for_a_second_administrator(
    sign_in: SignIn, sam: User, settings: Any
) -> None:
    settings.ADMINISTRATOR_APPROVAL = True
    path = invite(sam, "staff", "superuser")
    nora = create_user(NORA, "Nora Nash")
    with time_machine.travel(NOW):
        sign_in(nora).post(path)
    assert (list_roles(User.objects.get(pk=nora.pk)), nora.role_requests.get().requested_by) == (["staff"], sam)


def test_invitation_from_before_a_revocation_restores_no_role(sign_in: SignIn, sam: User) -> None:
    nora = create_user(NORA, "Nora Nash", is_staff=True, program_roles=["reviewer:nomad"], is_reviewer=True)
    path = invite(sam, "reviewer:nomad")
    revoked_at = NOW + timedelta(hours=1)
    roles.change_roles(nora, revoke=["reviewer:nomad"], actor=sam, now=revoked_at, reason="Moved to another team")
    client = sign_in(nora)
    with time_machine.travel(revoked_at + timedelta(hours=1)):
        text = client.post(path, follow=True).content.decode()
        assert "Your roles changed after you received this invitation. Ask for a new one." in text
        assert list_roles(User.objects.get(pk=nora.pk)) == ["staff"]
        client = sign_in(sam)
        client.post(f"/people/invitations/{StaffInvitation.objects.get().pk}/", {"action": "resend"})
        sign_in(nora).post(get_link(EmailMessage.objects.filter(name="staff_invitation").latest("pk")))
    assert list_roles(User.objects.get(pk=nora.pk)) == ["staff", "reviewer:nomad"]


def test_address_is_invited_again_after_its_invitation_expired(sam: User) -> None:
    mona = create_user("mona@program.example", "Mona Marsh", program_roles=["manager:nomad"])
    invite(sam, "staff")
    later = NOW + timedelta(days=15)
    invitations.send_invitation(NORA, ["reviewer:nomad"], actor=mona, now=later)
    assert [(each.roles, each.created_at) for each in StaffInvitation.objects.all()] == [(["reviewer:nomad"], later)]
