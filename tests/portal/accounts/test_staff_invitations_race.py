"""Tests of invitations to roles on PostgreSQL: the lock order, and two invitations at once."""

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from portal.accounts import invitations
from portal.accounts.models import StaffInvitation, User
from tests.concurrency import list_errors
from tests.conftest import NOW, create_user

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]

NORA = "nora@program.example"
LOCKED_TABLE = re.compile(r'FROM "(\w+)".* FOR (?:NO KEY )?UPDATE')


def list_locked_tables(action: Callable[[], object]) -> list[str]:
    """Perform an action and return the tables that it locks, in order."""
    with CaptureQueriesContext(connection) as queries:
        action()
    return [match[1] for query in queries if (match := LOCKED_TABLE.search(query["sql"]))]


def test_invitation_is_locked_before_people(sam: User) -> None:
    def send() -> None:
        invitations.send_invitation(NORA, ["reviewer"], actor=sam, now=NOW)

    def revoke() -> None:
        invitations.revoke_invitation(StaffInvitation.objects.get(), actor=sam, now=NOW)

    def accept() -> None:
        StaffInvitation.objects.update(revoked_at=None)
        invitations.accept_invitation(
            StaffInvitation.objects.get(),
            user=create_user(NORA, "Nora Nash"),
            addresses=[NORA],
            now=NOW,
            request=RequestFactory().get("/"),
        )

    send()
    tables = [list_locked_tables(action)[:2] for action in (send, revoke, accept)]
    assert tables == [[StaffInvitation._meta.db_table, User._meta.db_table]] * 3


def test_two_invitations_at_once_leave_one(sam: User) -> None:
    tess = create_user("tess@program.example", "Tess Tan", is_staff=True, is_superuser=True)

    def send(actor: User) -> Callable[[], object]:
        return lambda: invitations.send_invitation(NORA, ["reviewer"], actor=actor, now=NOW)

    for _ in range(10):
        StaffInvitation.objects.all().delete()
        errors = list_errors(send(sam), send(tess))
        # The second one replaces the first one if it finds it, and is refused otherwise.
        assert errors in ([], ["ActionRefused: Someone just invited this address. Reload the page."])
        assert StaffInvitation.objects.count() == 1
