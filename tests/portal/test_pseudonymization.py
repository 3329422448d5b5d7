"""Tests that no personal data remains in a deleted account, and that the audit log and decisions do."""

from collections.abc import Iterator
from io import StringIO

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db.models import CASCADE, CharField, JSONField, TextField
from django.utils import timezone

from integrations.escalations.models import Escalation
from integrations.partners.models import Invitation, Partner
from integrations.partners.services.members import send_invitation
from integrations.submissions.models import Integration
from portal.accounts import roles
from portal.accounts.models import SecurityEvent, User
from portal.accounts.security_log import record_security_event
from portal.api.services import tokens
from portal.audit.models import AuditEvent
from portal.audit.verification import find_chain_faults
from portal.core.errors import ActionRefused
from portal.inbox import calendar_feed
from portal.notifications.models import EmailMessage, NotificationPreference
from portal.pseudonymization import PERSONAL_ROWS
from tests.conftest import NOW
from tests.portal.accounts.test_account_security import create_token, sign_in_as

pytestmark = pytest.mark.any_database

REASON = "Asked for the deletion"
EMAIL = "bob@acme.example"


def pseudonymize(address: str = EMAIL) -> str:
    output = StringIO()
    call_command("pseudonymize_account", address, reason=REASON, stdout=output)
    return output.getvalue().strip()


def iterate_rows_with(text: str) -> Iterator[str]:
    """Yield the tables and columns that contain a text."""
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            is_text = isinstance(field, CharField | TextField | JSONField) and model._meta.managed
            if is_text and model._base_manager.filter(**{f"{field.name}__icontains": text}).exists():
                yield f"{model._meta.label}.{field.name}"


@pytest.fixture
def deactivated_bob(rocket: Integration, alice: User, bob: User, acme: Partner, sam: User) -> User:
    """A deactivated editor who used everything that an account can have."""
    sign_in_as(bob).post("/accounts/email/", {"action_add": "", "email": "bob.unconfirmed@example.org"})
    create_token(bob)
    tokens.create_token("ci", ["integrations:read"], 30, actor=alice, now=timezone.now(), partner=acme)
    calendar_feed.create_feed(bob, NOW)
    Authenticator.objects.create(user=bob, type=Authenticator.Type.TOTP, data={})
    SocialAccount.objects.create(user=bob, provider="github", uid="7", extra_data={"login": "bobbaker"})
    EmailAddress.objects.create(user=bob, email="bob.private@example.org", verified=True)
    NotificationPreference.objects.create(user=bob, delivery={"reviews": "daily"})
    Escalation.objects.create(
        integration=rocket, kind="action", due_at=NOW, began_at=NOW, notified_addresses=[EMAIL, sam.email]
    )
    SecurityEvent.objects.create(kind="sign_in_failed", at=NOW, address="Bob.Private@example.org")
    roles.deactivate(bob, actor=sam, now=NOW, reason=REASON)
    UserSession.objects.create(user=bob, ip="192.0.2.7", session_key="expired")
    return bob


@pytest.mark.every_database
def test_no_personal_data_remains_outside_the_log(deactivated_bob: User) -> None:
    pk = deactivated_bob.pk
    assert pseudonymize() == f"The account is now “Deleted account {pk}” ({pk}@deleted.invalid)."
    user = User.objects.get(pk=pk)
    assert (user.is_active, user.has_usable_password(), user.memberships.get().ended_at is None) == (
        False,
        False,
        False,
    )
    for text in (EMAIL, "bob.private@", "bob.unconfirmed@", "bobbaker"):
        assert list(iterate_rows_with(text)) == []
    EmailMessage.objects.exclude(person=user).delete()  # those to others keep the names of the people they are about
    assert set(iterate_rows_with("Bob Baker")) == {"audit.AuditEvent.data"}
    for model in (Authenticator, SocialAccount, EmailAddress, UserSession, NotificationPreference):
        assert not model.objects.filter(user=user).exists()
    assert not EmailMessage.objects.filter(person=user, state__in=["queued", "held", "batched"]).exists()
    assert list(EmailMessage.objects.filter(person=user).exclude(text="", html="")) == []


