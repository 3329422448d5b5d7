"""Tests of the first accounts of a new portal without a mail server."""

import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.core.management import CommandError, call_command
from django.test import Client

from portal.accounts.enrollment import create_link
from portal.accounts.models import SecurityEvent, User
from portal.audit.models import AuditEvent
from tests.conftest import NOW, create_user
from tests.portal.accounts.sign_in import generate_code

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]
NEW_PASSWORD = "a horse on a staple battery"
ADA = "ada@program.example"


@pytest.fixture(autouse=True)
def production_settings(settings: Any) -> None:
    """Require a second factor, without a mail server and with a private email log."""
    settings.EMAIL_STORED_ONLY = True
    settings.EMAIL_LOG_PUBLIC = False
    settings.STAFF_SECOND_FACTOR = "required"


def run_bootstrap(*words: str) -> str:
    out = StringIO()
    call_command("bootstrap", *words, stdout=out)
    return out.getvalue()


def list_links(output: str) -> list[str]:
    return re.findall(r"http://\S+?(/accounts/enroll/\S+)", output)


def open_link(link: str) -> tuple[Client, Any]:
    client = Client()
    return client, client.get(link, follow=True)


def set_password(link: str) -> tuple[Client, Any]:
    client, page = open_link(link)
    return client, client.post(page.request["PATH_INFO"], {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD})


@pytest.mark.every_database
def test_administrator_signs_in_without_a_mail_server() -> None:
    """All steps: link, password, second factor, administration."""
    (link,) = list_links(run_bootstrap("--administrator", ADA, "--name", "Ada Abbott"))
    client, answer = set_password(link)
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/2fa/totp/activate/")
    assert client.get("/admin/")["Location"] == "/profile/second-factor/?next=%2Fadmin%2F"
    page = client.get(answer["Location"])
    code = generate_code(page.context["form"].secret)
    assert client.post("/accounts/2fa/totp/activate/", {"code": code}).status_code == 302
    assert client.get("/admin/").status_code == 200
    user = User.objects.get(email=ADA)
    assert (user.name, user.is_staff, user.is_superuser, user.is_reviewer) == ("Ada Abbott", True, True, False)
    assert list(user.emailaddress_set.values_list("email", "verified", "primary")) == [(ADA, True, True)]


@pytest.mark.every_database
def test_bootstrap_leaves_an_audit_event_and_security_entries() -> None:
    (link,) = list_links(run_bootstrap("--administrator", ADA))
    set_password(link)
    user = User.objects.get()
    event = AuditEvent.objects.get(stream=f"account:{user.pk}")
    assert (event.event_type, event.data["roles"], event.actor) == ("account.roles_changed", "+staff, +superuser", "")
    kinds = set(SecurityEvent.objects.filter(user=user).values_list("kind", flat=True))
    assert kinds == {"roles_changed", "password_set", "signed_in"}


def test_reviewers_get_links_of_their_own() -> None:
    words = ("--reviewer", "rita@program.example", "--reviewer", "rob@program.example")
    output = run_bootstrap("--administrator", ADA, *words)
    assert len(list_links(output)) == 3
    rita = User.objects.get(email="rita@program.example")
    assert (rita.is_reviewer, rita.is_staff, rita.is_superuser) == (True, False, False)
    client, answer = set_password(list_links(output)[1])
    assert answer["Location"] == "/accounts/2fa/totp/activate/"
    assert int(client.session["_auth_user_id"]) == rita.pk


def test_link_works_once() -> None:
    (link,) = list_links(run_bootstrap("--administrator", ADA))
    set_password(link)
    client, page = open_link(link)
    assert "This link has expired or was already used." in page.text
    again = client.post(page.request["PATH_INFO"], {"password1": "another long password", "password2": "x"})
    assert "This link has expired or was already used." in again.text
    assert User.objects.get().check_password(NEW_PASSWORD)


def test_link_expires() -> None:
    with time_machine.travel(NOW, tick=False):
        output = run_bootstrap("--administrator", ADA)
    assert "before 2026-04-17 09:00 UTC" in output
    with time_machine.travel(NOW + timedelta(days=3, seconds=1), tick=False):
        _, page = open_link(list_links(output)[0])
    assert "This link has expired or was already used." in page.text


def test_new_link_ends_the_old_one() -> None:
    (old,) = list_links(run_bootstrap("--administrator", ADA))
    (new,) = list_links(run_bootstrap("--administrator", ADA))
    assert "This link has expired or was already used." in open_link(old)[1].text
    assert set_password(new)[1].status_code == 302
    assert User.objects.count() == 1


