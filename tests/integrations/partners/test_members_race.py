"""Tests of concurrent changes of companies on PostgreSQL."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import pytest
from django.db import connection

from integrations.partners.models import JoinRequest, Membership, Partner
from integrations.partners.services import members, profiles
from portal.core.errors import ActionRefused
from tests.concurrency import run_concurrently
from tests.conftest import create_user

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def list_refusals(*calls: Callable[[], Any]) -> list[str]:
    """Run the calls at the same time. Return the sorted refusals, with "" for each success."""
    results = run_concurrently(*calls)
    assert [error for error in results if isinstance(error, Exception) and not isinstance(error, ActionRefused)] == []
    return sorted(str(result) if isinstance(result, ActionRefused) else "" for result in results)


def test_one_owner_remains_if_the_last_two_leave_at_once(acme: Partner, alice: Any, bob: Any, now: datetime) -> None:
    for _ in range(20):
        Membership.objects.all().delete()
        pair = [Membership.objects.create(partner=acme, user=u, role="owner", joined_at=now) for u in (alice, bob)]
        refusals = list_refusals(*(lambda m=m: members.end_membership(m, actor=m.user, now=now) for m in pair))
        assert refusals == ["", members.LAST_OWNER_MESSAGE]
        assert Membership.objects.filter(ended_at=None).count() == 1


def test_name_taken_twice_at_once_creates_one_company(db: None, now: datetime) -> None:
    pair = [create_user("dora@initech.example", "Dora"), create_user("erin@initech.example", "Erin")]
    for n in range(20):
        name = f"Initech {'x' * n}"
        refusals = list_refusals(
            *(lambda u=u, name=name: profiles.create_partner(name, actor=u, now=now) for u in pair)
        )
        assert refusals[0] == ""
        assert refusals[1] in (
            "A company with this name was just created. Ask to join it, or enter another name.",
            "A company with this or a similar name already exists. Ask to join it, or enter another name.",
        )
    assert Partner.objects.count() == 20


def test_requests_to_several_companies_at_once_do_not_exceed_the_limit(charlie: Any, now: datetime) -> None:
    for n in range(10):
        JoinRequest.objects.all().delete()
        companies = [
            Partner.objects.create(name=f"Company {n}-{i}", slug=f"company-{n}-{i}", created_at=now) for i in range(5)
        ]
        refusals = list_refusals(
            *(partial(members.request_to_join, each, actor=charlie, now=now) for each in companies)
        )
        assert refusals == [""] * 3 + ["You have 3 open requests. Wait for a decision on one of them."] * 2
