"""Tests of who else is on a review."""

from typing import Any

import pytest

from integrations.reviews.presence import WRITING, Presence, list_present, note_presence
from integrations.submissions.models import Integration
from portal.accounts.models import User
from tests.integrations.reviews.conftest import fresh
from tests.integrations.reviews.transition_page import address, take, text_of

pytestmark = pytest.mark.any_database
SignIn = Any


def review(row: Integration) -> str:
    return f"/integrations/{row.uuid}/review/"


def test_page_loads_show_who_is_viewing(
    ready: Integration, alice: User, rita: User, rob: User, sign_in: SignIn
) -> None:
    sign_in(rob).get(review(ready))
    client = sign_in(rita)
    assert "Rob Roth is viewing" in text_of(client.get(review(ready)), "#presence")
    assert "Rita Reyes" not in text_of(client.get(review(ready)), "#presence")
    assert [each.name for each in list_present(ready, alice)] == ["Rita Reyes", "Rob Roth"]


def test_polling_shows_who_is_writing(ready: Integration, rita: User, rob: User, sign_in: SignIn) -> None:
    url = f"/integrations/{ready.uuid}/presence/"
    sign_in(rob).post(url, {"writing": "1"})
    assert text_of(sign_in(rita).post(url), "#presence") == "Rob Roth is writing"


def test_partner_gets_no_presence(ready: Integration, alice: User, sign_in: SignIn) -> None:
    assert sign_in(alice).post(f"/integrations/{ready.uuid}/presence/").status_code == 404


def test_deciding_while_another_writes_asks_for_confirmation(
    ready: Integration, rita: User, rob: User, sign_in: SignIn, moment: Any
) -> None:
    note_presence(ready, rob, WRITING)
    client = sign_in(rita)
    assert "Decide although Rob Roth is writing" in text_of(client.get(address(ready, "approve")))
    refused = take(client, ready, "approve")
    assert (refused.status_code, fresh(ready).stage) == (422, "review")
    assert "Select the checkbox to decide although Rob Roth is writing." in text_of(refused)
    assert take(client, ready, "approve", confirm_writing="on").status_code == 302
    assert fresh(ready).stage == "release"


def test_sent_text_ends_writing(ready: Integration, rita: User, rob: User, sign_in: SignIn, moment: Any) -> None:
    note_presence(ready, rob, WRITING)
    take(sign_in(rob), ready, "put_on_hold", note="Wait.", waits_for="partner")
    assert list_present(ready, rita) == []
    note_presence(ready, rob)
    assert list_present(ready, rita) == [Presence("Rob Roth", is_writing=False)]