def test_enrollment_never_changes_the_password_of_someone_who_has_one() -> None:
    """A reset link signs no one in. Its token must not do so here either."""
    user = create_user("alice@acme.example", "Alice Archer")
    token = default_token_generator.make_token(user)
    link = f"/accounts/enroll/{user_pk_to_url_str(user)}/{token}/"
    client, answer = set_password(link)
    assert (answer.status_code, "_auth_user_id" in client.session) == (200, False)
    assert "This link has expired or was already used." in answer.text
    user.refresh_from_db()
    assert not user.check_password(NEW_PASSWORD)


@pytest.mark.every_database
def test_second_administrator_is_refused(sam: User) -> None:
    with pytest.raises(
        CommandError, match=f"The portal already has the administrator {sam.email}. Ask them to grant the role."
    ):
        run_bootstrap("--administrator", ADA)
    with pytest.raises(CommandError, match=f"{sam.email} is already the administrator and can sign in"):
        run_bootstrap("--administrator", sam.email)
    assert User.objects.count() == 1


def test_administrator_who_has_not_enrolled_blocks_another() -> None:
    run_bootstrap("--administrator", ADA)
    with pytest.raises(
        CommandError, match=f"They haven't used their link. Create a new one with --administrator {ADA}"
    ):
        run_bootstrap("--administrator", "eve@program.example")


def test_reviewers_may_be_added_later(sam: User, alice: User) -> None:
    (link,) = list_links(run_bootstrap("--reviewer", "rita@program.example"))
    assert link.startswith("/accounts/enroll/")
    assert run_bootstrap("--reviewer", alice.email) == f"Reviewer {alice.email}: already has access and can sign in.\n"
    alice.refresh_from_db()
    assert alice.is_reviewer


def test_account_of_github_keeps_its_sign_in_method(sam: User, alice: User) -> None:
    """No link and no new password: either would let the operator sign in as someone else."""
    alice.set_unusable_password()
    alice.save()
    SocialAccount.objects.create(user=alice, provider="github", uid="1")
    client = Client()
    before = alice.password
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    assert run_bootstrap("--reviewer", alice.email) == f"Reviewer {alice.email}: already has access and can sign in.\n"
    alice.refresh_from_db()
    assert (alice.is_reviewer, alice.password, client.get("/accounts/email/").status_code) == (True, before, 200)
    with pytest.raises(ValueError, match="only an unused account"):
        create_link(alice)


@pytest.mark.parametrize("use", ["sign-in", "passkey"])
def test_link_expires_once_the_account_is_used(sam: User, use: str) -> None:
    (link,) = list_links(run_bootstrap("--reviewer", "rita@program.example"))
    user = User.objects.get(email="rita@program.example")
    if use == "sign-in":
        User.objects.filter(pk=user.pk).update(last_login=NOW)
    else:
        Authenticator.objects.create(user=user, type="webauthn", data={})
    assert "This link has expired or was already used." in set_password(link)[1].text
    user.refresh_from_db()
    assert not user.has_usable_password()
    assert run_bootstrap("--reviewer", user.email) == f"Reviewer {user.email}: already has access and can sign in.\n"


def test_account_with_only_another_confirmed_address_is_refused() -> None:
    """Claiming the administrator's address in advance does not make someone administrator."""
    user = create_user(ADA, "Mallory")
    user.emailaddress_set.update(verified=False)
    user.emailaddress_set.create(email="mallory@evil.example", verified=True)
    with pytest.raises(CommandError, match=f"{ADA}: Roles require a confirmed email address"):
        run_bootstrap("--administrator", ADA)
    user.refresh_from_db()
    assert not user.is_superuser


def test_deactivated_account_is_refused() -> None:
    user = create_user(ADA, "Ada Abbott")
    user.is_active = False
    user.save()
    with pytest.raises(CommandError, match="This account is deactivated"):
        run_bootstrap("--administrator", "Ada@Program.example")
    user.refresh_from_db()
    assert not user.is_superuser


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Specify --administrator EMAIL, --reviewer EMAIL, or both."),
        (("--reviewer", "rita@program.example"), "The portal has no administrator."),
        (("--administrator", "nobody"), "nobody: Enter a valid email address."),
        (("--administrator", f"ada@{'a.' * 125}example"), "Ensure this value has at most 254 characters (it has 261)."),
        (("--administrator", ADA, "--name", "A" * 121), "--name: Ensure this value has at most 120 characters"),
    ],
)
def test_wrong_arguments_are_explained(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError, match=re.escape(message)):
        run_bootstrap(*words)
    assert User.objects.count() == 0


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        ("createsuperuser", ("--email", ADA, "--noinput"), "Run “manage.py bootstrap --administrator EMAIL”"),
        ("changepassword", (ADA,), "You can't set the password of another person."),
    ],
)
def test_account_commands_of_django_are_refused(command: str, words: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError, match=re.escape(message)):
        call_command(command, *words)
    assert User.objects.count() == 0
