"""Two people change a company at once, on a real PostgreSQL: it keeps an owner, and its name stays its own."""

import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.db import connection

from integrations.partners.models import Membership, Partner
from integrations.partners.services import members, profiles
from portal.core.errors import ActionRefused
from tests.conftest import person

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def at_once(*wishes: Callable[[], Any]) -> list[str]:
    """Do all of it at the same moment. Returns what each was told: blank where it was done."""
    gate, refusals = threading.Barrier(len(wishes)), []

    def do(wish: Callable[[], Any]) -> None:
        try:
            gate.wait()
            wish()
            refusals.append("")
        except ActionRefused as refusal:
            refusals.append(str(refusal))
        finally:
            connection.close()

    threads = [threading.Thread(target=do, args=(wish,)) for wish in wishes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(refusals)


def test_two_last_owners_who_leave_at_once_leave_one_behind(acme: Partner, alice: Any, bob: Any, now: datetime) -> None:
    for _ in range(20):
        Membership.objects.all().delete()
        pair = [Membership.objects.create(partner=acme, user=u, role="owner", joined_at=now) for u in (alice, bob)]
        refusals = at_once(*(lambda m=m: members.end_membership(m, actor=m.user, now=now) for m in pair))
        assert refusals == ["", members.LAST_OWNER_MESSAGE]
        assert Membership.objects.filter(ended_at=None).count() == 1


def test_one_name_taken_twice_at_once_makes_one_partner(db: None, now: datetime) -> None:
    pair = [person("dora@initech.example", "Dora"), person("erin@initech.example", "Erin")]
    for n in range(20):
        name = f"Initech {'x' * n}"
        refusals = at_once(*(lambda u=u, name=name: profiles.create_partner(name, actor=u, now=now) for u in pair))
        assert refusals[0] == ""
        assert refusals[1] in (
            "A company with this name was just created. Reload the page.",
            "A company with this or a similar name already exists. Ask to join it, or enter another name.",
        )
    assert Partner.objects.count() == 20
