"""Tests of concurrent opposite decisions on PostgreSQL."""

import threading
from collections import Counter
from typing import Any

import pytest
from django.db import connection

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.core.errors import ActionRefused
from tests.conftest import advance_to_stage, create_integration, fulfill_requirements

ROUNDS = 200

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def decide(row: Integration, step: str, by: Any, gate: threading.Barrier, outcomes: list[str]) -> None:
    try:
        gate.wait()
        perform_transition(row, step, actor=by, note="Not for us.", version=row.version)
        outcomes.append(f"{step} won")
    except ActionRefused as refusal:
        outcomes.append(f"{refusal.kind}: {refusal}")
    finally:
        connection.close()


def test_concurrent_opposite_decisions_have_one_winner(acme: Any, alice: Any, rita: Any, rob: Any) -> None:
    row = advance_to_stage(create_integration(acme, alice), "review", partner=alice, reviewer=rita)
    fulfill_requirements(row, alice, row.created_at)
    wins: Counter[str] = Counter()
    for _ in range(ROUNDS):
        row = Integration.objects.select_related("partner").get(pk=row.pk)
        gate = threading.Barrier(2)
        outcomes = []
        pair = [("approve", rita), ("decline", rob)]
        threads = [threading.Thread(target=decide, args=(row, step, by, gate, outcomes)) for step, by in pair]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        winners = [t.removesuffix(" won") for t in outcomes if t.endswith(" won")]
        refusals = [t for t in outcomes if not t.endswith(" won")]
        assert (len(winners), len(refusals)) == (1, 1)
        change = {"approve": "Rita Reyes approved", "decline": "Rob Roth declined"}[winners[0]]
        assert refusals[0].startswith(f"conflict: {change} the integration (")
        wins[winners[0]] += 1
        perform_transition(Integration.objects.get(pk=row.pk), "undo_decision", actor=rita)
    assert wins.total() == ROUNDS
    assert (
        Integration.objects.get(pk=row.pk)
        .events.filter(event_type__in=("integration.approved", "integration.declined"))
        .count()
        == ROUNDS
    )
