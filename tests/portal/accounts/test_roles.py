"""Tests of the service that changes roles, and that nothing else can."""

from io import StringIO
from typing import Any

import pytest
from django.contrib import admin
from django.core.management import CommandError, call_command

from integrations.reviews.models import ReviewerProfile
from portal.accounts import roles
from portal.accounts.models import SecurityEvent, User
from portal.api.services import tokens
from portal.audit.models import AuditEvent
from portal.audit.services import record_event
from portal.audit.verification import find_chain_faults
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, create_integration
from tests.portal.accounts.sign_in import SignIn
from tests.portal.accounts.test_account_security import create_token, is_open, sign_in_as
from tests.portal.pseudo_language import activate_pseudo_language


def get_role_flags(user: User) -> tuple[bool, bool, bool, bool]:
    """Return whether a user is stored as reviewer, staff, superuser, and active."""
    user.refresh_from_db()
    return user.is_reviewer, user.is_staff, user.is_superuser, user.is_active


def test_change_is_audited_logged_and_emailed(alice: Any, sam: Any) -> None:
    roles.change_roles(alice, grant=["reviewer", "staff"], actor=sam, now=NOW, reason="Joins the program")
    assert get_role_flags(alice) == (True, True, False, True)
    event = AuditEvent.objects.get(stream=f"account:{alice.pk}")
    assert (event.event_type, event.actor, event.note) == ("account.roles_changed", "Sam Stone", "Joins the program")
    assert event.summary == "Sam Stone changed the roles of Alice Archer: +reviewer, +staff"
    assert list(find_chain_faults(AuditEvent.objects.filter(stream=event.stream))) == []
    security_event = SecurityEvent.objects.get(user=alice)
    assert (security_event.kind, security_event.actor, security_event.detail) == (
        "roles_changed",
        "Sam Stone",
        "+reviewer, +staff: Joins the program",
    )
    mail = EmailMessage.objects.get()
    assert (mail.to, mail.subject, "Changed by Sam Stone." in mail.text) == (
        alice.email,
        "Your roles were changed",
        True,
    )


@pytest.mark.any_database
def test_waiting_emails_of_the_program_do_not_reach_someone_without_a_role(
    acme: Any, globex: Any, alice: Any, charlie: Any, sam: Any
) -> None:
    """What concerns the person's own company is still sent."""
    roles.change_roles(alice, grant=["reviewer"], actor=sam, now=NOW, reason="Joins the program")
    subjects = {create_integration(acme, alice): "Own", create_integration(globex, charlie): "Other", None: "Report"}
    for state in ("held", "batched"):
        for integration, subject in subjects.items():
            values = {"person": alice, "integration": integration, "state": state, "subject": f"{subject} {state}"}
            EmailMessage.objects.create(key=f"{subject} {state}", name="x", to=alice.email, created_at=NOW, **values)
    event = record_event(acme, "partner.profile_changed", actor=alice, now=NOW)
    values = {"person": alice, "event": event, "state": "batched", "subject": "Company"}
    EmailMessage.objects.create(key="company", name="x", to=alice.email, created_at=NOW, **values)
    roles.change_roles(alice, revoke=["reviewer"], actor=sam, now=NOW, reason="Leaves the program")
    waiting = EmailMessage.objects.filter(person=alice, state__in=("held", "batched"))
    assert list(waiting.order_by("pk").values_list("subject", flat=True)) == ["Own held", "Own batched", "Company"]


def test_same_roles_again_change_nothing(rita: Any, sam: Any) -> None:
    roles.change_roles(rita, grant=["reviewer"], revoke=["staff"], actor=sam, now=NOW, reason="Again")
    assert (AuditEvent.objects.count(), EmailMessage.objects.count()) == (0, 0)


@pytest.mark.parametrize("who", ["rita", "alice"])
def test_only_superusers_change_roles(request: pytest.FixtureRequest, bob: Any, sam: Any, who: str) -> None:
    with pytest.raises(ActionRefused, match="Only administrators"):
        roles.change_roles(bob, grant=["staff"], actor=request.getfixturevalue(who), now=NOW, reason="Why not")
    assert get_role_flags(bob) == (False, False, False, True)


def test_refusals_are_translated(sam: Any) -> None:
    with activate_pseudo_language(), pytest.raises(ActionRefused, match=r"^⟦You can't"):
        roles.change_roles(sam, grant=["reviewer"], actor=sam, now=NOW, reason="Joins")


def test_no_one_changes_their_own_roles(sam: Any) -> None:
    with pytest.raises(ActionRefused, match="can't change your own roles"):
        roles.change_roles(sam, grant=["reviewer"], actor=sam, now=NOW, reason="I want to")


def test_change_needs_a_reason(alice: Any, sam: Any) -> None:
    with pytest.raises(ActionRefused, match="Enter a reason"):
        roles.change_roles(alice, grant=["staff"], actor=sam, now=NOW, reason="  ")


def test_unconfirmed_address_gets_no_role(alice: Any, sam: Any) -> None:
    alice.emailaddress_set.update(verified=False)
    with pytest.raises(ActionRefused, match="confirmed email address"):
        roles.change_roles(alice, grant=["staff"], actor=sam, now=NOW, reason="Joins")
    assert get_role_flags(alice) == (False, False, False, True)


def test_former_superuser_cannot_change_roles(alice: Any, sam: Any) -> None:
    """A request that began before the revocation still holds the old row."""
    before = User.objects.get(pk=sam.pk)
    User.objects.filter(pk=sam.pk).update(is_superuser=False)
    with pytest.raises(ActionRefused, match="Only administrators"):
        roles.change_roles(alice, grant=["staff"], actor=before, now=NOW, reason="Joins")
    assert get_role_flags(alice) == (False, False, False, True)


