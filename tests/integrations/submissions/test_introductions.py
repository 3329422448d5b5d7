"""Tests of introductions between partners."""

import pytest

from integrations.partners.models import Membership
from integrations.submissions.models import Introduction
from integrations.submissions.selectors.similar import find_integration_overlaps
from integrations.submissions.services import introductions
from integrations.submissions.services.transitions import perform_transition
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, create_integration, create_partner, create_user

pytestmark = pytest.mark.any_database


@pytest.fixture
def own_integration(acme, alice):
    return create_integration(acme, alice, name="Rocket", repository="acme/rocket", repository_id=1)


@pytest.fixture
def other_integration(globex, charlie):
    return create_integration(globex, charlie, name="Rocket", repository="globex/rocket", repository_id=2)


@pytest.fixture
def introduction(own_integration, other_integration, alice):
    return introductions.request_introduction(
        own_integration, other_integration, "Shall we talk?", actor=alice, now=NOW
    )


def list_event_types(row):
    return [e.event_type for e in AuditEvent.objects.filter(integration=row) if e.event_type.startswith("introduction")]


def test_ended_integration_requests_no_introduction(own_integration, other_integration, alice):
    perform_transition(own_integration, "withdraw", actor=alice, note="Later.", now=NOW)
    with pytest.raises(ActionRefused, match="has ended") as refusal:
        introductions.request_introduction(own_integration, other_integration, "", actor=alice, now=NOW)
    assert (refusal.value.kind, Introduction.objects.exists()) == ("invalid-transition", False)


def test_request_is_anonymous_in_the_other_history(introduction, own_integration, other_integration):
    event = AuditEvent.objects.get(event_type="introduction.requested")
    assert (event.integration, event.actor, event.note) == (other_integration, "", "Shall we talk?")
    assert event.data == {"introduction": introduction.pk}
    assert list_event_types(own_integration) == []


def test_other_side_sees_no_name_before_it_agrees(introduction, sign_in, charlie):
    client = sign_in(charlie)
    for page in (
        client.get(f"/introductions/{introduction.pk}/"),
        client.get(f"/integrations/{introduction.recipient.uuid}/"),
    ):
        assert "Shall we talk?" in page.text
        assert not {"Acme", "Alice", "acme/rocket", "alice@acme.example"} & find_words(
            page, "Acme", "Alice", "acme/rocket", "alice@acme.example"
        )


def test_requester_sees_no_name_before_the_other_side_agrees(introduction, sign_in, alice):
    page = sign_in(alice).get(f"/introductions/{introduction.pk}/")
    assert find_words(page, "Globex", "Charlie", "globex/rocket", "charlie@globex.example") == set()


def find_words(page, *words):
    """Return those of the words that are on the page."""
    return {word for word in words if word in page.text}


def test_both_sides_see_all_names_after_both_agreed(
    introduction, sign_in, alice, charlie, own_integration, other_integration
):
    sign_in(charlie).post(f"/introductions/{introduction.pk}/", {"answer": "agree"})
    everything = {"Acme", "Alice Archer", "alice@acme.example", "Globex", "Charlie Cole", "charlie@globex.example"}
    for user in (alice, charlie):
        assert find_words(sign_in(user).get(f"/introductions/{introduction.pk}/"), *everything) == everything
    assert (list_event_types(own_integration), list_event_types(other_integration)) == (
        ["introduction.accepted"],
        ["introduction.requested", "introduction.accepted"],
    )


@pytest.mark.every_database
def test_decline_is_shown_to_the_requester_without_names(introduction, sign_in, alice, charlie, own_integration):
    sign_in(charlie).post(f"/introductions/{introduction.pk}/", {"answer": "decline"})
    page = sign_in(alice).get(f"/introductions/{introduction.pk}/")
    assert "The other partner declined" in page.text
    assert find_words(page, "Globex", "Charlie") == set()
    assert AuditEvent.objects.get(integration=own_integration, event_type="introduction.declined").actor == ""


def test_decline_is_shown_to_the_program(introduction, sign_in, charlie, rita):
    sign_in(charlie).post(f"/introductions/{introduction.pk}/", {"answer": "decline"})
    page = sign_in(rita).get(f"/introductions/{introduction.pk}/")
    assert "The partner declined. Neither side has seen the name of the other." in page.text


@pytest.mark.every_database
def test_decline_is_emailed_only_to_the_requester_without_names(introduction, alice, bob, charlie):
    introductions.decline_introduction(introduction, actor=charlie, now=NOW)
    emails = EmailMessage.objects.filter(event__event_type="introduction.declined").order_by("to")
    assert [email.to for email in emails] == ["alice@acme.example", "bob@acme.example"]
    for email in emails:
        everything = email.subject + email.text + email.html
        assert email.subject == "Introduction declined: Rocket"
        assert "The other partner declined the introduction" in email.text
        assert f"/introductions/{introduction.pk}/" in email.text
        assert [word for word in ("Globex", "Charlie", "globex/rocket", "globex.example") if word in everything] == []


