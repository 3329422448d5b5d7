"""Tests of delivery preferences, and of notifications that are always immediate."""

from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from django.db import transaction

from integrations.partners.services import members
from integrations.submissions import digests, notices
from integrations.submissions.email_previews import preview_emails
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.audit.event_types import EMAILS, Audience
from portal.audit.services import record_event
from portal.notifications import delivery, email as email_queue, preferences, unsubscribe as stopping
from portal.notifications.categories import CATEGORIES, CATEGORY_BY_KEY, DeliveryMode
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, fulfill_requirements

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]
MORNING = datetime(2026, 4, 15, 8, tzinfo=UTC)
MONDAY = datetime(2026, 4, 20, 8, tzinfo=UTC)


def write_message(row: Any, by: Any, now: datetime = NOW) -> EmailMessage:
    """Write a message of the program. Return Alice's email."""
    findings.post_message(row, "Hello.", actor=by, now=now)
    return EmailMessage.objects.filter(person__email="alice@acme.example").latest("pk")


def test_every_email_about_an_integration_has_a_category() -> None:
    with_category = {event_type for kind in CATEGORIES for event_type in kind.event_types}
    audiences = {*notices.FINDERS, Audience.MENTIONED_PEOPLE}
    assert with_category == {key for key, email in EMAILS.items() if email.audience in audiences}


@pytest.mark.parametrize(
    ("how", "state", "held_until"),
    [
        (DeliveryMode.IMMEDIATE, "queued", None),
        (DeliveryMode.DAILY, "batched", MORNING),
        (DeliveryMode.WEEKLY, "batched", MONDAY),
        (DeliveryMode.PORTAL, "in_app_only", None),
        (DeliveryMode.OFF, "suppressed", None),
    ],
)
def test_notification_uses_the_chosen_delivery(
    rocket: Any, alice: Any, rita: Any, how: DeliveryMode, state: str, held_until: datetime | None
) -> None:
    preferences.save_preferences(alice, {"messages": how})
    email = write_message(rocket, rita)
    assert (email.state, email.held_until) == (state, held_until)


def test_preference_affects_only_its_category_and_user(rocket: Any, alice: Any, bob: Any, rita: Any) -> None:
    preferences.save_preferences(alice, {"messages": DeliveryMode.OFF})
    findings.post_message(rocket, "Hello.", actor=rita, now=NOW)
    assert EmailMessage.objects.get(person=bob, name="message").state == "queued"
    perform_transition(rocket, "put_on_hold", actor=rita, note="Because.", waits_for="partner", now=NOW)
    assert EmailMessage.objects.get(person=alice, name="integration_on_hold").state == "queued"


@pytest.mark.every_database
@pytest.mark.parametrize("key", [kind.key for kind in CATEGORIES if kind.locked])
def test_required_category_cannot_be_silenced(alice: Any, key: str) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        preferences.save_preferences(alice, {key: DeliveryMode.OFF})
    preference = preferences.NotificationPreference.objects.create(
        user=alice, delivery={key: "off"}
    )  # even if it was stored somehow
    assert preferences.get_mode(preference.delivery, CATEGORY_BY_KEY[key]) == DeliveryMode.IMMEDIATE
    assert preferences.decide_delivery(alice, CATEGORY_BY_KEY[key].event_types[0], NOW).state == ""


@pytest.mark.every_database
def test_meeting_email_has_a_calendar_and_is_immediate(alice: Any) -> None:
    with pytest.raises(ValueError, match="cannot be daily"):
        preferences.save_preferences(alice, {"meetings": DeliveryMode.DAILY})