def test_data_of_another_person_with_the_same_address_stays(
    deactivated_bob: User, alice: User, charlie: User, acme: Partner
) -> None:
    """Bob entered the addresses of two others, whom he never proved to be."""
    for address in (charlie.email, "dora@globex.example"):
        EmailAddress.objects.create(user=deactivated_bob, email=address, verified=False)
        send_invitation(acme, address, "viewer", actor=alice, now=NOW)
    record_security_event(charlie, "signed_in", address=charlie.email, now=NOW)
    others = {charlie.email, "dora@globex.example"}
    emails = list(EmailMessage.objects.filter(to__in=others))
    assert {each.to for each in emails} == others
    pseudonymize()
    kept_texts = set(EmailMessage.objects.filter(to__in=others, state="queued").values_list("to", "text"))
    assert kept_texts == {(each.to, each.text) for each in emails}
    assert set(Invitation.objects.values_list("email", flat=True)) == others
    assert SecurityEvent.objects.filter(user=charlie).exists()


def test_confirmed_address_of_another_account_stays(deactivated_bob: User, alice: User, charlie: User) -> None:
    EmailAddress.objects.filter(user=deactivated_bob, email=EMAIL).update(verified=False)
    EmailAddress.objects.create(user=charlie, email=EMAIL, verified=True)
    record_security_event(charlie, "signed_in", address=EMAIL, now=NOW)
    pseudonymize()
    assert EmailAddress.objects.get(email=EMAIL).user == charlie
    assert SecurityEvent.objects.get(user=charlie).address == EMAIL


def test_repeated_deletion_changes_nothing_more(deactivated_bob: User) -> None:
    output = pseudonymize()
    emails = list(EmailMessage.objects.order_by("pk").values())
    assert pseudonymize(f"{deactivated_bob.pk}@deleted.invalid") == output
    assert list(EmailMessage.objects.order_by("pk").values()) == emails


def test_account_without_personal_data_stays_deactivated(deactivated_bob: User, sam: User) -> None:
    pseudonymize()
    with pytest.raises(ActionRefused, match="The personal data of this account was deleted"):
        roles.reactivate(deactivated_bob, actor=sam, now=NOW, reason=REASON)
    assert User.objects.get(pk=deactivated_bob.pk).is_active is False


def test_deletion_is_recorded_and_the_log_stays_valid(deactivated_bob: User) -> None:
    stream = AuditEvent.objects.filter(stream=f"account:{deactivated_bob.pk}")
    earlier = list(stream)
    pseudonymize()
    assert list(stream)[: len(earlier)] == earlier
    event = stream.latest("seq")
    assert (event.summary, event.note) == (
        f"The portal deleted the personal data of Deleted account {deactivated_bob.pk}",
        REASON,
    )
    assert list(find_chain_faults(stream)) == []
    removal = AuditEvent.objects.get(event_type="member.removed")
    assert (removal.actor_id, removal.actor, removal.data["name"]) == (None, "", "Bob Baker")
    assert EmailMessage.objects.get(name="membership_ended").to == "alice@acme.example"


def test_active_account_and_last_owner_are_refused(alice: User, bob: User, sam: User) -> None:
    with pytest.raises(CommandError, match="Deactivate the account first"):
        pseudonymize()
    roles.deactivate(alice, actor=sam, now=NOW, reason=REASON)
    with pytest.raises(CommandError, match=r"These companies need another active owner first: Acme\."):
        pseudonymize(alice.email)
    with pytest.raises(CommandError, match="No account found") as error:
        pseudonymize("nobody@acme.example")
    assert error.value.returncode == 2
    assert User.objects.filter(email=alice.email).exists()


def test_each_row_that_belongs_to_a_person_is_deleted_or_kept_on_purpose() -> None:
    kept = {
        "Membership",  # the history of a company
        "Invitation",  # from the person to someone else
        "StaffInvitation",
        "ConflictOfInterest",  # decisions
        "Discovery",  # an address of a repository
        "LogEntry",
    }
    relations = User._meta.get_fields(include_hidden=True)
    owned = {each.related_model for each in relations if getattr(each, "on_delete", None) is CASCADE}
    assert {model.__name__ for model in owned - set(PERSONAL_ROWS) if not model._meta.auto_created} == kept
