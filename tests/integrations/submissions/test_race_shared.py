"""Tests of concurrent shared answers on PostgreSQL."""

import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.db import connection

from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.services import findings, requirements
from tests.conftest import begin

ROUNDS = 50
SHARED = "NO-8-LOGO"

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def at_once(*jobs: Callable[[], Any]) -> list[str]:
    """Run all of them at the same moment; what went wrong, by name."""
    gate, wrong = threading.Barrier(len(jobs)), []

    def run(job: Callable[[], Any]) -> None:
        try:
            gate.wait()
            job()
        except Exception as error:
            wrong.append(f"{type(error).__name__}: {error}")
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def test_shared_answers_at_once_never_lock_each_other_out(acme: Any, alice: Any, bob: Any, now: datetime) -> None:
    first, second = begin(acme, alice), begin(acme, alice, name="Second")

    def give(row: Integration, by: Any, number: int) -> Callable[[], Any]:
        return lambda: requirements.submit_answer(row, SHARED, {"round": number, "by": by.pk}, actor=by, now=now)

    for number in range(ROUNDS):
        wrong = at_once(
            give(first, alice, number),
            give(second, bob, number),
            lambda: findings.post_message(first, "Still there?", actor=alice, now=now),
            lambda: findings.post_message(second, "Still there?", actor=bob, now=now),
        )
        assert wrong == []
        requirement_states = RequirementFulfillment.objects.filter(requirement_id=SHARED).values_list("data", flat=True)
        assert (
            len(requirement_states),
            len({repr(data) for data in requirement_states}),
            requirement_states[0]["round"],
        ) == (2, 1, number)