def test_introduction_is_answered_once(introduction, charlie):
    introductions.accept_introduction(introduction, actor=charlie, now=NOW)
    with pytest.raises(
        ActionRefused, match="Charlie Cole already accepted this request on Tue, Apr 14, 2026, 9:00 AM UTC"
    ):
        introductions.decline_introduction(introduction, actor=charlie, now=NOW)


@pytest.mark.every_database
def test_requester_cannot_answer_for_the_other_side(introduction, sign_in, alice):
    page = sign_in(alice).post(f"/introductions/{introduction.pk}/", {"answer": "agree"}, follow=True)
    assert "Only owners and editors of the company can do this." in page.text
    assert Introduction.objects.get().state == "asked"


@pytest.mark.every_database
def test_second_request_changes_nothing(introduction, own_integration, other_integration, alice):
    assert (
        introductions.request_introduction(own_integration, other_integration, "Again", actor=alice, now=NOW)
        == introduction
    )
    assert list_event_types(other_integration) == ["introduction.requested"]


def test_request_in_return_accepts_the_introduction(introduction, own_integration, other_integration, charlie):
    accepted_introduction = introductions.request_introduction(
        other_integration, own_integration, "We too", actor=charlie, now=NOW
    )
    assert (accepted_introduction.pk, accepted_introduction.state) == (introduction.pk, "agreed")


@pytest.mark.parametrize("asks_in_return", [False, True])
def test_accepted_introduction_is_not_requested_again(
    introduction, own_integration, other_integration, alice, charlie, asks_in_return
):
    introductions.accept_introduction(introduction, actor=charlie, now=NOW)
    sides = (other_integration, own_integration) if asks_in_return else (own_integration, other_integration)
    with pytest.raises(ActionRefused, match="Both sides already accepted this introduction"):
        introductions.request_introduction(*sides, "Again", actor=charlie if asks_in_return else alice, now=NOW)
    assert Introduction.objects.get().state == "agreed"


def test_introduction_within_a_company_is_refused(own_integration, acme, alice):
    with pytest.raises(ActionRefused, match="Both integrations belong to your company"):
        introductions.request_introduction(own_integration, create_integration(acme, alice), "", actor=alice, now=NOW)


def test_viewer_cannot_request_an_introduction(own_integration, other_integration, bob):
    Membership.objects.filter(user=bob).update(role="viewer")
    with pytest.raises(ActionRefused, match="Only owners and editors"):
        introductions.request_introduction(own_integration, other_integration, "", actor=bob, now=NOW)


def test_introduction_is_requested_by_handle(own_integration, other_integration, sign_in, alice):
    (overlap,) = find_integration_overlaps(own_integration)
    page = sign_in(alice).post(
        f"/integrations/{own_integration.uuid}/similar/", {"introduce": overlap.handle, "message": "Hello"}, follow=True
    )
    introduction = Introduction.objects.get()
    assert (introduction.requester, introduction.recipient, introduction.message) == (
        own_integration,
        other_integration,
        "Hello",
    )
    assert "You requested an introduction." in page.text


def test_request_in_return_says_that_it_accepts(introduction, other_integration, sign_in, charlie):
    (overlap,) = find_integration_overlaps(other_integration)
    page = sign_in(charlie).post(
        f"/integrations/{other_integration.uuid}/similar/", {"introduce": overlap.handle}, follow=True
    )
    assert "You accepted the introduction that the other partner requested." in page.text
    assert "We notify you after the other partner decides." not in page.text


def test_request_without_a_selection_keeps_the_message(own_integration, other_integration, sign_in, alice):
    page = sign_in(alice).post(f"/integrations/{own_integration.uuid}/similar/", {"message": "Hello there"})
    assert (page.status_code, Introduction.objects.count()) == (422, 0)
    assert ("Select at least one integration." in page.text, "Hello there" in page.text) == (True, True)


@pytest.mark.every_database
def test_unknown_handle_requests_nothing(own_integration, other_integration, sign_in, alice):
    page = sign_in(alice).post(f"/integrations/{own_integration.uuid}/similar/", {"introduce": "0" * 32}, follow=True)
    assert "no longer overlaps with yours" in page.text
    assert Introduction.objects.count() == 0


def test_introduction_of_others_is_not_found(introduction, sign_in):
    outsider = create_user("eve@initech.example", "Eve Evans")
    Membership.objects.create(partner=create_partner("Initech", ""), user=outsider, role="owner", joined_at=NOW)
    client = sign_in(outsider)
    assert client.get(f"/introductions/{introduction.pk}/").status_code == 404
    assert client.post(f"/introductions/{introduction.pk}/", {"answer": "agree"}).status_code == 404
    assert client.get("/introductions/999999/").status_code == 404


def test_former_member_is_not_a_contact(introduction, sign_in, alice, bob, charlie):
    introductions.accept_introduction(introduction, actor=charlie, now=NOW)
    Membership.objects.filter(user=alice).update(ended_at=NOW)
    Membership.objects.filter(user=bob).update(role="owner")
    page = sign_in(charlie).get(f"/introductions/{introduction.pk}/")
    assert find_words(page, "alice@acme.example", "bob@acme.example") == {"bob@acme.example"}


def test_history_shows_an_anonymous_request(introduction):
    assert AuditEvent.objects.get(event_type="introduction.requested").summary == "Someone requested an introduction"