def test_optional_category_is_unsubscribed_with_one_click(rocket: Any, alice: Any, rita: Any, client: Any) -> None:
    email = write_message(rocket, rita)
    assert email.unsubscribe in email.text
    assert email.unsubscribe in email.html
    headers = delivery._build_message(email).extra_headers
    assert headers["List-Unsubscribe"] == f"<{email.unsubscribe}>"
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    path = email.unsubscribe.split("/", 3)[3]
    assert client.get(f"/{path}").status_code == 200
    assert write_message(rocket, rita).state == "queued"  # opening the page stops nothing
    assert client.post(f"/{path}", {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert write_message(rocket, rita).state == "in_app_only"


def test_decision_has_no_unsubscribe_url(integration_at: Any, alice: Any, rita: Any) -> None:
    row = integration_at("review")
    fulfill_requirements(row, alice, NOW)
    perform_transition(row, "approve", actor=rita, now=NOW)
    email = EmailMessage.objects.get(name="integration_approved", person=alice)
    assert (email.unsubscribe, email.state) == ("", "held")


def test_invalid_unsubscribe_url_stops_nothing(client: Any, alice: Any) -> None:
    good = stopping.build_url(alice, "messages").rsplit("/", 2)[1]
    token_of_locked = stopping.build_url(alice, "decisions").rsplit("/", 2)[1]
    for token in (good[:-2] + "xx", "nonsense", token_of_locked):
        assert client.post(f"/notifications/stop/{token}/").status_code == 404


def test_preview_shows_another_users_key(rocket: Any, alice: Any, bob: Any, rita: Any) -> None:
    decide = partial(
        perform_transition, rocket, "put_on_hold", actor=rita, note="Because.", now=NOW, waits_for="partner"
    )
    previewed_emails = preview_emails(decide, rita).emails
    assert [each.to for each in previewed_emails] == [alice.email, bob.email]
    assert all(each.unsubscribe not in each.text + each.html for each in previewed_emails)


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("zone", "now", "comes"),
    [
        ("UTC", datetime(2026, 4, 14, 12, tzinfo=UTC), datetime(2026, 4, 14, 12, tzinfo=UTC)),
        ("UTC", datetime(2026, 4, 14, 20, tzinfo=UTC), datetime(2026, 4, 15, 9, tzinfo=UTC)),
        ("Asia/Tokyo", datetime(2026, 4, 17, 9, tzinfo=UTC), datetime(2026, 4, 20, 0, tzinfo=UTC)),
    ],
)
def test_emails_wait_for_working_hours_if_chosen(
    rocket: Any, alice: Any, rita: Any, zone: str, now: datetime, comes: datetime
) -> None:
    alice.zone = zone
    alice.save()
    preferences.save_preferences(alice, {}, only_in_working_hours=True)
    assert write_message(rocket, rita, now).held_until == comes


@pytest.mark.every_database
def test_breach_does_not_wait_for_working_hours(rocket: Any, alice: Any) -> None:
    preferences.save_preferences(alice, {}, only_in_working_hours=True)
    night = datetime(2026, 4, 14, 23, tzinfo=UTC)
    with transaction.atomic():
        record_event(rocket, "issue.breached", actor=None, now=night, issues=[], count=0)
    assert EmailMessage.objects.get(person=alice, name="issues_breached").held_until is None


def test_digest_lists_required_actions_and_pending_decisions_under_headings(
    rocket: Any, integration_at: Any, alice: Any, rita: Any
) -> None:
    preferences.save_preferences(alice, {"messages": DeliveryMode.DAILY})
    meteor = integration_at("review", name="Meteor", repository="acme/meteor", repository_id=7)
    perform_transition(meteor, "decline", actor=rita, note="Not for us.", now=NOW)
    for row in (rocket, meteor):
        write_message(row, rita)
    assert digests.send_due(MORNING) == 1
    text = EmailMessage.objects.get(name="digest").text
    headings = ("## Waiting for you", "## Decisions that can still be undone", "## Rocket:")
    actions, decisions = (text.partition(one)[2].partition(two)[0] for one, two in pairwise(headings))
    assert [line.partition(":")[0] for part in (actions, decisions) for line in part.split("\n") if line] == [
        "- Rocket",
        "- Meteor",
    ]


@pytest.mark.every_database
def test_digest_contains_each_waiting_notification_once(rocket: Any, alice: Any, rita: Any) -> None:
    preferences.save_preferences(alice, {"messages": DeliveryMode.DAILY, "progress": DeliveryMode.WEEKLY})
    news = [write_message(rocket, rita, NOW + timedelta(minutes=minutes)) for minutes in (0, 5)]
    assert digests.send_due(MORNING - timedelta(seconds=1)) == 0
    assert digests.send_due(MORNING) == 1
    email = EmailMessage.objects.get(name="digest")
    assert (email.to, email.state) == (alice.email, "queued")
    assert email.subject == "Digest: 2 updates (Rocket)"
    for each in news:
        assert each.subject in email.text
        assert f"/emails/{each.uuid}/" in email.html
        each.refresh_from_db()
        assert (each.state, each.digest) == ("included_in_digest", email)
    assert digests.send_due(MORNING + timedelta(days=9)) == 0


@pytest.mark.every_database
def test_digest_stops_despite_a_preference_that_no_longer_exists(alice: Any, client: Any) -> None:
    stored = {"former.event": "daily", "messages": "daily", "decisions": "daily", "progress": "off"}
    preferences.NotificationPreference.objects.create(user=alice, delivery=stored)
    path = stopping.build_url(alice, stopping.DIGEST).split("/", 3)[3]
    assert client.post(f"/{path}").status_code == 200
    preference = preferences.NotificationPreference.objects.get(user=alice)
    assert preference.delivery == stored | {"messages": "portal"}


@pytest.mark.every_database
def test_former_member_gets_no_waiting_notifications(rocket: Any, alice: Any, bob: Any, rita: Any) -> None:
    preferences.save_preferences(bob, {"messages": DeliveryMode.DAILY})
    findings.post_message(rocket, "From Alice.", actor=alice, now=NOW)
    findings.post_message(rocket, "From us.", actor=rita, now=NOW)
    waiting = EmailMessage.objects.filter(person=bob, state="batched")
    assert waiting.exists()
    members.end_membership(rocket.partner.memberships.get(user=bob), actor=alice, now=NOW)
    assert not waiting.exists()
    assert digests.send_due(MORNING) == 0
    assert not EmailMessage.objects.filter(person=bob, name="digest").exists()


def test_digest_without_notifications_is_not_sent(rocket: Any, alice: Any) -> None:
    preferences.save_preferences(alice, {"messages": DeliveryMode.DAILY})
    assert digests.send_due(MORNING) == 0
    assert EmailMessage.objects.filter(name="digest").count() == 0


def test_one_digest_after_an_outage_has_everything(rocket: Any, alice: Any, rita: Any) -> None:
    preferences.save_preferences(alice, {"messages": DeliveryMode.DAILY})
    for days in range(3):
        write_message(rocket, rita, NOW + timedelta(days=days))
    assert digests.send_due(MORNING + timedelta(days=5)) == 1
    assert EmailMessage.objects.get(name="digest").text.count("- New message from ") == 3


def test_interrupted_digest_is_sent_later(rocket: Any, alice: Any, rita: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    preferences.save_preferences(alice, {"messages": DeliveryMode.DAILY})
    write_message(rocket, rita)
    with monkeypatch.context() as patch:
        patch.setattr(digests, "build_context", lambda *_: 1 / 0)
        assert digests.send_due(MORNING) == 0
    assert digests.send_due(MORNING) == 1


def test_digest_is_unsubscribed_with_one_click(rocket: Any, alice: Any, rita: Any) -> None:
    preferences.save_preferences(alice, {"messages": DeliveryMode.DAILY, "checks": DeliveryMode.IMMEDIATE})
    waiting = write_message(rocket, rita)
    preferences.stop_category(alice, stopping.DIGEST)
    waiting.refresh_from_db()
    assert waiting.state == "in_app_only"
    assert preferences.NotificationPreference.objects.get(user=alice).delivery == {
        "messages": "portal",
        "checks": "immediate",
    }


def test_undone_decision_is_in_no_digest(rocket: Any, alice: Any, rita: Any) -> None:
    preferences.save_preferences(alice, {"messages": DeliveryMode.DAILY})
    email = write_message(rocket, rita)
    assert email.event is not None
    email_queue.cancel_decision_emails(email.event)
    assert digests.send_due(MORNING) == 0


@pytest.mark.every_database
def test_event_can_differ_from_its_category(rocket: Any, alice: Any, rita: Any) -> None:
    preferences.save_preferences(alice, {"progress": DeliveryMode.OFF, "integration.put_on_hold": DeliveryMode.DAILY})
    perform_transition(rocket, "put_on_hold", actor=rita, note="Because.", waits_for="partner", now=NOW)
    perform_transition(rocket, "resume", actor=rita, now=NOW)
    emails = EmailMessage.objects.filter(person=alice)
    assert emails.get(name="integration_on_hold").state == "batched"
    assert emails.get(name="integration_resumed").state == "suppressed"
    preferences.save_preferences(alice, {"integration.put_on_hold": ""})
    assert preferences.NotificationPreference.objects.get(user=alice).delivery == {"progress": "off"}
    assert emails.get(name="integration_on_hold").state == "suppressed"  # it is in no digest either


@pytest.mark.parametrize("key", ["integration.approved", "user.signed_in", "issue.breached"])
def test_event_of_a_required_category_cannot_be_silenced(alice: Any, key: str) -> None:
    with pytest.raises(ValueError, match=key):
        preferences.save_preferences(alice, {key: DeliveryMode.OFF})


def test_one_click_unsubscribes_from_the_events_of_a_category_too(alice: Any) -> None:
    chosen = {"check.failed": "immediate", "check.passed": "off", "progress": "daily", "integration.resumed": "weekly"}
    preferences.save_preferences(alice, chosen)
    preferences.stop_category(alice, "checks")
    expected = chosen | {"checks": "portal", "check.failed": "portal"}
    assert preferences.NotificationPreference.objects.get(user=alice).delivery == expected
    preferences.stop_category(alice, stopping.DIGEST)
    expected |= {"progress": "portal", "integration.resumed": "portal"}
    assert preferences.NotificationPreference.objects.get(user=alice).delivery == expected


def test_unsubscription_from_an_event_turns_on_nothing_of_its_category(alice: Any) -> None:
    preferences.save_preferences(alice, {"checks": "off", "check.failed": "immediate"})
    preferences.stop_category(alice, "checks")
    wish = preferences.NotificationPreference.objects.get(user=alice)
    assert wish.delivery == {"checks": "off", "check.failed": "portal"}


def test_silenced_notifications_are_not_shown_and_others_are(sign_in: Any, rocket: Any, alice: Any, rita: Any) -> None:
    preferences.save_preferences(alice, {"messages": DeliveryMode.OFF, "progress": DeliveryMode.PORTAL})
    write_message(rocket, rita)
    perform_transition(rocket, "put_on_hold", actor=rita, note="Because.", waits_for="partner", now=NOW)
    page = sign_in(alice).get("/notifications/").content.decode()
    assert "On hold: Rocket" in page
    assert "New message from" not in page
