"""Tests of the presence of other reviewers on a review."""

from typing import Any

import pytest

from integrations.reviews.presence import WRITING, Presence, list_present, note_presence
from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from tests.integrations.page_text import text_of
from tests.integrations.reviews.conftest import fresh
from tests.integrations.reviews.pages.review_pages import add_finding
from tests.integrations.reviews.transition_page import build_url, perform

pytestmark = pytest.mark.any_database
SignIn = Any


def get_review_url(row: Integration) -> str:
    return f"/integrations/{row.uuid}/review/"


def test_page_loads_show_who_is_viewing(
    ready: Integration, alice: User, rita: User, rob: User, sign_in: SignIn
) -> None:
    sign_in(rob).get(get_review_url(ready))
    client = sign_in(rita)
    assert "Rob Roth is viewing" in text_of(client.get(get_review_url(ready)), "#presence")
    assert "Rita Reyes" not in text_of(client.get(get_review_url(ready)), "#presence")
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
    assert "Decide although Rob Roth is writing" in text_of(client.get(build_url(ready, "approve")))
    refused = perform(client, ready, "approve")
    assert (refused.status_code, fresh(ready).stage) == (422, "review")
    assert "Select the checkbox to decide although Rob Roth is writing." in text_of(refused)
    assert perform(client, ready, "approve", confirm_writing="on").status_code == 302
    assert fresh(ready).stage == "release"


def test_confirmation_names_all_writers(
    ready: Integration, alice: User, rita: User, rob: User, sign_in: SignIn, moment: Any
) -> None:
    User.objects.filter(pk=alice.pk).update(is_reviewer=True)
    for writer in (alice, rob):
        note_presence(ready, writer, WRITING)
    page = text_of(sign_in(rita).get(build_url(ready, "approve")))
    assert "Decide although Alice Archer, Rob Roth are writing" in page


def test_sent_text_ends_writing(ready: Integration, rita: User, rob: User, sign_in: SignIn, moment: Any) -> None:
    note_presence(ready, rob, WRITING)
    perform(sign_in(rob), ready, "put_on_hold", note="Wait.", waits_for="partner")
    assert list_present(ready, rita) == []
    note_presence(ready, rob)
    assert list_present(ready, rita) == [Presence("Rob Roth", is_writing=False)]


def test_transition_page_shows_who_is_there_at_once(
    ready: Integration, rita: User, rob: User, sign_in: SignIn, moment: Any
) -> None:
    note_presence(ready, rob)
    assert text_of(sign_in(rita).get(build_url(ready, "approve")), "#presence") == "Rob Roth is viewing"


@pytest.mark.parametrize("button", ["verify", "reply", "edit"])
def test_button_of_a_finding_ends_writing(
    ready: Integration, rita: User, rob: User, sign_in: SignIn, moment: Any, button: str
) -> None:
    finding = add_finding(ready, rob, moment)
    note_presence(ready, rob, WRITING)
    data = {"text": "Sign it.", "severity": finding.severity}
    assert sign_in(rob).post(f"/findings/{finding.pk}/{button}/", data).status_code == 302
    assert list_present(ready, rita) == []


def test_verifying_selected_findings_ends_writing(
    ready: Integration, alice: User, rita: User, rob: User, sign_in: SignIn, moment: Any
) -> None:
    finding = add_finding(ready, rob, moment)
    perform_transition(fresh(ready), "request_changes", actor=rob, now=moment)
    findings.answer_finding(finding, "Done.", actor=alice, now=moment)
    note_presence(ready, rob, WRITING)
    sign_in(rob).post(f"/integrations/{ready.uuid}/findings/verify/", {"finding": finding.pk})
    assert list_present(ready, rita) == []


def test_only_text_and_the_decision_count_as_writing(ready: Integration, rita: User, sign_in: SignIn) -> None:
    page = sign_in(rita).get(get_review_url(ready)).text
    assert 'hx-trigger="input from:body target:{textarea, #decision input, #decision select} throttle:10s"' in page
