"""Tests of the presence of other reviewers on a review."""

from typing import Any

import pytest

from integrations.reviews.presence import WRITING, Presence, list_present, note_presence
from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text
from tests.integrations.reviews.pages.review_pages import add_finding
from tests.integrations.reviews.transition_page import build_url, submit_transition

pytestmark = pytest.mark.any_database
SignIn = Any


def get_review_url(row: Integration) -> str:
    return f"/integrations/{row.uuid}/review/"


def test_page_loads_show_who_is_viewing(
    ready_integration: Integration, alice: User, rita: User, rob: User, sign_in: SignIn
) -> None:
    sign_in(rob).get(get_review_url(ready_integration))
    client = sign_in(rita)
    assert "Rob Roth is viewing" in get_text(client.get(get_review_url(ready_integration)), "#presence")
    assert "Rita Reyes" not in get_text(client.get(get_review_url(ready_integration)), "#presence")
    assert [each.name for each in list_present(ready_integration, alice)] == ["Rita Reyes", "Rob Roth"]


def test_polling_shows_who_is_writing(ready_integration: Integration, rita: User, rob: User, sign_in: SignIn) -> None:
    url = f"/integrations/{ready_integration.uuid}/presence/"
    sign_in(rob).post(url, {"writing": "1"})
    assert get_text(sign_in(rita).post(url), "#presence") == "Rob Roth is writing"


def test_partner_gets_no_presence(ready_integration: Integration, alice: User, sign_in: SignIn) -> None:
    assert sign_in(alice).post(f"/integrations/{ready_integration.uuid}/presence/").status_code == 404


def test_deciding_while_another_writes_asks_for_confirmation(
    ready_integration: Integration, rita: User, rob: User, sign_in: SignIn, frozen_now: Any
) -> None:
    note_presence(ready_integration, rob, WRITING)
    client = sign_in(rita)
    assert "Decide even though Rob Roth is writing" in get_text(client.get(build_url(ready_integration, "approve")))
    refused = submit_transition(client, ready_integration, "approve")
    assert (refused.status_code, reload_row(ready_integration).stage) == (422, "review")
    assert "Select the checkbox to decide even though Rob Roth is writing." in get_text(refused)
    assert submit_transition(client, ready_integration, "approve", confirm_writing="on").status_code == 302
    assert reload_row(ready_integration).stage == "release"


def test_confirmation_names_all_writers(
    ready_integration: Integration, alice: User, rita: User, rob: User, sign_in: SignIn, frozen_now: Any
) -> None:
    User.objects.filter(pk=alice.pk).update(is_reviewer=True)
    for writer in (alice, rob):
        note_presence(ready_integration, writer, WRITING)
    page = get_text(sign_in(rita).get(build_url(ready_integration, "approve")))
    assert "Decide even though Alice Archer, Rob Roth are writing" in page


def test_sent_text_ends_writing(
    ready_integration: Integration, rita: User, rob: User, sign_in: SignIn, frozen_now: Any
) -> None:
    note_presence(ready_integration, rob, WRITING)
    submit_transition(sign_in(rob), ready_integration, "put_on_hold", note="Wait.", waits_for="partner")
    assert list_present(ready_integration, rita) == []
    note_presence(ready_integration, rob)
    assert list_present(ready_integration, rita) == [Presence("Rob Roth", is_writing=False)]


def test_transition_page_shows_who_is_there_at_once(
    ready_integration: Integration, rita: User, rob: User, sign_in: SignIn, frozen_now: Any
) -> None:
    note_presence(ready_integration, rob)
    assert get_text(sign_in(rita).get(build_url(ready_integration, "approve")), "#presence") == "Rob Roth is viewing"


@pytest.mark.parametrize("button", ["verify", "reply", "edit"])
def test_button_of_a_finding_ends_writing(
    ready_integration: Integration, rita: User, rob: User, sign_in: SignIn, frozen_now: Any, button: str
) -> None:
    finding = add_finding(ready_integration, rob, frozen_now)
    if button == "reply":  # only to a finding that the partner can see
        perform_transition(reload_row(ready_integration), "request_changes", actor=rob, now=frozen_now)
    note_presence(ready_integration, rob, WRITING)
    data = {"text": "Sign it.", "severity": finding.severity}
    assert sign_in(rob).post(f"/findings/{finding.pk}/{button}/", data).status_code == 302
    assert list_present(ready_integration, rita) == []


def test_verifying_selected_findings_ends_writing(
    ready_integration: Integration, alice: User, rita: User, rob: User, sign_in: SignIn, frozen_now: Any
) -> None:
    finding = add_finding(ready_integration, rob, frozen_now)
    perform_transition(reload_row(ready_integration), "request_changes", actor=rob, now=frozen_now)
    findings.answer_finding(finding, "Done.", actor=alice, now=frozen_now)
    note_presence(ready_integration, rob, WRITING)
    sign_in(rob).post(f"/integrations/{ready_integration.uuid}/findings/verify/", {"finding": finding.pk})
    assert list_present(ready_integration, rita) == []


def test_only_text_and_the_decision_count_as_writing(
    ready_integration: Integration, rita: User, sign_in: SignIn
) -> None:
    page = sign_in(rita).get(get_review_url(ready_integration)).text
    assert 'hx-trigger="input from:body target:{textarea, #decision input, #decision select} throttle:10s"' in page
