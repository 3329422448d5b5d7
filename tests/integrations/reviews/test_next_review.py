"""Tests of the review that opens after a decision."""

from typing import Any

import pytest

from integrations.submissions.models import Integration
from portal.accounts.models import User
from tests.integrations.reviews.transition_page import take, text_of

pytestmark = pytest.mark.any_database


def test_next_item_opens_after_a_decision_with_the_undo_button(three: None, rita: User, client: Any) -> None:
    client.force_login(rita, backend="django.contrib.auth.backends.ModelBackend")
    scan, rocket = (Integration.objects.get(name=name) for name in ("Scan", "Rocket"))
    response = take(client, scan, "decline", note="Not for us.")
    assert response["Location"] == f"/integrations/{rocket.uuid}/review/?decided={scan.uuid}"
    text = text_of(client.get(response["Location"]))
    assert ("Your last decision is about Scan." in text, "Undo decision" in text) == (True, True)


def test_last_item_of_the_queue_stays_open_after_a_decision(ready: Integration, rita: User, client: Any) -> None:
    client.force_login(rita, backend="django.contrib.auth.backends.ModelBackend")
    response = take(client, ready, "approve")
    assert response["Location"] == f"/integrations/{ready.uuid}/review/"