def test_another_confirmed_address_gives_no_role(alice: Any, sam: Any) -> None:
    """The address that the superuser enters must belong to the person."""
    alice.emailaddress_set.update(verified=False)
    alice.emailaddress_set.create(email="mallory@evil.example", verified=True)
    with pytest.raises(ActionRefused, match="confirmed email address"):
        roles.change_roles(alice, grant=["staff"], actor=sam, now=NOW, reason="Joins")


def test_last_superuser_keeps_the_role(sam: Any) -> None:
    with pytest.raises(ActionRefused, match="at least one active superuser"):
        roles.change_roles(sam, revoke=["superuser"], actor=None, now=NOW, reason="Leaves")
    assert (get_role_flags(sam), AuditEvent.objects.count()) == ((False, True, True, True), 0)


def test_last_superuser_stays_active(sam: Any) -> None:
    with pytest.raises(ActionRefused, match="at least one active superuser"):
        roles.deactivate(sam, actor=None, now=NOW, reason="Leaves")
    assert (get_role_flags(sam), AuditEvent.objects.count()) == ((False, True, True, True), 0)


def test_deactivation_ends_sessions_and_tokens_for_good(alice: Any, acme: Any, sam: Any) -> None:
    client = sign_in_as(alice)
    own = create_token(alice)
    of_company = create_token(alice, acme)
    roles.deactivate(alice, actor=sam, now=NOW, reason="Left the company")
    roles.reactivate(alice, actor=sam, now=NOW, reason="Came back")
    for token in (own, of_company):
        token.refresh_from_db()
    assert (is_open(client), own.revoked_at is None, of_company.revoked_at is None) == (False, False, False)
    kinds = list(SecurityEvent.objects.filter(user=alice).order_by("pk").values_list("kind", flat=True))
    assert kinds[-3:] == ["deactivated", "tokens_revoked", "reactivated"]


def test_token_of_a_deactivated_person_is_refused_at_once(alice: Any, sam: Any) -> None:
    _, secret = tokens.create_token("ci", ["integrations:read"], 30, actor=alice, now=NOW)
    assert tokens.authenticate_token(secret, NOW) is not None
    roles.deactivate(alice, actor=sam, now=NOW, reason="Left the company")
    assert tokens.authenticate_token(secret, NOW) is None


def test_command_changes_roles(alice: Any, sam: Any) -> None:
    out = StringIO()
    call_command("change_role", alice.email, "--grant", "reviewer", "--reason", "Joins", stdout=out)
    assert out.getvalue() == "alice@acme.example: reviewer, active.\n"
    assert SecurityEvent.objects.get(user=alice).actor == "the command line"
    call_command("change_role", alice.email, "--deactivate", "--reason", "Leaves", stdout=StringIO())
    assert get_role_flags(alice) == (True, False, False, False)


@pytest.mark.parametrize(
    ("arguments", "message", "exit_code"),
    [
        (["nobody@acme.example", "--grant", "staff"], "No account found for nobody@acme.example.", 2),
        (["alice@acme.example"], "Nothing to change.", 2),
        (["sam@program.example", "--deactivate"], "at least one active superuser", 1),
    ],
)
def test_command_explains_invalid_arguments_and_refusals(
    alice: Any, sam: Any, arguments: list[str], message: str, exit_code: int
) -> None:
    with pytest.raises(CommandError, match=message) as error:
        call_command("change_role", *arguments, "--reason", "Because")
    assert error.value.returncode == exit_code


def test_refused_command_changes_nothing(alice: Any, sam: Any) -> None:
    roles.deactivate(alice, actor=sam, now=NOW, reason="Leaves")
    with pytest.raises(CommandError, match="Auditors have read-only access"):
        call_command(
            "change_role",
            *(alice.email, "--reactivate", "--grant", "auditor", "--grant", "staff", "--reason", "Returns"),
        )
    assert get_role_flags(alice) == (False, False, False, False)


def test_admin_pages_about_people_are_read_only(sign_in: SignIn, sam: Any, alice: Any) -> None:
    client = sign_in(sam)
    before = alice.password
    page = f"/admin/accounts/user/{alice.pk}/"
    fields = {"email": alice.email, "name": "Mallory", "is_superuser": "on", "password1": "x", "password2": "x"}
    codes = {path: client.post(path, fields).status_code for path in (f"{page}change/", "/admin/accounts/user/add/")}
    codes[f"{page}password/"] = client.post(
        f"/admin/accounts/user/{alice.pk}/password/", fields, follow=True
    ).status_code
    assert list(codes.values())[:2] == [403, 403]
    assert codes[f"{page}password/"] != 200 or b"was changed" not in client.get(page, follow=True).content
    alice.refresh_from_db()
    assert (alice.name, alice.is_superuser, alice.password) == ("Alice Archer", False, before)


def test_admin_registers_nothing_else_about_accounts() -> None:
    closed_apps = ("auth", "account", "socialaccount", "mfa", "usersessions", "sessions")
    assert [model for model in admin.site._registry if model._meta.app_label in closed_apps] == []
    people = [each for model, each in admin.site._registry.items() if model._meta.app_label == "accounts"]
    assert [type(each).__name__ for each in people] == ["UserAdmin"]


def test_admin_page_of_a_reviewer_profile_is_read_only(sign_in: SignIn, sam: Any, rita: Any) -> None:
    profile = ReviewerProfile.objects.get(user=rita)
    assert sign_in(sam).post(f"/admin/reviews/reviewerprofile/{profile.pk}/change/", {}).status_code == 403


def test_admin_password_page_redirects_to_the_portal(sign_in: SignIn, sam: Any) -> None:
    assert sign_in(sam).get("/admin/password_change/")["Location"] == "/accounts/password/change/"
