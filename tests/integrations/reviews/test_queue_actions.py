"""Tests of actions on several queue items, of sorting, of snoozed items, and of polling."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.utils import timezone

from integrations.reviews.selectors import queue_items
from integrations.reviews.services.bulk import remind_partner
from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.accounts import roles
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from portal.ui.components.moments import format_exact
from tests.conftest import fulfill_requirements
from tests.integrations.page_text import get_text
from tests.integrations.reviews.queue_page import list_names

SignIn = Any


def list_uuids(*integrations: str) -> list[str]:
    return [str(Integration.objects.get(name=name).uuid) for name in integrations]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("name", ["Rocket", "Scan", "Vaulted"]),
        ("-name", ["Vaulted", "Scan", "Rocket"]),
        ("age", ["Scan", "Rocket", "Vaulted"]),
        ("-due", ["Vaulted", "Rocket", "Scan"]),
        ("nothing", ["Scan", "Rocket", "Vaulted"]),
    ],
)
def test_columns_sort_the_queue(
    three_reviews: None, rita: User, sign_in: SignIn, sort: str, expected: list[str]
) -> None:
    assert list_names(sign_in(rita).get(f"/queue/?sort={sort}")) == expected


def test_assigning_changes_all_selected_and_keeps_the_selection(
    three_reviews: None, rita: User, rob: User, sign_in: SignIn
) -> None:
    fields = {"action": "assign", "reviewer": rob.pk, "row": list_uuids("Scan", "Rocket")}
    response = sign_in(rita).post("/queue/action/", fields, follow=True)
    assert set(Integration.objects.filter(reviewer=rob).values_list("name", flat=True)) == {"Scan", "Rocket"}
    page = BeautifulSoup(response.content, "html.parser")
    assert {box["value"] for box in page.select("input[name=row][checked]")} == set(fields["row"])
    assert "Assigned 2 items." in page.text


def test_selection_and_reason_survive_a_lost_session(three_reviews: None, rita: User, client: Any) -> None:
    fields = {"reason": "A holiday.", "days": "3", "queue_query": "program=nomad"}
    client.post("/queue/action/", {**fields, "action": "snooze", "row": [*list_uuids("Scan", "Rocket"), "x"]})
    client.force_login(rita, backend="django.contrib.auth.backends.ModelBackend")
    page = BeautifulSoup(client.get("/queue/action/").content, "html.parser")
    inputs = {field["name"]: field["value"] for field in page.select("main input:not([name=row])")}
    rows = [field["value"] for field in page.select("input[name=row]")]
    assert rows == list_uuids("Rocket", "Scan")
    assert (inputs["reason"], inputs["queue_query"]) == ("A holiday.", "program=nomad")
    assert page.select_one("#id_days [selected]")["value"] == "3"
    assert [button["value"] for button in page.select("button[name=action]")][:3] == ["assign", "claim", "snooze"]
    assert "Select all on this page" not in page.text
    assert client.get("/queue/action/").headers["Location"] == "/queue/"


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"action": "assign"}, "Select a reviewer."),
        ({"action": "snooze", "days": "3"}, "Enter a reason."),
        ({"action": "decline"}, "“decline” isn't an action of the queue."),
        ({}, "Select an action."),
        ({"action": "remind"}, "Scan: The next action isn't the partner's."),
    ],
)
def test_refused_action_says_why(
    three_reviews: None, rita: User, sign_in: SignIn, fields: dict[str, str], message: str
) -> None:
    response = sign_in(rita).post("/queue/action/", fields | {"row": list_uuids("Scan")}, follow=True)
    assert message in BeautifulSoup(response.content, "html.parser").text


def test_auditor_sees_no_actions(three_reviews: None, rita: User, sam: User, sign_in: SignIn) -> None:
    roles.change_roles(rita, grant=["auditor"], revoke=["reviewer"], actor=sam, now=timezone.now(), reason="Audits")
    page = BeautifulSoup(sign_in(User.objects.get(pk=rita.pk)).get("/queue/").content, "html.parser")
    assert ([button["value"] for button in page.select("button[name=action]")], len(page.select("td.main"))) == ([], 3)


@pytest.mark.any_database
def test_refused_inputs_stay_in_their_fields_once(three_reviews: None, rita: User, rob: User, sign_in: SignIn) -> None:
    fields = {"action": "snooze", "reviewer": rob.pk, "days": "7", "reason": "x" * 201, "row": list_uuids("Scan")}
    client = sign_in(rita)
    page = BeautifulSoup(client.post("/queue/action/", fields, follow=True).content, "html.parser")
    assert "at most 200 characters" in page.select("#id_reason_error")[0].text
    assert page.select("#id_reason")[0]["value"] == fields["reason"]
    selected = [option["value"] for option in page.select("#queue-form option[selected]")]
    assert selected == [str(rob.pk), "7"]
    assert len(BeautifulSoup(client.get("/queue/").content, "html.parser").select("#id_reason_error")) == 0


@pytest.mark.any_database
def test_inputs_stay_in_their_fields_when_an_item_is_refused(three_reviews: None, rita: User, sign_in: SignIn) -> None:
    fields = {"action": "remind", "reason": "Please answer.", "row": list_uuids("Scan")}
    response = sign_in(rita).post("/queue/action/", fields, follow=True)
    page = BeautifulSoup(response.content, "html.parser")
    assert "The next action isn't the partner's." in page.text
    assert page.select("#id_reason")[0].get("value") == "Please answer."


@pytest.mark.any_database
def test_same_reminder_is_sent_once_a_day(
    three_reviews: None, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime, time_machine: Any
) -> None:
    row = Integration.objects.get(name="Rocket")
    perform_transition(row, "put_on_hold", actor=rita, note="Upload it.", waits_for="partner", now=frozen_now)
    fields = {"action": "remind", "row": [str(row.uuid)]}
    sent = []
    for days, reason in ((0, ""), (0, ""), (0, "By Friday."), (1, "")):
        time_machine.move_to(frozen_now + timedelta(days=days), tick=False)
        page = sign_in(rita).post("/queue/action/", fields | {"reason": reason}, follow=True)
        sent.append([str(message) for message in page.context["messages"]])
    refusal = "Rocket: The partner got this reminder within the last 24 hours."
    assert sent == [["Sent 1 reminder."], [refusal], ["Sent 1 reminder."], ["Sent 1 reminder."]]
    reminders = row.events.filter(event_type="message.reminder_sent")
    assert list(reminders.values_list("note", flat=True)) == ["", "By Friday.", ""]
    # A code, so that each reader sees the reminder in their own language.
    next_action = {"code": "on_hold", "params": {"reason": "Upload it"}}
    assert [event.data["next_action"] for event in reminders] == [next_action] * 3
    with pytest.raises(ActionRefused) as refused:
        remind_partner(row, "", actor=rita, now=frozen_now + timedelta(hours=30))
    assert refused.value.retry_after == timedelta(hours=18)
    page = get_text(sign_in(rita).get(f"/integrations/{row.uuid}/review/"))
    assert page.count("Reminder: Resolve the hold “Upload it”") == 3
    emails = EmailMessage.objects.filter(event__in=reminders, to=alice.email)
    assert {email.subject for email in emails} == {"Reminder from Rita Reyes: Rocket"}
    assert ["Action required: Resolve the hold “Upload it”." in email.text for email in emails] == [True] * 3


@pytest.mark.any_database
def test_action_without_selection_is_reported(three_reviews: None, rita: User, sign_in: SignIn) -> None:
    fields = {"action": "snooze", "days": "3", "reason": "On vacation.", "row": ["x"]}
    response = sign_in(rita).post("/queue/action/", fields, follow=True)
    assert "Select at least one item." in response.content.decode()
    page = BeautifulSoup(response.content, "html.parser")
    assert page.select("#id_reason")[0]["value"] == "On vacation."


def test_snoozed_item_returns_after_its_time(
    three_reviews: None, rita: User, sign_in: SignIn, frozen_now: datetime, time_machine: Any
) -> None:
    fields = {"action": "snooze", "days": "3", "reason": "Waits for the release.", "row": list_uuids("Scan")}
    client = sign_in(rita)
    client.post("/queue/action/", fields)
    assert (list_names(client.get("/queue/")), list_names(client.get("/queue/?tab=snoozed"))) == (
        ["Rocket", "Vaulted"],
        ["Scan"],
    )
    time_machine.move_to(frozen_now + timedelta(days=3, minutes=1), tick=False)
    assert list_names(sign_in(rita).get("/queue/")) == ["Scan", "Rocket", "Vaulted"]


def test_snoozed_item_states_its_end_and_reason_and_returns_at_once(
    three_reviews: None, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    client = sign_in(rita)
    fields = {"days": "3", "reason": "Waits for the release.", "row": list_uuids("Scan")}
    client.post("/queue/action/", fields | {"action": "snooze"})
    page = BeautifulSoup(client.get("/queue/?tab=snoozed").content, "html.parser")
    until = format_exact(frozen_now + timedelta(days=3), frozen_now)
    assert f"Snoozed until {until}: Waits for the release." in page.select_one("td.main").text
    assert [button.text.strip() for button in page.select("button[value=end_snooze]")] == ["End snooze"]
    response = client.post("/queue/action/", fields | {"action": "end_snooze"}, follow=True)
    assert "Returned 1 item to the queue." in response.content.decode()
    assert list_names(client.get("/queue/")) == ["Scan", "Rocket", "Vaulted"]
    again = client.post("/queue/action/", fields | {"action": "end_snooze"}, follow=True)
    assert "Scan: The item isn't snoozed." in BeautifulSoup(again.content, "html.parser").text
    assert b"end_snooze" not in client.get("/queue/").content


def get_round_and_start(row: Integration, user: User, now: datetime) -> tuple[int, datetime]:
    items = queue_items.filter_items(["review"], {}, user, now).filter(integration=row)
    return items.values_list("review_round", "began_at").get()


def test_returned_work_keeps_the_age_of_its_first_round(
    three_reviews: None, alice: User, rita: User, frozen_now: datetime
) -> None:
    row = Integration.objects.get(name="Rocket")
    first_request = get_round_and_start(row, rita, frozen_now)[1]
    requirement = row.edition.list_requirements()[0].id
    finding = findings.raise_finding(row, requirement, "Fix it.", actor=rita, now=frozen_now)
    perform_transition(row, "request_changes", actor=rita, note="See the finding.", now=frozen_now)
    later = frozen_now + timedelta(days=2)
    findings.answer_finding(finding, "Fixed.", actor=alice, now=later)
    fulfill_requirements(row, None, later)
    perform_transition(row, "resubmit_for_review", actor=alice, now=later)
    assert get_round_and_start(row, rita, later) == (2, first_request)


@pytest.mark.any_database
def test_polling_returns_not_modified_until_something_happens(
    three_reviews: None, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime, django_assert_num_queries: Any
) -> None:
    client = sign_in(rita)
    page = BeautifulSoup(client.get("/queue/", headers={"HX-Request": "true"}).content, "html.parser")
    tag = page.select_one("[hx-headers]")["hx-headers"]
    headers = {"HX-Request": "true", "If-None-Match": get_entity_tag(tag)}
    with django_assert_num_queries(4):
        assert client.get("/queue/", headers=headers).status_code == 304
    findings.post_message(Integration.objects.get(name="Rocket"), "Done.", actor=alice, now=frozen_now)
    assert client.get("/queue/", headers=headers).status_code == 200


def get_entity_tag(attribute: str) -> str:
    """Return the entity tag as the browser sends it."""
    return str(json.loads(attribute)["If-None-Match"])
