"""Tests of concurrent shared answers on PostgreSQL."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.db import connection

from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.services import findings, requirements
from tests.concurrency import list_errors
from tests.conftest import create_integration

ROUNDS = 50
SHARED = "NO-8-LOGO"

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def test_concurrent_shared_answers_never_deadlock(acme: Any, alice: Any, bob: Any, now: datetime) -> None:
    first = create_integration(acme, alice)
    second = create_integration(acme, alice, name="Second")

    def build_submission(row: Integration, by: Any, number: int) -> Callable[[], Any]:
        return lambda: requirements.submit_answer(row, SHARED, {"round": number, "by": by.pk}, actor=by, now=now)

    for number in range(ROUNDS):
        errors = list_errors(
            build_submission(first, alice, number),
            build_submission(second, bob, number),
            lambda: findings.post_message(first, "Still there?", actor=alice, now=now),
            lambda: findings.post_message(second, "Still there?", actor=bob, now=now),
        )
        assert errors == []
        requirement_states = RequirementFulfillment.objects.filter(requirement_id=SHARED).values_list("data", flat=True)
        assert (
            len(requirement_states),
            len({repr(data) for data in requirement_states}),
            requirement_states[0]["round"],
        ) == (2, 1, number)
