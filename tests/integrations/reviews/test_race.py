"""Tests of two reviewers who work on the same items at the same time on PostgreSQL."""

import random
import threading
from collections import Counter
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import Model
from django.db.models.base import ModelState
from django.test import Client
from django.utils import timezone

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from tests.conftest import advance_to_stage, create_integration, fulfill_requirements, note_sign_in
from tests.integrations.page_text import get_text
from tests.integrations.reviews.transition_page import build_url

Row = TypeVar("Row", bound=Model)
COUNT = 200
EVENT_TYPES = {
    "approve": "integration.approved",
    "request_changes": "review.changes_requested",
    "put_on_hold": "integration.put_on_hold",
}
CHANGES = {
    "approve": "approved the integration",
    "request_changes": "requested changes",
    "put_on_hold": "put the integration on hold",
}

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a reviewer did with an item: whether they claimed it first, the decision, and the page that came back."""

    reviewer: User
    has_claimed: bool
    step: str
    is_done: bool
    text: str


def create_items(partner: Partner, by: User, reviewer: User) -> list[Integration]:
    """Return items in review. Odd ones have an open finding, so they can't be approved. All but two are copies."""
    rows: list[Integration] = []
    for number in range(2):
        row = advance_to_stage(
            create_integration(partner, by, name=f"Rocket {number}"), "review", partner=by, reviewer=reviewer
        )
        fulfill_requirements(row, None, row.created_at)
        if number % 2:
            findings.raise_finding(row, "NO-3", "Add tests.", actor=reviewer, now=timezone.now())
        rows.append(Integration.objects.get(pk=row.pk))
    return rows + [copy_item(rows[number % 2], f"Rocket {number}") for number in range(2, COUNT)]


def copy_item(original: Integration, name: str) -> Integration:
    """Copy an integration with its requirements and findings, which takes a tenth of the time of creating it."""
    row = copy_row(original, uuid=uuid4(), name=name)
    for each in (*original.fulfillments.all(), *original.findings.all()):
        copy_row(each, integration=row)
    return Integration.objects.get(pk=row.pk)


def copy_row(original: Row, **changes: object) -> Row:
    row = copy(original)
    row.pk = None
    row._state = ModelState()
    for field, value in changes.items():
        setattr(row, field, value)
    row.save(force_insert=True)
    return row


def decide_on_items(
    rows: list[Integration], user: User, choices: random.Random, gate: threading.Barrier, attempts: dict[int, Any]
) -> None:
    """Claim some of the items, and decide on all of them."""
    try:
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        note_sign_in(client, user)
        for row in rows:
            has_claimed = choices.random() < 0.5
            step = choices.choice(["put_on_hold", "request_changes" if row.name_key[-1] in "13579" else "approve"])
            gate.wait(timeout=60)
            if has_claimed:
                client.post(f"/integrations/{row.uuid}/claim/")
            response = client.post(
                build_url(row, step), {"version": row.version, "note": "As agreed.", "waits_for": "partner"}
            )
            is_done = response.status_code == 302
            text = "" if is_done else get_text(response)
            attempts.setdefault(row.pk, []).append(Attempt(user, has_claimed, step, is_done, text))
    except Exception:
        gate.abort()
        raise
    finally:
        connection.close()


def test_two_reviewers_decide_once_on_each_item(acme: Partner, alice: User, rita: User, rob: User) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    rows = create_items(acme, alice, rita)
    choices = random.Random(seed)
    choices.shuffle(rows)
    gate = threading.Barrier(2)
    attempts = dict[int, list[Attempt]]()
    threads = [
        threading.Thread(target=decide_on_items, args=(rows, user, random.Random(choices.random()), gate, attempts))
        for user in (rita, rob)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {pk: len(each) for pk, each in attempts.items()} == {row.pk: 2 for row in rows}
    wins: Counter[str] = Counter()
    for row in rows:
        winner, loser = sorted(attempts[row.pk], key=lambda attempt: not attempt.is_done)
        assert (winner.is_done, loser.is_done) == (True, False)
        check_item(row, winner, loser)
        wins[f"{winner.reviewer} {winner.step}"] += 1
    print(dict(wins))
    assert wins.total() == COUNT


def check_item(row: Integration, winner: Attempt, loser: Attempt) -> None:
    """Check that one decision, one event, and one email exist, and that the loser reads who was faster."""
    events = list(row.events.filter(event_type__in=EVENT_TYPES.values()))
    assert [(event.event_type, event.actor) for event in events] == [(EVENT_TYPES[winner.step], str(winner.reviewer))]
    assert EmailMessage.objects.filter(event=events[0]).count() == 1
    change = f"{winner.reviewer} {CHANGES[winner.step]} ("
    claim = f"{winner.reviewer} claimed this review until"
    assert change in loser.text or (winner.has_claimed and claim in loser.text)
    assert "Your text is still below." in loser.text
