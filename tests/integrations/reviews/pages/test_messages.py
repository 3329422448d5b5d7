"""Tests of messages and internal notes on review pages."""

import pytest
from bs4 import BeautifulSoup

from integrations.submissions.models import Integration, ReviewMessage
from portal.accounts.models import User
from tests.conftest import create_user
from tests.integrations.page_text import get_text
from tests.integrations.reviews.pages.review_pages import SignIn, get_review_page

pytestmark = pytest.mark.any_database


def test_partner_and_program_share_one_thread(rocket: Integration, alice: User, rita: User, sign_in: SignIn) -> None:
    assert (
        sign_in(alice)
        .post(f"/integrations/{rocket.uuid}/messages/", {"body": "We are ready."})["Location"]
        .endswith(f"/integrations/{rocket.uuid}/#thread")
    )
    assert (
        sign_in(rita)
        .post(f"/integrations/{rocket.uuid}/messages/", {"body": "Good."})["Location"]
        .endswith("/review/#thread")
    )
    assert list(ReviewMessage.objects.values_list("body", "internal")) == [("We are ready.", False), ("Good.", False)]
    assert "We are ready." in get_text(get_review_page(sign_in(rita), rocket), "#thread")


def test_internal_notes_are_hidden_from_the_partner(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn
) -> None:
    client = sign_in(rita)
    client.post(f"/integrations/{rocket.uuid}/messages/", {"body": "They seem slow.", "internal": "on"})
    element = BeautifulSoup(get_review_page(client, rocket).content, "html.parser").select_one("#thread .entry-private")
    assert "They seem slow." in element.text
    assert "Only reviewers see this" in element.text
    client = sign_in(alice)
    for path in ("", "history/"):
        assert "They seem slow." not in client.get(f"/integrations/{rocket.uuid}/{path}").content.decode()


def test_auditor_reads_internal_notes_without_a_form(rocket: Integration, rita: User, sign_in: SignIn) -> None:
    sign_in(rita).post(f"/integrations/{rocket.uuid}/messages/", {"body": "They seem slow.", "internal": "on"})
    auditor = create_user("audrey@program.example", "Audrey Ames", is_auditor=True)
    readers = [BeautifulSoup(get_review_page(sign_in(user), rocket).content, "html.parser") for user in (rita, auditor)]
    threads = [page.select_one("#thread") for page in readers]
    assert [("They seem slow." in thread.text, len(thread.select("form"))) for thread in threads] == [
        (True, 1),
        (True, 0),
    ]


def test_partner_who_asks_for_a_note_writes_a_message(rocket: Integration, alice: User, sign_in: SignIn) -> None:
    sign_in(alice).post(f"/integrations/{rocket.uuid}/messages/", {"body": "Hello.", "internal": "on"})
    assert ReviewMessage.objects.get().internal is False


def test_empty_message_is_a_field_error(rocket: Integration, alice: User, sign_in: SignIn) -> None:
    response = sign_in(alice).post(f"/integrations/{rocket.uuid}/messages/", {"body": " "})
    assert response.status_code == 422
    assert "Enter a message." in get_text(response)


def test_other_partner_cannot_write(rocket: Integration, charlie: User, sign_in: SignIn) -> None:
    assert sign_in(charlie).post(f"/integrations/{rocket.uuid}/messages/", {"body": "Hi."}).status_code == 404
    assert not ReviewMessage.objects.exists()


def test_html_in_messages_is_escaped(rocket: Integration, alice: User, rita: User, sign_in: SignIn) -> None:
    body = "<script>alert(1)</script> see https://acme.example"
    sign_in(alice).post(f"/integrations/{rocket.uuid}/messages/", {"body": body})
    html = get_review_page(sign_in(rita), rocket).content.decode()
    assert "<script>alert" not in html
    assert '<a href="https://acme.example" rel="nofollow">https://acme.example</a>' in html
